// What was not understood or left out, where it stands, and what that did to the graph.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::graph {

/// A place in an input: a file (relative to its source, e.g. "blocked-edges/4.7.4-x.yaml") or an image's pull
/// spec. Line and column count from 1; 0 means not known.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  /// "file:line:column", as far as known.
  std::string to_string() const;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Kinds of problems: stable words that people grep for and metrics count by.
namespace problem_kind {
inline constexpr const char* blocked_edge_not_understood = "blocked-edge-not-understood";
inline constexpr const char* risk_bodies_differ = "risk-bodies-differ";
inline constexpr const char* graph_data = "graph-data";  ///< anything else graph data gets wrong
inline constexpr const char* graph_data_refused =
    "graph-data-refused";  ///< refused as a whole; the last good stays
inline constexpr const char* release_left_out = "release-left-out";  ///< a bad image or release-list entry
inline constexpr const char* release_without_image = "release-without-image";
inline constexpr const char* duplicate_version = "duplicate-version";
inline constexpr const char* edge_left_out = "edge-left-out";  ///< cycles, self edges, edges that would widen
inline constexpr const char* upstream = "upstream";  ///< an upstream's answer, in part not understood
inline constexpr const char* source_unavailable = "source-unavailable";
/// New rules, descriptions, certificates or settings of sources that cannot be used; the old ones stay.
inline constexpr const char* reload_refused = "reload-refused";

/// All of them.
inline constexpr std::array<std::string_view, 11> all{
    blocked_edge_not_understood, risk_bodies_differ, graph_data,
    graph_data_refused,          release_left_out,   release_without_image,
    duplicate_version,           edge_left_out,      upstream,
    source_unavailable,          reload_refused};
}  // namespace problem_kind

struct Problem {
  std::string kind;
  Place place;
  /// What is wrong, what that does, what to do.
  std::string message;
  /// Channels and versions that the text or its effect concerns: who may not see them may not see the
  /// problem. A version that it concerns on one architecture only has that as its build text.
  std::vector<std::string> channels;
  std::vector<std::string> versions;
  /// What those are told instead from whom something may be hidden, where `message` may quote anything.
  /// Empty: the same. (For problems of a service, not of a source: it is not kept on disk.)
  std::string public_message = {};

  /// {"kind","file"?,"line"?,"column"?,"message"}
  json::Object to_json() const;
};

}  // namespace fairway::graph
