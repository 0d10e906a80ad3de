// SPDX-License-Identifier: Apache-2.0

// Keys of release metadata that change edges, as in Cincinnati and in raw/metadata.json of graph data.
#pragma once

#include <string_view>

namespace fairway::graph::metadata_key {

// Comma-separated lists of versions.
inline constexpr std::string_view previous_add = "io.openshift.upgrades.graph.previous.add";
inline constexpr std::string_view next_add = "io.openshift.upgrades.graph.next.add";
inline constexpr std::string_view previous_remove = "io.openshift.upgrades.graph.previous.remove";
inline constexpr std::string_view next_remove = "io.openshift.upgrades.graph.next.remove";
/// The key of a regular expression that is searched in `version+arch` of the sources.
inline constexpr std::string_view previous_remove_regex = "io.openshift.upgrades.graph.previous.remove_regex";

/// Returns whether a key changes edges, here or possibly in a newer update service.
constexpr bool is_operation(std::string_view key) {
  return key.starts_with("io.openshift.upgrades.graph.previous.") ||
         key.starts_with("io.openshift.upgrades.graph.next.");
}

/// Returns whether a key looks like one that changes edges or describes the graph, but is not known.
constexpr bool is_unknown(std::string_view key) {
  constexpr std::string_view prefix = "io.openshift.upgrades.graph.";
  return key.starts_with(prefix) && !key.starts_with("io.openshift.upgrades.graph.release.") &&
         key != previous_add && key != next_add && key != previous_remove && key != next_remove &&
         key != previous_remove_regex;
}

constexpr bool is_version_list(std::string_view key) {
  return key == previous_add || key == next_add || key == previous_remove || key == next_remove;
}

}  // namespace fairway::graph::metadata_key
