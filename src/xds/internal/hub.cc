// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/hub.h"

#include <algorithm>
#include <utility>

namespace fairway::xds {

Hub::Hub(std::shared_ptr<const EnvoyApi> api, ServerOptions options)
    : api_(std::move(api)), options_(std::move(options)), encoder_(api_), begun_(clock().now()) {
  if (!options_.has_others) expected_.emplace();
}

void Hub::set(const Resources& resources) {
  std::shared_ptr<const Snapshot> before;
  {
    const std::scoped_lock lock(mutex_);
    before = snapshot_;
  }
  // Only one thread sets; the streams go on meanwhile.
  auto next = std::make_shared<Snapshot>();
  std::map<ResourceName, std::string> invalid;
  for (const auto& [name, resource] : resources) {
    const auto old = before ? before->of(name.type).find(name.name) : Snapshot::Of::const_iterator{};
    const bool is_there = before && old != before->of(name.type).end();
    const auto add = [&](std::shared_ptr<const EncodedResource> one) {
      next->of(name.type).emplace_hint(next->of(name.type).end(), name.name, std::move(one));
    };
    if (is_there && old->second->source.is(resource) &&
        old->second->source.is_left_over == resource.is_left_over) {
      encoder_.keep(name);
      add(old->second);
      continue;
    }
    std::string version = encoder_.version_of(name, resource);
    if (is_there && old->second->version == version) {
      add(std::make_shared<EncodedResource>(std::move(version), old->second->bytes, resource));
      continue;
    }
    auto bytes = encoder_.encode(name, resource);
    if (bytes) {
      add(std::make_shared<EncodedResource>(std::move(version), *std::move(bytes), resource));
      continue;
    }
    invalid.emplace(name, bytes.error().message);
    if (is_there) next->of(name.type).emplace(name.name, old->second);
  }
  encoder_.forget_others();
  const std::scoped_lock lock(mutex_);
  snapshot_ = std::move(next);
  invalid_ = std::move(invalid);
  for (Client* client : clients_) client->pump(*snapshot_);
}

void Hub::add_parts(const std::vector<RefusedPart>& parts, Acknowledgement& all) {
  for (const RefusedPart& part : parts) {
    const auto place = std::ranges::lower_bound(all.parts, part);
    const auto is_there = [&](auto at) { return at->host == part.host && at->route == part.route; };
    // Of several Envoys one tells why.
    const bool is_known =
        (place != all.parts.end() && is_there(place)) || (place != all.parts.begin() && is_there(place - 1));
    if (!is_known) all.parts.insert(place, part);
  }
}

Acknowledgement Hub::acknowledgement_here(const ResourceName& name) const {
  using enum Acknowledgement::State;
  Acknowledgement all{.state = acknowledged};
  bool is_anybody_here = false;
  for (const Client* client : clients_) {
    if (client->node.empty()) continue;
    is_anybody_here = true;
    Acknowledgement one = client->discovery.acknowledgement(*snapshot_, name);
    if (one.state == refused) return one;
    if (one.state == pending) all.state = pending;
    add_parts(one.parts, all);
  }
  if (!is_anybody_here) return {.state = unconnected};
  if (!leases_.empty()) all.state = pending;
  return all;
}

void Hub::add_heard(const ResourceName& name, const Report& report, Acknowledgement& all) const {
  using enum Acknowledgement::State;
  if (!report.has_envoys) return;
  const EncodedResource* resource = snapshot_->find(name.type, name.name);
  const auto found = report.said.find(name);
  if (resource == nullptr || found == report.said.end() || found->second.version != resource->version) {
    all.state = pending;
  } else if (found->second.refusal) {
    all = {.state = refused, .message = *found->second.refusal};
  } else {
    // One that has left this server still counts.
    if (all.state == unconnected) all.state = leases_.empty() ? acknowledged : pending;
    add_parts(found->second.parts, all);
  }
}

Acknowledgement Hub::acknowledgement(const ResourceName& name) const {
  using enum Acknowledgement::State;
  const std::scoped_lock lock(mutex_);
  if (const auto found = invalid_.find(name); found != invalid_.end())
    return {.state = refused, .message = found->second};
  if (!snapshot_) return {.state = pending};
  expire();
  Acknowledgement all = acknowledgement_here(name);
  for (const auto& [server, report] : heard_) {
    if (all.state == refused) return all;
    add_heard(name, report, all);
  }
  const auto is_silent = [&](const std::string& server) { return !heard_.contains(server); };
  if (all.state != refused && (!expected_ || std::ranges::any_of(*expected_, is_silent))) all.state = pending;
  return all;
}

Report Hub::report() const {
  using enum Acknowledgement::State;
  const std::scoped_lock lock(mutex_);
  expire();
  Report report;
  report.has_envoys = !leases_.empty() || std::ranges::any_of(clients_, [](const Client* client) {
    return !client->node.empty();
  });
  if (!snapshot_) return report;
  for (const Type type : types) {
    for (const auto& [name, resource] : snapshot_->of(type)) {
      ResourceName full{type, name};
      Acknowledgement one = acknowledgement_here(full);
      if (one.state == acknowledged) {
        report.said.emplace(std::move(full),
                            Ack{.version = resource->version, .parts = std::move(one.parts)});
      } else if (one.state == refused) {
        report.said.emplace(std::move(full),
                            Ack{.version = resource->version, .refusal = std::move(one.message)});
      }
    }
  }
  return report;
}

void Hub::set_peers(std::set<std::string> servers) {
  {
    const std::scoped_lock lock(mutex_);
    if (expected_ == servers) return;
    expected_ = std::move(servers);
  }
  if (options_.on_change) options_.on_change();
}

void Hub::update_peer_report(const std::string& server, std::optional<Report> report) {
  {
    const std::scoped_lock lock(mutex_);
    if (!report) {
      if (heard_.erase(server) == 0) return;
    } else {
      heard_.insert_or_assign(server, *std::move(report));
    }
  }
  if (options_.on_change) options_.on_change();
}

std::uint64_t Hub::session() const {
  const std::scoped_lock lock(mutex_);
  return session_;
}

std::size_t Hub::connected() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(clients_, [](const Client* client) { return !client->node.empty(); }));
}

