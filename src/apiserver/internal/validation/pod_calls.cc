// SPDX-License-Identifier: Apache-2.0

// The names that the containers of a Pod can resolve.
#include <array>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/pod_facts.h"

namespace fairway::apiserver::validation {
namespace {

void check_searches(const Scope& config) {
  constexpr std::size_t most = 32, longest = 2048;
  const auto searches = config.texts("searches");
  if (searches.size() > most)
    config.invalid("searches", config.value("searches"), "must not have more than 32 search paths");
  std::size_t size = searches.empty() ? 0 : searches.size() - 1;
  for (const std::string_view search : searches) size += search.size();
  if (size > longest) {
    config.invalid("searches", config.value("searches"),
                   "must not have more than 2048 characters (including spaces) in the search list");
  }
  const Path path = config.path().child("searches");
  std::size_t index = 0;
  for (std::string_view search : searches) {
    const Path item = path.item(index++);
    if (search == ".") continue;
    if (search.ends_with('.')) search.remove_suffix(1);
    add_faults(config.errors(), item, search, check_underscore_domain(search));
  }
}

void check_dns_config(const Scope& spec) {
  const Scope config = spec.child("dnsConfig");
  const auto servers = config.texts("nameservers");
  if (spec.text("dnsPolicy") == "None") {
    if (!spec.has("dnsConfig")) {
      spec.required("dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (servers.empty()) {
      config.required("nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None");
      return;
    }
  }
  if (!spec.has("dnsConfig")) return;
  constexpr std::size_t most = 3;
  if (servers.size() > most)
    config.invalid("nameservers", config.value("nameservers"), "must not have more than 3 nameservers");
  const Path path = config.path().child("nameservers");
  std::size_t index = 0;
  for (const std::string_view server : servers)
    add_faults(config.errors(), path.item(index++), server, check_ip(server));
  check_searches(config);
  config.each("options", [](const Scope& option, std::size_t) {
    if (option.text("name").empty()) option.required(".", "must not be empty");
  });
}

constexpr std::array calls{NamedCall{"dns_config", &check_dns_config}};

}  // namespace

std::span<const NamedCall> pod_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
