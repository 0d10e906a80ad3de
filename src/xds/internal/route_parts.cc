#include "xds/internal/route_parts.h"

#include <cstdint>

#include "base/digest.h"
#include "xds/internal/wire.h"

namespace fairway::xds {

namespace {

// envoy.config.route.v3, by the numbers of its fields.
constexpr std::uint64_t hosts_field = 2, host_name_field = 1, host_domains_field = 2, routes_field = 3,
                        match_field = 1, safe_regex_field = 10, regex_field = 2;
/// Route.direct_response with a status of 500.
constexpr std::string_view fails{"\x3a\x03\x08\xf4\x03", 5};
/// How many digits of a hash name a part.
constexpr std::size_t id_digits = 16;

std::string id_of(std::string_view kind, std::string_view bytes) {
  Sha256 hash;
  hash.update(kind);
  hash.update(bytes);
  return hash.hex().substr(0, id_digits);
}

std::optional<HostPart> split_host(std::string_view bytes) {
  HostPart host;
  for (WireFields fields(bytes); !fields.is_at_end();) {
    const auto field = fields.next();
    if (!field) return std::nullopt;
    if (field->number == routes_field) {
      host.routes.push_back({.bytes = field->value, .id = id_of_route(field->value)});
      continue;
    }
    if (field->number == host_name_field) host.name = field->value;
    host.shell += field->whole;
  }
  host.id = id_of("host", host.shell);
  return host;
}

}  // namespace

std::optional<RouteParts> split_routes(std::string_view configuration) {
  RouteParts parts;
  for (WireFields fields(configuration); !fields.is_at_end();) {
    const auto field = fields.next();
    if (!field) return std::nullopt;
    if (field->number != hosts_field) {
      parts.rest += field->whole;
      continue;
    }
    auto host = split_host(field->value);
    if (!host) return std::nullopt;
    parts.hosts.push_back(*std::move(host));
  }
  return parts;
}

std::string failing_route(std::string_view route) {
  std::string failing;
  for (WireFields fields(route); !fields.is_at_end();) {
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
  for (const std::string_view route : routes) append_wire_field(host, routes_field, route);
  append_wire_field(configuration, hosts_field, host);
}

std::string host_shell(std::string_view name) {
  std::string shell;
  append_wire_field(shell, host_name_field, name);
  append_wire_field(shell, host_domains_field, name);
  return shell;
}

std::string refused_route(std::string_view expression) {
  std::string regex, match, route;
  append_wire_field(regex, regex_field, expression);
  append_wire_field(match, safe_regex_field, regex);
  append_wire_field(route, match_field, match);
  return route + std::string(fails);
}

}  // namespace fairway::xds
