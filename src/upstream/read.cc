// SPDX-License-Identifier: Apache-2.0

#include "upstream/read.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace fairway::upstream {

namespace {

constexpr std::size_t max_channels = 100'000;
/// Largest list of channels: in memory a value takes many times its bytes.
constexpr std::size_t max_list_bytes = std::size_t{16} << 20;
constexpr std::size_t max_problems = 1'000;

/// Returns whether a text lists no nodes at all; an answer of which nothing could be read must not count as
/// such.
bool lists_no_nodes(std::string_view text) {
  const auto document = json::parse(text);
  const json::Value* nodes = document ? json::find(*document, "nodes") : nullptr;
  return nodes != nullptr && nodes->is_array() && nodes->as_array().empty();
}

}  // namespace

Result<graph::ReadGraph> read_graph(std::string_view text, const std::string& source,
                                    std::string_view channel, std::string_view arch) {
  return read_graph(text, source, channel, arch, graph::RisksWithoutRules::match_always);
}

Result<graph::ReadGraph> read_graph(std::string_view text, const std::string& source,
                                    std::string_view channel, std::string_view arch,
                                    graph::RisksWithoutRules without_rules) {
  auto read = graph::read_cincinnati_json(text, source, without_rules);
  if (!read || !read->graph.nodes.empty()) return read;
  if (!lists_no_nodes(text)) {
    return fail(ErrorCode::invalid,
                "reading the update graph from " + source +
                    ": the answer has no list of `nodes`, or none in it that can be read: "
                    "this is no update graph");
  }
  const std::string asked(channel);
  read->problems.push_back({.kind = graph::problem_kind::upstream,
                            .place = {.file = source},
                            .message = "the update service at " + source + " knows no release in channel " +
                                       asked + " for " + std::string(arch) +
                                       "; so it adds nothing. Are both spelled right?",
                            .channels = {asked},
                            .versions = {}});
  return read;
}

Result<ChannelList> read_channels(std::string_view text, const std::string& source) {
  const std::string doing = "reading the list of channels from " + source;
  if (text.size() > max_list_bytes) {
    return fail(ErrorCode::too_large, doing + ": " + std::to_string(text.size()) +
                                          " bytes are more than the " + std::to_string(max_list_bytes) +
                                          " that are read");
  }
  const auto document = json::parse(text);
  if (!document) return fail(document.error().within(doing));
  const json::Value* channels = json::find(*document, "channels");
  if (channels == nullptr || !channels->is_object()) {
    return fail(ErrorCode::invalid, doing + ": there is no object `channels`: this is no list of channels");
  }
  if (channels->as_object().size() > max_channels) {
    return fail(ErrorCode::too_large,
                doing + ": more than " + std::to_string(max_channels) + " channels are not read");
  }
  ChannelList list;
  const auto add_problem = [&](const std::string& name, const std::string& what) {
    if (list.problems.size() == max_problems) return;
    list.problems.push_back(
        {.kind = graph::problem_kind::upstream,
         .place = {.file = source},
         .message = "channel " + printable(name) + ": " + what + "; it is listed without a description",
         .channels = {name},
         .versions = {}});
  };
  for (const auto& [key, entry] : channels->as_object()) {
    Channel channel{.name = std::string(key), .description = {}};
    const json::Value* description = json::find(entry, "description");
    if (!entry.is_object()) {
      add_problem(channel.name, "it is no object");
    } else if (description != nullptr && !description->is_string()) {
      add_problem(channel.name, "its `description` is no text");
    } else if (description != nullptr) {
      channel.description = std::string(description->as_string());
    }
    list.channels.push_back(std::move(channel));
  }
  std::ranges::sort(list.channels, {}, &Channel::name);
  return list;
}

}  // namespace fairway::upstream
