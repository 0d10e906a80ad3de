// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/endpoints.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "gateway/internal/attachment/rules.h"
#include "gateway/internal/model/problems.h"
#include "gateway/internal/objects/references.h"
#include "k8s/kinds/endpoint_slice.h"

namespace fairway::gateway {

namespace {

/// Calls `one` with each port of a slice and each address of an endpoint that can be used, and whether it is
/// ready. An endpoint that is not can be used while it terminates and still serves. Slices of names are
/// skipped: Envoy would have to resolve them.
template <class One>
void each_endpoint(const k8s::EndpointSlice& slice, const One& one) {
  if (slice.address_type() == "FQDN") return;
  for (const k8s::EndpointPort& at : slice.ports()) {
    if (!at.port() || *at.port() < 1 || *at.port() > 65'535) continue;
    for (const k8s::Endpoint& endpoint : slice.endpoints()) {
      const bool is_ready = endpoint.ready();
      if (!is_ready && !(endpoint.serving() && endpoint.terminating())) continue;
      // Envoy refuses a cluster that has anything else.
      for (const std::string_view address : endpoint.addresses()) {
        if (address_bytes(address)) one(at, address, is_ready);
      }
    }
  }
}

std::vector<LeftOutEndpoint> left_out_of(const k8s::Dynamic& slice, const EndpointPolicy& policy) {
  std::vector<LeftOutEndpoint> left_out;
  each_endpoint(k8s::EndpointSlice(slice.json()),
                [&](const k8s::EndpointPort& at, std::string_view address, bool /*is_ready*/) {
                  if (auto why = policy.refusal(address, *at.port(), at.protocol())) {
                    left_out.push_back({.port_name = std::string(at.name()),
                                        .protocol = std::string(at.protocol()),
                                        .address = std::string(address),
                                        .port = *at.port(),
                                        .why = *std::move(why)});
                  }
                });
  return left_out;
}

}  // namespace

std::set<std::pair<std::string, std::int64_t>> endpoints_of(const Objects& objects,
                                                            const EndpointPolicy& policy,
                                                            const k8s::Dynamic& service,
                                                            const k8s::ServicePort& port) {
  // The best are used alone: those that can be reached before the others, and the ready ones of these before
  // those that terminate.
  std::array<std::set<std::pair<std::string, std::int64_t>>, 4> by_rank;
  for (const k8s::Dynamic* object : objects.slices_of(service.namespace_name(), service.name())) {
    each_endpoint(k8s::EndpointSlice(object->json()), [&](const k8s::EndpointPort& at,
                                                          std::string_view address, bool is_ready) {
      if (at.name() != port.name() || at.protocol() != port.protocol() ||
          policy.refusal(address, *at.port(), at.protocol()))
        return;
      const std::size_t rank = (policy.families.reach(address) ? 0U : 2U) + (is_ready ? 0U : 1U);
      by_rank.at(rank).emplace(address, *at.port());
    });
  }
  const auto best = std::ranges::find_if(by_rank, [](const auto& one) { return !one.empty(); });
  return best != by_rank.end() ? std::move(*best) : std::set<std::pair<std::string, std::int64_t>>{};
}

std::shared_ptr<const LeftOutEndpoints> EndpointCache::left_out(const Objects& objects,
                                                                const EndpointPolicy& policy) {
  const std::uint64_t revision = objects.revision("discovery.k8s.io", "EndpointSlice");
  const bool is_same_policy = policy_ == policy;
  if (left_out_ && revision == revision_ && is_same_policy) return left_out_;
  LeftOutEndpoints now;
  objects.each_slice([&](const k8s::Key& service, const std::shared_ptr<const k8s::Dynamic>& slice) {
    Slice& known = slices_[slice.get()];
    if (!known.object || !is_same_policy) known = {.object = slice, .left_out = left_out_of(*slice, policy)};
    known.is_used = true;
    if (known.left_out.empty()) return;
    auto& all = now[service];
    all.insert(all.end(), known.left_out.begin(), known.left_out.end());
  });
  std::erase_if(slices_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [object, known] : slices_) known.is_used = false;
  revision_ = revision;
  policy_ = policy;
  if (!left_out_ || *left_out_ != now) left_out_ = std::make_shared<const LeftOutEndpoints>(std::move(now));
  return left_out_;
}

std::string describe_left_out(const Objects& objects, const LeftOutEndpoints& left_out,
                              const RouteState& route) {
  std::vector<std::string> words;
  const std::string_view protocol = route.kind == RouteKind::udp ? "UDP" : "TCP";
  for (const k8s::View& rule : route.object->items("spec.rules")) {
    for (const ObjectRef& ref : backends_of(rule)) {
      const k8s::Key key{std::string(ref.namespace_name(route.object->namespace_name())),
                         std::string(ref.name())};
      const auto found = left_out.find(key);
      // Nothing is told of what the route may not refer to.
      if (found == left_out.end() ||
          backend_problem(objects, route.kind, route.object->namespace_name(), ref))
        continue;
      const k8s::Service service(objects.find("", "Service", key.namespace_name, key.name)->json());
      for (const k8s::ServicePort& port : service.ports()) {
        if (port.port() != *ref.port() || port.protocol() != protocol) continue;
        for (const LeftOutEndpoint& one : found->second) {
          if (one.port_name != port.name() || one.protocol != port.protocol()) continue;
          const bool is_six = one.address.find(':') != std::string::npos;
          std::string word = "endpoint " + (is_six ? "[" + one.address + "]" : one.address) + ":" +
                             std::to_string(one.port) + " of Service " + printable(key.to_string()) +
                             " is left out: " + one.why;
          if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
        }
      }
    }
  }
  if (words.size() > most_named) {
    const std::size_t more = words.size() - most_named;
    words.resize(most_named);
    words.push_back("and " + std::to_string(more) + " more");
  }
  return join(words, "; ");
}

}  // namespace fairway::gateway
