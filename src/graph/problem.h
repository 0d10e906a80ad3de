// SPDX-License-Identifier: Apache-2.0

// Input that was not understood or left out: its position, and the effect on the graph.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::graph {

/// A place in an input: a file (relative to its source, e.g. "blocked-edges/4.7.4-x.yaml") or an image's pull
/// spec. Line and column count from 1; 0 is unknown.
struct Place {
  std::string file = {};
  int line = 0;
  int column = 0;
  /// "file:line:column", as far as known.
  std::string to_string() const;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Kinds of problems: stable identifiers, for grep and metric labels.
namespace problem_kind {
inline constexpr const char* blocked_edge_not_understood = "blocked-edge-not-understood";
inline constexpr const char* risk_bodies_differ = "risk-bodies-differ";
inline constexpr const char* graph_data = "graph-data";  ///< other errors in graph data
inline constexpr const char* graph_data_refused =
    "graph-data-refused";  ///< the data is refused as a whole; the last good version stays
inline constexpr const char* release_left_out = "release-left-out";  ///< an invalid image or list
                                                                     ///< entry
inline constexpr const char* release_without_image = "release-without-image";
inline constexpr const char* duplicate_version = "duplicate-version";
inline constexpr const char* edge_left_out = "edge-left-out";  ///< cycles, self edges, too permissive
                                                               ///< edges
inline constexpr const char* upstream = "upstream";            ///< an upstream's reply, partly not understood
inline constexpr const char* source_unavailable = "source-unavailable";
/// New rules, descriptions, certificates or source settings that are invalid; the old ones stay in use.
inline constexpr const char* reload_refused = "reload-refused";
/// A refresh that would lift too many blocks at once: the updates that it opens stay closed.
inline constexpr const char* widening_held = "widening-held";
/// A version that was served is offered with another image: the old one stays.
inline constexpr const char* payload_conflict = "payload-conflict";
/// A blocked-edges file whose `to` or `from` meets no update.
inline constexpr const char* block_meets_nothing = "block-meets-nothing";
/// A removal of raw/metadata.json that meets no update, or a key there that is not known.
inline constexpr const char* metadata_meets_nothing = "metadata-meets-nothing";
/// A rule for private channels that matches no channel: a typo leaves a channel public.
inline constexpr const char* private_rule_unused = "private-rule-unused";
/// The served graph was taken with nothing to compare it with: whether it opens too much is unknown.
inline constexpr const char* graph_not_compared = "graph-not-compared";
/// The last good graph cannot be written to --data.
inline constexpr const char* graph_not_kept = "graph-not-kept";

/// All kinds.
inline constexpr std::array<std::string_view, 18> all{blocked_edge_not_understood,
                                                      risk_bodies_differ,
                                                      graph_data,
                                                      graph_data_refused,
                                                      release_left_out,
                                                      release_without_image,
                                                      duplicate_version,
                                                      edge_left_out,
                                                      upstream,
                                                      source_unavailable,
                                                      reload_refused,
                                                      widening_held,
                                                      payload_conflict,
                                                      block_meets_nothing,
                                                      metadata_meets_nothing,
                                                      private_rule_unused,
                                                      graph_not_compared,
                                                      graph_not_kept};
}  // namespace problem_kind

struct Problem {
  std::string kind = {};
  Place place = {};
  /// Text that says what is wrong, its effect, and what to do.
  std::string message = {};
  /// Channels and versions that the problem names or affects: a client that may not see them may not see the
  /// problem. A version affected on one architecture only has that as its build metadata.
  std::vector<std::string> channels = {};
  std::vector<std::string> versions = {};
  /// Replaces `message` for clients with a restricted view, if `message` may quote anything. Empty: the same.
  /// (For problems of a service, not of a source: it is not stored on disk.)
  std::string public_message = {};

  /// {"kind","file"?,"line"?,"column"?,"message"}
  json::Object to_json() const;
};

}  // namespace fairway::graph
