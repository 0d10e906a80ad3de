#include "updateservice/published_files.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "base/yaml.h"
#include "http/compress.h"

namespace fairway::updateservice {
namespace {

constexpr std::string_view signatures_folder = "signatures/";

/// YAML without its comments: JSON is YAML, and every scalar stays the text that it was.
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

/// The only document of a file without duplicate keys; null for any other text.
json::Value bare_document(const std::string& text) {
  auto parsed = yaml::parse(text);
  if (!parsed || parsed->documents.size() != 1 || !parsed->duplicate_keys.empty()) return nullptr;
  return bare(parsed->documents.front());
}

class Filter {
 public:
  Filter(const graph::Snapshot& snapshot, const graph::Visibility& visible,
         const std::function<bool(std::string_view)>& name_visible)
      : snapshot_(snapshot), visible_(visible), name_visible_(name_visible) {
    for (const graph::ChannelData& channel : snapshot.graph_data.channels) {
      if (channel.feeder && !name_visible(channel.feeder->name)) hidden_names_.insert(channel.feeder->name);
      channels_[channel.place.file] = &channel;
    }
    for (std::size_t i = 0; i < snapshot.channels.size(); ++i) {
      if (!visible[i]) hidden_names_.insert(snapshot.channels[i].name);
    }
    for (const graph::Block& block : snapshot.graph_data.blocks) blocks_[block.file].push_back(&block);
  }

  bool hides_nothing() const { return hidden_names_.empty(); }

  /// What is left of a file; nothing where it is left out.
  std::optional<std::string> apply(const std::string& path, const std::string& text) const {
    if (path == "version" || path == "LICENSE") return text;
    if (path.starts_with(signatures_folder)) return apply_to_signature(path, text);
    if (path == "raw/metadata.json") return apply_to_metadata(text);
    if (const auto channel = channels_.find(path); channel != channels_.end()) {
      return apply_to_channel(*channel->second, text);
    }
    if (const auto blocks = blocks_.find(path); blocks != blocks_.end())
      return apply_to_blocks(blocks->second, text);
    return std::nullopt;
  }

 private:
  bool channel_visible(const graph::ChannelData& channel) const {
    const auto index = snapshot_.find_channel(channel.name);
    return index ? visible_[*index] : name_visible_(channel.name);
  }

  bool version_visible(std::string_view version) const {
    return snapshot_.version_visible(version, visible_);
  }

  bool mentions_hidden(const std::string& text) const {
    return std::ranges::any_of(
        hidden_names_, [&text](const std::string& name) { return text.find(name) != std::string::npos; });
  }

  std::optional<std::string> apply_to_channel(const graph::ChannelData& channel,
                                              const std::string& text) const {
    if (!channel_visible(channel)) return std::nullopt;
    const bool hidden_feeder = channel.feeder && hidden_names_.contains(channel.feeder->name);
    if (!hidden_feeder && !mentions_hidden(text)) return text;
    json::Value document = bare_document(text);
    if (!document.is_object()) return std::nullopt;
    if (hidden_feeder) document.as_object().erase("feeder");
    return json::to_pretty_text(document);
  }

  std::optional<std::string> apply_to_blocks(const std::vector<const graph::Block*>& blocks,
                                             const std::string& text) const {
    std::string targets;
    bool all = true;
    for (const graph::Block* block : blocks) {
      if (!version_visible(block->to.to_string())) {
        all = false;
      } else {
        targets += "---\nto: " + block->to.to_string() + "\n";
      }
    }
    if (targets.empty()) return std::nullopt;
    if (all && !mentions_hidden(text)) return text;
    const json::Value document = all ? bare_document(text) : json::Value(nullptr);
    // A file that is not understood stays one that is not understood: without `from` it is broken in any
    // case.
    return document.is_object() ? json::to_pretty_text(document) : targets;
  }

