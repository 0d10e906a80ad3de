#include "graphdata/raw_metadata.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "graph/metadata_keys.h"
#include "graphdata/internal/lenient_target.h"

namespace fairway::graphdata {

namespace {

namespace metadata_key = graph::metadata_key;
using Edges = graph::MetadataFault::Edges;

constexpr const char* shape = R"(write {"VERSION":{"KEY":"TEXT"}})";

/// Which edges of a release a key may remove, whatever its value; nothing where it removes none.
std::optional<Edges> removed_by(std::string_view key, const Version& version) {
  if (!metadata_key::is_operation(key) || key == metadata_key::previous_add || key == metadata_key::next_add)
    return std::nullopt;
  const bool is_next = key.starts_with("io.openshift.upgrades.graph.next.");
  return Edges{.version = version, .into = !is_next, .out_of = is_next};
}

class MetadataReader {
 public:
  RawMetadata read(const std::string& text) {
    // JSON is YAML, whose reader knows where things stand and sees what stands there twice.
    if (auto parsed = yaml::parse(text); parsed && parsed->documents.size() == 1)
      root_ = std::move(parsed->documents.front());
    const Result<json::Value> document = json::parse(text);
    if (!document || !document->is_object()) {
      misunderstood(
          {.rule = "raw-metadata",
           .place = {.file = raw_metadata_path, .line = 1, .column = 1},
           .message = document ? "it is not an object" : "it is not JSON: " + document.error().message,
           .fix = shape},
          Edges{});
      return std::move(out_);
    }
    for (const auto& [version, entries] : document->get_object()) read_version(version, entries);
    return std::move(out_);
  }

 private:
  void misunderstood(Fault fault, std::optional<Edges> edges) {
    out_.misunderstood.push_back({std::move(fault), std::move(edges)});
  }

  /// Where a key of a mapping stands that was read as YAML, too; the file where it was not.
  static graph::Place place_of(const yaml::Node* mapping, std::string_view key) {
    const yaml::Entry* entry = mapping == nullptr ? nullptr : find_entry(*mapping, key);
    return entry == nullptr ? graph::Place{.file = raw_metadata_path}
                            : place_at(raw_metadata_path, entry->key.mark);
  }

  static bool stands_twice(const yaml::Node* mapping, std::string_view key) {
    if (mapping == nullptr) return false;
    return std::ranges::count_if(mapping->entries, [&](const yaml::Entry& entry) {
             return entry.key.is_scalar() && entry.key.scalar == key;
           }) > 1;
  }

  void read_version(std::string_view text, const json::Value& entries) {
    const graph::Place place = place_of(&root_, text);
    const Result<Version> parsed = Version::parse(text);
    const std::optional<Version> version = parsed ? *parsed : recover_version(text);
    if (!parsed) {
      misunderstood({.rule = version ? "raw-metadata" : "metadata-version",
                     .place = place,
                     .text = printable(text),
                     .message = "this is not a semantic version",
                     .fix = version ? "write " + version->to_string() : "write a version, like 4.7.4"},
                    version ? std::optional(Edges{.version = version}) : std::nullopt);
      return;
    }
    if (stands_twice(&root_, text)) {
      misunderstood({.rule = "raw-metadata",
                     .place = place,
                     .text = printable(text),
                     .message = "this version stands here twice",
                     .fix = "put all of its metadata into one object"},
                    Edges{.version = version});
      return;
    }
    if (!entries.is_object()) {
      misunderstood({.rule = "raw-metadata",
                     .place = place,
                     .text = printable(text),
                     .message = "what stands under this version is not an object",
                     .fix = shape},
                    Edges{.version = version});
      return;
    }
    const yaml::Node* mapping = root_.find(text);
    for (const auto& [key, value] : entries.get_object()) {
      const bool twice = stands_twice(mapping, key);
      if (!value.is_string() || twice) {
        misunderstood(
            {.rule = "raw-metadata",
             .place = place_of(mapping, key),
             .text = printable(key),
             .message = twice ? "this key stands here twice" : "the value of this key is not a text",
             .fix = twice ? "keep one of them" : "put it in quotes"},
            removed_by(key, *version));
      } else {
        read_value(std::string(text), *version, key, value.get_string(), place_of(mapping, key));
      }
    }
  }

  void read_value(const std::string& text, const Version& version, std::string_view key,
                  std::string_view value, const graph::Place& place) {
    std::string& entry = out_.entries[text][std::string(key)];
    entry = value;
    if (!metadata_key::is_operation(key) || key == metadata_key::previous_remove_regex) return;
    std::vector<std::string> versions;
    for (const std::string_view item : split(value, ',')) {
      if (trim(item).empty()) continue;
      if (Version::parse(trim(item))) {
        versions.emplace_back(item);
        continue;
      }
      misunderstood({.rule = "raw-metadata",
                     .place = place,
                     .text = printable(item),
                     .message = "this key holds versions between commas, and one of them is none",
                     .fix = "write versions as releases have them, like 4.7.4"},
                    removed_by(key, version));
    }
    entry = join(versions, ",");
  }

  yaml::Node root_;
  RawMetadata out_;
};

}  // namespace

RawMetadata read_raw_metadata(const Files& files) {
  const auto file = files.find(raw_metadata_path);
  return file == files.end() ? RawMetadata{} : MetadataReader().read(file->second);
}

}  // namespace fairway::graphdata
