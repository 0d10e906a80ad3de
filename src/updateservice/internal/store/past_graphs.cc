// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/store/past_graphs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "updateservice/internal/store/packing.h"

namespace fairway::updateservice {
namespace {

struct Entry {
  std::string_view arch, channel;
  PrivateChannels::RuleIndex rule;
  const std::vector<PastGraph>* past = nullptr;
  bool gone = false;
  std::size_t builds = 0;
  std::size_t kept = 0;  ///< number of the newest bodies that are written
};

std::vector<Entry> entries_of(const Responses& responses) {
  std::vector<Entry> entries;
  for (const auto& [arch, channels] : responses.graphs) {
    for (const auto& [channel, graph] : channels)
      entries.push_back({.arch = arch, .channel = channel, .rule = graph.rule, .past = graph.past.get()});
  }
  for (const auto& [arch, channels] : responses.gone) {
    for (const auto& [channel, graph] : channels) {
      entries.push_back({.arch = arch,
                         .channel = channel,
                         .rule = graph.rule,
                         .past = graph.past.get(),
                         .gone = true,
                         .builds = graph.builds});
    }
  }
  std::erase_if(entries, [](const Entry& entry) { return !entry.past || entry.past->empty(); });
  return entries;
}

/// Chooses the bodies to write: the newest of each graph first, then those before them.
void choose(std::vector<Entry>& entries, std::size_t limit) {
  std::size_t bytes = 0;
  for (std::size_t age = 0; age < builds_kept; ++age) {
    for (Entry& entry : entries) {
      if (age >= entry.past->size()) continue;
      const PastGraph& graph = (*entry.past)[entry.past->size() - 1 - age];
      bytes += graph.hash.size() + graph.gzip->size();
      if (bytes > limit) return;
      entry.kept = age + 1;
    }
  }
}

struct Restored {
  std::string arch, channel;
  PrivateChannels::RuleIndex rule;
  bool gone = false;
  std::size_t builds = 0;
  PastGraphs past;
};

}  // namespace

std::string pack_past(const Responses& responses, std::size_t limit) {
  std::vector<Entry> entries = entries_of(responses);
  choose(entries, limit);
  Packer out;
  out.list(entries, [&](const Entry& entry) {
    out.text(entry.arch);
    out.text(entry.channel);
    out.number(entry.rule ? *entry.rule + 1 : 0);
    out.number(entry.gone ? 1 : 0);
    out.number(entry.builds);
    out.number(entry.kept);
    for (auto graph = entry.past->end() - static_cast<std::ptrdiff_t>(entry.kept); graph != entry.past->end();
         ++graph) {
      out.text(graph->hash);
      out.text(*graph->gzip);
    }
  });
  return out.take();
}

bool unpack_past(std::string_view bytes, Responses& responses) {
  std::vector<Restored> restored;
  Unpacker in(bytes);
  in.list([&] {
    Restored& graph = restored.emplace_back();
    graph.arch = in.text();
    graph.channel = in.text();
    if (const std::uint64_t rule = in.number(); rule > 0) graph.rule = rule - 1;
    graph.gone = in.number() == 1;
    graph.builds = in.number();
    std::vector<PastGraph> past;
    in.list([&] {
      std::string hash(in.text());
      past.push_back({std::move(hash), http::make_bytes(std::string(in.text()))});
    });
    graph.past = std::make_shared<const std::vector<PastGraph>>(std::move(past));
  });
  if (!in.complete()) return false;
  for (Restored& graph : restored) {
    // Another build may have been served since these were written: who may see them is decided anew.
    if (graph.rule != responses.rules->rule_of(graph.channel)) continue;
    if (graph.gone) {
      responses.gone[graph.arch].emplace(graph.channel,
                                         GoneGraph{graph.rule, std::move(graph.past), graph.builds});
      continue;
    }
    const auto channels = responses.graphs.find(graph.arch);
    if (channels == responses.graphs.end()) continue;
    const auto served = channels->second.find(graph.channel);
    if (served != channels->second.end()) served->second.past = std::move(graph.past);
  }
  return true;
}

}  // namespace fairway::updateservice
