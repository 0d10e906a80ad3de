// How much graph data is taken at most, so that a broken or hostile source costs little.
#pragma once

#include <cstddef>
#include <string_view>

#include "graphdata/load.h"

namespace fairway::graphdata {

inline constexpr std::size_t max_total_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_yaml_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_files = 50'000;
/// Deepest nesting of one matching rule. Served graphs wrap rules in six more levels, and readers of JSON
/// (ours too) stop at 64.
inline constexpr int max_rule_depth = 32;

/// Whether a file's name ends as YAML's do.
bool is_yaml(std::string_view path);

/// An Error where files, however they were fetched, exceed the limits, or have names that are not UTF-8.
Result<void> check_limits(const Files& files);

}  // namespace fairway::graphdata
