// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/shards.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "gateway/internal/model/reserved_names.h"
#include "gateway/internal/translation/envoy_json.h"
#include "gateway/internal/translation/envoy_listeners.h"
#include "gateway/internal/translation/route_tables.h"

namespace fairway::gateway {

namespace {

/// A character that no name of a Gateway or of a listener has.
constexpr char mark = '~';
constexpr std::string_view lua_filter = "envoy.filters.http.lua";
/// Constants of a hostname's hash, small enough for Lua, whose numbers are floating-point.
constexpr std::size_t prime = 65'521, factor = 31;
static_assert(shard_count == 64, "the filter has the number as well");
/// Digits of a hash that identify a table.
constexpr std::size_t collection_digits = 32;
constexpr std::string_view wild = "wild";

std::string_view name_of(const xds::VirtualHost& host) {
  return host->at("name").get_string();
}

bool is_exact(std::string_view hostname) {
  return !hostname.starts_with('*');
}

/// Returns "NAME#~", the beginning of the names of a table's shards.
std::string prefix_of(std::string_view table) {
  return std::string(table) + (table.find('#') == std::string_view::npos ? "#" : "") + mark;
}

std::string digits(std::size_t shard) {
  return std::to_string(100 + shard).substr(1);
}

/// Returns the virtual host for all names that are not in the shard. Its metadata tells the filter so.
xds::VirtualHost elsewhere() {
  static const xds::VirtualHost made = std::make_shared<const json::Object>(json::Object{
      {"name", "*"},
      {"domains", json::Array{"*"}},
      {"routes",
       json::Array{json::Object{
           {"match", json::Object{{"prefix", "/"}}},
           {"direct_response", json::Object{{"status", 404}}},
           {"metadata", json::Object{{"filter_metadata",
                                      json::Object{{lua_filter, json::Object{{"elsewhere", true}}}}}}}}}}});
  return made;
}

/// Returns the name of the collection of a table's scopes, in characters that a URL may have.
std::string collection_of(std::string_view table) {
  return "xdstp://fairway/envoy.config.route.v3.ScopedRouteConfiguration/" +
         sha256_hex(table).substr(0, collection_digits) + "/";
}

/// Lua filter that chooses the shard by the hostname without its port. An exact hostname has precedence over
/// those with a wildcard, whatever its routes match: only requests without an exact hostname are passed on.
/// No hostname of an object is longer than 253 characters, so the filter does not hash longer ones that
/// clients send. It is the same for all tables, and contains nothing of an object.
constexpr std::string_view chooser = R"(function envoy_on_request(handle)
  local headers = handle:headers()
  local host = string.match(headers:get(":authority") or "", "^[^:]*")
  if #host > 253 then
    headers:replace("x-fairway-shard", "wild")
    handle:clearRouteCache()
    return
  end
  host = string.lower(host)
  local hash = 0
  for i = 1, #host do hash = (hash * 31 + string.byte(host, i)) % 65521 end
  headers:replace("x-fairway-shard", string.format("%02d", hash % 64))
  handle:clearRouteCache()
  if handle:metadata():get("elsewhere") then headers:replace("x-fairway-shard", "wild") end
end
)";

void use_shards(json::Value& value, const std::string& table);

void use_shards_in(json::Object& object, const std::string& table) {
  const json::Value* rds = object.if_contains("rds");
  if (rds != nullptr && rds->at("route_config_name").as_string() == table) {
    object.erase("rds");
    object["scoped_routes"] = json::Object{
        {"name", "fairway"},
        {"scope_key_builder",
         json::Object{
             {"fragments", json::Array{json::Object{{"header_value_extractor",
                                                     json::Object{{"name", shard_header}, {"index", 0}}}}}}}},
        {"rds_config_source", by_ads()},
        {"scoped_rds", json::Object{{"scoped_rds_config_source", by_ads()},
                                    {"srds_resources_locator", collection_of(table) + "*"}}}};
    // Before anything is made of the request.
    object["early_header_mutation_extensions"] =
        json::Array{extension("envoy.http.early_header_mutation.header_mutation",
                              "envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation",
                              {{"mutations", json::Array{json::Object{{"remove", shard_header}}}}})};
    json::Array& filters = object.at("http_filters").get_array();
    filters.insert(filters.begin(),
                   extension(lua_filter, "envoy.extensions.filters.http.lua.v3.Lua",
                             {{"default_source_code", json::Object{{"inline_string", chooser}}}}));
    return;
  }
  for (auto&& member : object) use_shards(member.value(), table);
}

void use_shards(json::Value& value, const std::string& table) {
  if (value.is_array()) {
    for (json::Value& one : value.get_array()) use_shards(one, table);
  } else if (value.is_object()) {
    use_shards_in(value.get_object(), table);
  }
}

}  // namespace

bool is_sharded(const xds::Resource& table) {
  std::size_t exact = 0;
  for (const xds::VirtualHost& host : table.hosts()) {
    // Virtual hosts of other listeners (421) change only together with those listeners.
    if (is_exact(name_of(host)) && !is_misdirected(*host) && ++exact >= least_sharded) return true;
  }
  return false;
}

std::size_t shard_of(std::string_view hostname) {
  std::size_t hash = 0;
  for (const char c : hostname) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    hash = (hash * factor + static_cast<unsigned char>(is_upper ? c - 'A' + 'a' : c)) % prime;
  }
  return hash % shard_count;
}

std::map<std::string, xds::Resource> shards_of(const std::string& name, const xds::Resource& table) {
  std::vector<std::vector<xds::VirtualHost>> exact(shard_count);
  std::vector<xds::VirtualHost> others;
  for (const xds::VirtualHost& host : table.hosts()) {
    const std::string_view hostname = name_of(host);
    (is_exact(hostname) ? exact[shard_of(hostname)] : others).push_back(host);
  }
  const std::string prefix = prefix_of(name);
  std::map<std::string, xds::Resource> shards;
  const auto add = [&](std::string_view shard, std::vector<xds::VirtualHost> hosts) {
    json::Object rest = table.rest();
    rest["name"] = prefix + std::string(shard);
    rest["request_headers_to_remove"] = json::Array{shard_header};
    shards.emplace(prefix + std::string(shard), xds::Resource(std::move(rest), std::move(hosts)));
  };
  for (std::size_t shard = 0; shard < shard_count; ++shard) {
    exact[shard].push_back(elsewhere());
    add(digits(shard), std::move(exact[shard]));
  }
  add(wild, std::move(others));
  return shards;
}

std::map<std::string, json::Object> scopes_of(const std::string& name) {
  std::map<std::string, json::Object> scopes;
  const std::string prefix = prefix_of(name), collection = collection_of(name);
  const auto add = [&](const std::string& shard) {
    const std::string scope = collection + shard;
    const json::Object key{{"fragments", json::Array{json::Object{{"string_key", shard}}}}};
    scopes.emplace(scope,
                   json::Object{{"name", scope}, {"route_configuration_name", prefix + shard}, {"key", key}});
  };
  for (std::size_t shard = 0; shard < shard_count; ++shard) add(digits(shard));
  add(std::string(wild));
  return scopes;
}

std::string_view table_of(std::string_view name) {
  const std::size_t at = name.rfind(mark);
  if (at == std::string_view::npos) return name;
  name = name.substr(0, at);
  if (name.ends_with('#')) name.remove_suffix(1);
  return name;
}

void use_shards(json::Object& listener, const std::string& table) {
  use_shards_in(listener, table);
  // Another configuration than that without shards.
  if (listener.contains("metadata")) add_configuration(listener);
}

}  // namespace fairway::gateway