  std::optional<std::string> apply_to_metadata(const std::string& text) const {
    const auto document = json::parse(text);
    if (!document || !document->is_object()) return std::nullopt;
    json::Object left;
    for (const auto& [version, values] : document->as_object()) {
      if (!version_visible(std::string_view(version)) || !values.is_object()) continue;
      json::Object entry;
      for (const auto& [key, value] : values.as_object()) {
        if (!value.is_string()) {
          entry[key] = value;
        } else if (auto left_of = visible_metadata(key, value.as_string(), snapshot_, visible_)) {
          entry[key] = *left_of;
        }
      }
      left[version] = std::move(entry);
    }
    return json::to_pretty_text(left);
  }

  std::optional<std::string> apply_to_signature(const std::string& path, const std::string& text) const {
    const std::string digest = digest_of_signature(std::string_view(path).substr(signatures_folder.size()));
    if (digest.empty() || digest_hidden(digest, snapshot_, visible_)) return std::nullopt;
    return text;
  }

  const graph::Snapshot& snapshot_;
  const graph::Visibility& visible_;
  const std::function<bool(std::string_view)>& name_visible_;
  std::map<std::string, const graph::ChannelData*, std::less<>> channels_;
  std::map<std::string, std::vector<const graph::Block*>, std::less<>> blocks_;
  std::set<std::string> hidden_names_;
};

struct FreeArchive {
  void operator()(archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};

la_ssize_t append_to_string(archive*, void* out, const void* bytes, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

}  // namespace

std::optional<std::string> visible_metadata(std::string_view key, std::string_view value,
                                            const graph::Snapshot& snapshot,
                                            const graph::Visibility& visible) {
  static constexpr std::array<std::string_view, 4> version_lists{
      "io.openshift.upgrades.graph.previous.add", "io.openshift.upgrades.graph.previous.remove",
      "io.openshift.upgrades.graph.next.add", "io.openshift.upgrades.graph.next.remove"};
  if (std::ranges::find(version_lists, key) == version_lists.end()) return std::string(value);
  std::vector<std::string> left;
  for (const std::string_view version : split(value, ',')) {
    if (snapshot.version_visible(trim(version), visible)) left.emplace_back(version);
  }
  if (left.empty()) return std::nullopt;
  return join(left, ",");
}

graphdata::Files visible_files(const graphdata::Files& files, const graph::Snapshot& snapshot,
                               const graph::Visibility& visible,
                               const std::function<bool(std::string_view)>& name_visible) {
  const Filter filter(snapshot, visible, name_visible);
  if (filter.hides_nothing()) return files;
  graphdata::Files left;
  for (const auto& [path, text] : files) {
    if (auto kept = filter.apply(path, text)) left.emplace(path, std::move(*kept));
  }
  return left;
}

std::string make_archive(const graphdata::Files& files) {
  std::string tar;
  const std::unique_ptr<archive, FreeArchive> writer(archive_write_new());
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  if (!writer || !entry) throw std::bad_alloc();
  archive_write_set_format_pax_restricted(writer.get());
  archive_write_open(writer.get(), &tar, nullptr, append_to_string, nullptr);
  for (const auto& [path, text] : files) {
    archive_entry_clear(entry.get());
    archive_entry_set_pathname(entry.get(), path.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
    archive_entry_set_mtime(entry.get(), 0, 0);
    archive_write_header(writer.get(), entry.get());
    archive_write_data(writer.get(), text.data(), text.size());
  }
  archive_write_close(writer.get());
  return http::gzip(tar);
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

bool digest_hidden(std::string_view digest, const graph::Snapshot& snapshot,
                   const graph::Visibility& visible) {
  bool known = false;
  for (const graph::Architecture& architecture : snapshot.architectures) {
    for (const graph::SnapshotRelease& release : architecture.releases) {
      if (!release.payload.ends_with(digest)) continue;
      if (snapshot.version_visible(release.text, visible)) return false;
      known = true;
    }
  }
  return known;
}

}  // namespace fairway::updateservice
