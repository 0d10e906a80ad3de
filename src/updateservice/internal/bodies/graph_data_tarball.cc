// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/bodies/graph_data_tarball.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "base/json.h"
#include "base/yaml.h"
#include "graph/snapshot.h"
#include "graphdata/raw_metadata.h"
#include "http/compress.h"
#include "oci/tar_writer.h"

namespace fairway::updateservice {
namespace {

constexpr std::string_view signatures_folder = "signatures/";

/// Returns YAML without its comments: JSON is YAML, and every scalar keeps its text.
json::Value bare(const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Node::Kind::scalar:
      return json::Value(node.scalar);
    case yaml::Node::Kind::sequence: {
      json::Array items;
      for (const yaml::Node& item : node.items) items.push_back(bare(item));
      return items;
    }
    case yaml::Node::Kind::mapping: {
      json::Object entries;
      for (const auto& [key, value] : node.entries) entries[key.scalar] = bare(value);
      return entries;
    }
    case yaml::Node::Kind::null:
      break;
  }
  return nullptr;
}

/// Returns the only document of a file without duplicate keys; null for any other text.
json::Value bare_document(const std::string& text) {
  auto parsed = yaml::parse(text);
  if (!parsed || parsed->documents.size() != 1 || !parsed->duplicate_keys.empty()) return nullptr;
  return bare(parsed->documents.front());
}

class Filter {
 public:
  explicit Filter(const graph::View& view) : view_(view) {
    for (const graph::ChannelData& channel : view.snapshot().graph_data->channels) {
      channels_[channel.place.file] = &channel;
      // A channel may have several files.
      for (const graph::ChannelVersion& version : channel.versions) channels_[version.place.file] = &channel;
    }
    for (const graph::Block& block : view.snapshot().graph_data->blocks)
      blocks_[block.file].push_back(&block);
  }

  /// Returns the visible content of a file; nothing if it is left out.
  std::optional<std::string> apply(const std::string& path, const std::string& text) {
    if (path == "version") return text;
    if (path == "LICENSE") return view_.mentions_hidden(text) ? std::nullopt : std::optional(text);
    if (path.starts_with(signatures_folder)) return apply_to_signature(path, text);
    if (path == graphdata::raw_metadata_path) return apply_to_metadata(text);
    if (const auto channel = channels_.find(path); channel != channels_.end()) {
      return apply_to_channel(*channel->second, text);
    }
    if (const auto blocks = blocks_.find(path); blocks != blocks_.end())
      return apply_to_blocks(blocks->second, text);
    return std::nullopt;
  }

 private:
  /// Redacts an expression with the view. Results are cached: many files share an expression, and it takes a
  /// while.
  const std::optional<std::string>& redact(const Pattern& pattern) {
    const auto known = expressions_.find(pattern.text());
    return known != expressions_.end()
               ? known->second
               : expressions_.emplace(pattern.text(), view_.redact(pattern)).first->second;
  }

  bool mentions_hidden(std::string_view key, const json::Value& value) const {
    return view_.mentions_hidden(key) || view_.mentions_hidden(json::to_text(value));
  }

  std::optional<std::string> apply_to_channel(const graph::ChannelData& channel,
                                              const std::string& text) const {
    if (!view_.sees_channel(channel.name)) return std::nullopt;
    const json::Value document = bare_document(text);
    if (!document.is_object()) return std::nullopt;
    if (!mentions_hidden(text, document)) return text;
    json::Object left;
    for (const auto& [key, value] : document.as_object()) {
      if (key == "description" && value.is_string()) {
        left[key] = view_.redact(value.as_string());
      } else if (key == "name" || key == "versions" || key == "tombstones" || !mentions_hidden(key, value)) {
        // The versions that a channel lists are no secret. Its feeder only says where they come from.
        left[key] = value;
      }
    }
    return json::to_pretty_text(left);
  }

  std::optional<std::string> apply_to_blocks(const std::vector<const graph::Block*>& blocks,
                                             const std::string& text) {
    std::vector<const graph::Block*> shown;
    std::ranges::copy_if(blocks, std::back_inserter(shown), [this](const graph::Block* block) {
      return view_.sees_version(block->to.to_string());
    });
    if (shown.empty()) return std::nullopt;
    if (shown.front()->effect != graph::Block::Effect::not_understood) {
      return apply_to_block(*shown.front(), text, shown.size() == blocks.size());
    }
    // Without escapes it says what is seen.
    if (shown.size() == blocks.size() && !view_.mentions_hidden(text) && text.find('\\') == std::string::npos)
      return text;
    // A file that is not understood stays one that is not understood: without `from` it is broken in any
    // case.
    std::string targets;
    for (const graph::Block* block : shown) targets += "---\nto: " + block->to.to_string() + "\n";
    return targets;
  }

