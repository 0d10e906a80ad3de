// RouteConfigurations with many virtual hosts, served in shards: a change of a route costs its shard alone.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// How many exact hostnames of its own a table has at the least that is served in shards. It is a property of
/// the objects, and of nothing else: replicas decide alike.
constexpr std::size_t least_sharded = 256;
constexpr std::size_t shard_count = 64;

/// Returns whether a RouteConfiguration is served in shards.
bool is_sharded(const xds::Resource& table);
/// The shard of an exact hostname; the filter that chooses it says the same.
std::size_t shard_of(std::string_view hostname);
/// The RouteConfigurations of a table by their names, `NAME#~07`: each has the exact hostnames of a shard.
/// The hostnames with a wildcard are in another, `NAME#~wild`, to which those shards send what they lack.
std::map<std::string, xds::Resource> shards_of(const std::string& name, const xds::Resource& table);
/// The scopes that lead to them, by their names.
std::map<std::string, json::Object> scopes_of(const std::string& name);
/// The table that a name is a shard of; itself, if it is none.
std::string_view table_of(std::string_view name);

/// Has the listener choose among the shards of a table, where it names the table.
void use_shards(json::Object& listener, const std::string& table);

}  // namespace fairway::gateway
