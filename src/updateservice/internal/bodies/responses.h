// SPDX-License-Identifier: Apache-2.0

// The responses that are served without computing: the graphs of all channels and the documents of every
// audience. A value, never changed once made; render.h makes it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/snapshot.h"
#include "updateservice/internal/bodies/document.h"
#include "updateservice/internal/bodies/private_channels.h"

namespace fairway::updateservice {

/// Media types of graphs, in the order of Document's index; without an Accept header the vendor type is sent.
inline constexpr std::size_t graph_vendor_type = 0, graph_json_type = 1;
inline constexpr std::string_view graph_vendor_type_name = "application/vnd.redhat.cincinnati.v1+json";
/// Media types of the channel list; without an Accept header application/json is sent.
inline constexpr std::size_t channels_json_type = 0, channels_vendor_type = 1;
inline constexpr std::string_view channels_vendor_type_name =
    "application/vnd.redhat.cincinnati.channels.v1+json";

/// Number of earlier bodies of each graph that are kept for /changes; those of a graph that is gone are kept
/// for as many builds.
inline constexpr std::size_t builds_kept = 50;
/// Most compressed bytes of the earlier bodies of graphs that are gone, all together; those gone longest are
/// dropped first.
inline constexpr std::size_t gone_bytes_kept = std::size_t{32} << 20;

/// An earlier body of a graph.
struct PastGraph {
  std::string hash;
  http::Bytes gzip;
};
using PastGraphs = std::shared_ptr<const std::vector<PastGraph>>;

struct GraphResponse {
  std::shared_ptr<const Document> document;
  PrivateChannels::RuleIndex rule;  ///< rule that hides it; nothing for a public channel
  PastGraphs past;                  ///< earlier bodies, oldest first; without the present one
};

/// A graph that is no longer there: its channel or its architecture has vanished.
struct GoneGraph {
  PrivateChannels::RuleIndex rule;
  PastGraphs past;         ///< earlier bodies, oldest first; the last one was served before it vanished
  std::size_t builds = 0;  ///< number of builds since then
};

/// Documents that one audience is served beside graphs.
struct AudienceDocuments {
  std::shared_ptr<const Document> channels;
  std::shared_ptr<const Document> problems;
  std::shared_ptr<const Document> graph_data;  ///< the tarball
};

/// Hash that allows lookups by string_view in maps of strings, without making a string.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

/// Returns the entry of an architecture and a channel; null if there is none.
template <class T>
const T* find_in(const TextMap<TextMap<T>>& map, std::string_view arch, std::string_view channel) {
  const auto channels = map.find(arch);
  if (channels == map.end()) return nullptr;
  const auto found = channels->second.find(channel);
  return found == channels->second.end() ? nullptr : &found->second;
}

struct Responses {
  std::shared_ptr<const PrivateChannels> rules;
  TextMap<TextMap<GraphResponse>> graphs;    ///< graphs with nodes, by architecture and channel
  GraphResponse unknown;                     ///< the empty graph, for all other channels and architectures
  TextMap<TextMap<GoneGraph>> gone;          ///< graphs that are gone, by architecture and channel
  std::vector<AudienceDocuments> audiences;  ///< one for each of the rules' audiences
  /// Views of each audience of the snapshot that this was made of, for computed answers; none if it comes
  /// from disk.
  std::vector<std::shared_ptr<const graph::View>> views;

  /// Returns the graph that an audience is served; `unknown` for channels that it may not see.
  const GraphResponse& find(std::string_view arch, std::string_view channel, AudienceIndex audience) const;
  /// Returns the earlier bodies of the graph that `find` returns, also if it is gone.
  const PastGraphs& find_past(std::string_view arch, std::string_view channel, AudienceIndex audience) const;
  /// Returns whether every document is the same as in `other`, so that no client is served anything new.
  bool same_content(const Responses& other) const;
  /// Returns the bytes of all bodies, plain and compressed.
  std::size_t bytes() const;
};

/// Caching rules of replies: bodies that credentials opened are private, and with rules every reply depends
/// on the caller.
struct CachePolicy {
  std::chrono::seconds max_age{60};
  bool rules = false;
  std::string cache_control(bool is_private) const;
  std::string vary() const;
  DocumentHeaders graph(bool is_private) const;
  DocumentHeaders channels(bool is_private) const;
  DocumentHeaders json(bool is_private) const;
  DocumentHeaders archive(bool is_private) const;
};

/// Returns responses without any graph, to be filled (by a build, or from disk): rules, and the empty graph
/// of unknown channels.
Responses empty_responses(std::shared_ptr<const PrivateChannels> rules, const CachePolicy& policy);

}  // namespace fairway::updateservice