  std::optional<std::string> apply_to_block(const graph::Block& block, const std::string& text, bool whole) {
    const std::optional<std::string>& from = redact(*block.from);
    // Its sources are in no channel that is left.
    if (!from) return std::nullopt;
    const json::Value document = bare_document(text);
    if (whole && *from == block.from->text() && !view_.mentions_hidden(block.risk) &&
        !mentions_hidden(text, document))
      return text;
    json::Object left{{"to", block.to.to_string()}, {"from", *from}};
    if (block.effect == graph::Block::Effect::conditional) {
      graph::Risk risk = view_.redact(block.risk);
      left["url"] = risk.url;
      left["name"] = risk.name;
      left["message"] = risk.message;
      left["matchingRules"] = std::move(risk.matching_rules);
    }
    static constexpr std::array<std::string_view, 6> understood{"to",   "from",    "url",
                                                                "name", "message", "matchingRules"};
    if (document.is_object()) {
      for (const auto& [key, value] : document.as_object()) {
        if (std::ranges::find(understood, std::string_view(key)) == understood.end() &&
            !mentions_hidden(key, value))
          left[key] = value;
      }
    }
    return json::to_pretty_text(left);
  }

  std::string apply_to_metadata(const std::string& text) const {
    const graph::GraphData& data = *view_.snapshot().graph_data;
    json::Object left;
    for (const auto& [version, values] : data.raw_metadata) {
      if (!view_.sees_version(version)) continue;
      json::Object entry;
      for (const auto& [key, value] : values) {
        if (auto redacted = view_.redact_metadata(key, value)) entry[key] = *redacted;
      }
      left[version] = std::move(entry);
    }
    // Metadata that is not understood stays so.
    for (const graph::MetadataFault& fault : data.metadata_faults) {
      if (!fault.edges.version) return view_.mentions_hidden(text) ? "withheld" : text;
      const std::string version = fault.edges.version->to_string();
      if (view_.sees_version(version)) left[version] = nullptr;
    }
    return json::to_pretty_text(left);
  }

  std::optional<std::string> apply_to_signature(const std::string& path, const std::string& text) const {
    const std::string digest = digest_of_signature(std::string_view(path).substr(signatures_folder.size()));
    if (digest.empty() || digest_hidden(digest, view_)) return std::nullopt;
    return text;
  }

  const graph::View& view_;
  std::map<std::string, const graph::ChannelData*, std::less<>> channels_;
  std::map<std::string, std::vector<const graph::Block*>, std::less<>> blocks_;
  std::map<std::string, std::optional<std::string>, std::less<>> expressions_;
};

}  // namespace

graphdata::Files visible_files(const graphdata::Files& files, const graph::View& view) {
  if (view.hides_nothing()) return files;
  Filter filter(view);
  graphdata::Files left;
  for (const auto& [path, text] : files) {
    if (auto kept = filter.apply(path, text)) left.emplace(view.redact_path(path), std::move(*kept));
  }
  return left;
}

std::string make_archive(const graphdata::Files& files) {
  return http::gzip(oci::make_tar(files));
}

std::string digest_of_signature(std::string_view path) {
  const std::size_t last = path.rfind('/');
  if (last == std::string_view::npos) return {};
  std::string digest(path.substr(0, last));
  const std::size_t separator = digest.find_first_of("=/");
  if (separator == std::string::npos || digest.find_first_of("=/", separator + 1) != std::string::npos)
    return {};
  digest[separator] = ':';
  return digest;
}

bool digest_hidden(std::string_view digest, const graph::View& view) {
  bool known = false;
  for (const graph::Architecture& architecture : view.snapshot().architectures) {
    for (const graph::SnapshotRelease& release : architecture.releases) {
      if (!release.payload.ends_with(digest)) continue;
      if (view.sees_version(release.text, architecture.name)) return false;
      known = true;
    }
  }
  return known;
}

}  // namespace fairway::updateservice
