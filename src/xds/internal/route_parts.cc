// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/route_parts.h"

#include <cstdint>

#include "base/digest.h"
#include "base/protobuf_wire.h"

namespace fairway::xds {

namespace {

// envoy.config.route.v3, by the numbers of its fields.
constexpr std::uint32_t hosts_field = 2, host_name_field = 1, host_domains_field = 2, routes_field = 3,
                        match_field = 1, safe_regex_field = 10, regex_field = 2;
/// Route.direct_response with a status of 500.
constexpr std::string_view fails{"\x3a\x03\x08\xf4\x03", 5};
/// Digits of a hash in the id of a part.
constexpr std::size_t id_digits = 16;

std::string id_of(std::string_view kind, std::string_view bytes) {
  Sha256 hash;
  hash.update(kind);
  hash.update(bytes);
  return hash.hex().substr(0, id_digits);
}

std::optional<HostPart> split_host(std::string_view bytes) {
  HostPart host;
  for (wire::Reader fields(bytes); !fields.at_end();) {
    const auto field = fields.next();
    if (!field) return std::nullopt;
    if (field->number == routes_field) {
      host.routes.push_back({.bytes = field->bytes, .id = id_of_route(field->bytes)});
      continue;
    }
    if (field->number == host_name_field) host.name = field->bytes;
    host.shell += field->whole;
  }
  host.id = id_of("host", host.shell);
  return host;
}

}  // namespace

std::optional<RouteParts> split_routes(std::string_view configuration) {
  RouteParts parts;
  for (wire::Reader fields(configuration); !fields.at_end();) {
    const auto field = fields.next();
    if (!field) return std::nullopt;
    if (field->number != hosts_field) {
      parts.rest += field->whole;
      continue;
    }
    auto host = split_host(field->bytes);
    if (!host) return std::nullopt;
    parts.hosts.push_back(*std::move(host));
  }
  return parts;
}

std::string failing_route(std::string_view route) {
  std::string failing;
  for (wire::Reader fields(route); !fields.at_end();) {
    const auto field = fields.next();
    if (!field) break;
    if (field->number == match_field) failing += field->whole;
  }
  return failing + std::string(fails);
}

std::string id_of_route(std::string_view route) {
  return id_of("route", route);
}

void append_host(std::string& configuration, std::string_view shell,
                 const std::vector<std::string_view>& routes) {
  std::string host(shell);
  for (const std::string_view route : routes) wire::append_bytes(host, routes_field, route);
  wire::append_bytes(configuration, hosts_field, host);
}

std::string host_shell(std::string_view name) {
  std::string shell;
  wire::append_bytes(shell, host_name_field, name);
  wire::append_bytes(shell, host_domains_field, name);
  return shell;
}

std::string refused_route(std::string_view expression) {
  std::string regex, match, route;
  wire::append_bytes(regex, regex_field, expression);
  wire::append_bytes(match, safe_regex_field, regex);
  wire::append_bytes(route, match_field, match);
  return route + std::string(fails);
}

}  // namespace fairway::xds