std::size_t Hub::served(Type type) const {
  const std::scoped_lock lock(mutex_);
  return snapshot_ ? snapshot_->of(type).size() : 0;
}

std::set<std::string> Hub::asked_for(Type type) const {
  const std::scoped_lock lock(mutex_);
  std::set<std::string> names;
  for (const Client* client : clients_) {
    const auto& asked = client->discovery.asked_for(type);
    names.insert(asked.begin(), asked.end());
  }
  return names;
}

void Hub::expire() const {
  std::erase_if(leases_, [now = clock().steady()](const auto& lease) { return lease.second <= now; });
}

std::optional<std::chrono::nanoseconds> Hub::next_lease_end() const {
  const std::scoped_lock lock(mutex_);
  expire();
  if (leases_.empty()) return std::nullopt;
  const auto first = std::ranges::min_element(leases_, {}, [](const auto& lease) { return lease.second; });
  return first->second - clock().steady();
}

DeltaStream Hub::new_stream() {
  const std::scoped_lock lock(mutex_);
  return DeltaStream(refused_parts_, std::to_string(begun_.time_since_epoch().count()) + "-" +
                                         std::to_string(++streams_) + "-");
}

void Hub::joined(Client& client) {
  const std::scoped_lock lock(mutex_);
  clients_.insert(&client);
  if (is_closed_) client.close();
}

void Hub::close() {
  const std::scoped_lock lock(mutex_);
  is_closed_ = true;
  for (Client* client : clients_) client->close();
}

void Hub::left(Client& client) {
  {
    const std::scoped_lock lock(mutex_);
    if (clients_.erase(&client) == 0) return;
    const bool is_elsewhere =
        std::ranges::any_of(clients_, [&](const Client* other) { return other->node == client.node; });
    if (!client.node.empty()) ++session_;
    if (!client.node.empty() && !is_elsewhere) leases_[client.node] = clock().steady() + options_.lease;
  }
  if (options_.on_change) options_.on_change();
}

Result<void> Hub::received(Client& client, std::string_view bytes) {
  auto request = read_request(*api_, bytes);
  if (!request) return fail(request.error());
  if (const auto type = type_of(request->type_url); type && request->refusal && options_.on_refusal)
    options_.on_refusal(*type);
  {
    const std::scoped_lock lock(mutex_);
    if (client.node.empty()) {
      if (request->node.empty())
        return fail(ErrorCode::invalid,
                    "the first request of a stream must have node.id; start Envoy with one");
      client.node = request->node;
      ++session_;
      leases_.erase(client.node);
    }
    client.discovery.receive(*request);
    if (snapshot_) client.pump(*snapshot_);
  }
  if (options_.on_change) options_.on_change();
  return {};
}

void Hub::ready(Client& client, const std::function<void()>& under_lock) {
  const std::scoped_lock lock(mutex_);
  under_lock();
  if (snapshot_ && clients_.contains(&client)) client.pump(*snapshot_);
}

}  // namespace fairway::xds
