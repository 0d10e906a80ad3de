// SPDX-License-Identifier: Apache-2.0

#include "graphdata/raw_metadata.h"

#include <unordered_map>

#include "base/json.h"
#include "base/json_unambiguous.h"
#include "base/text.h"
#include "graph/metadata_keys.h"
#include "graphdata/internal/budget.h"
#include "graphdata/internal/lenient_target.h"
#include "graphdata/internal/limits.h"

namespace fairway::graphdata {

namespace {

namespace metadata_key = graph::metadata_key;
using Edges = graph::MetadataFault::Edges;

constexpr const char* shape = R"(write {"VERSION":{"KEY":"TEXT"}})";

/// Returns the edges of a release that a key may remove, whatever its value; nothing if it removes none.
std::optional<Edges> removed_by(std::string_view key, const Version& version) {
  if (!metadata_key::is_operation(key) || key == metadata_key::previous_add || key == metadata_key::next_add)
    return std::nullopt;
  const bool is_next = key.starts_with("io.openshift.upgrades.graph.next.");
  return Edges{.version = version, .into = !is_next, .out_of = is_next};
}

/// The keys of a mapping that could also be read as YAML; empty if it could not.
class Keys {
 public:
  explicit Keys(const yaml::Node* mapping) {
    if (mapping == nullptr) return;
    for (const yaml::Entry& entry : mapping->entries) {
      if (!entry.key.is_scalar()) continue;
      const auto [known, is_new] = keys_.emplace(entry.key.scalar, Key{&entry});
      known->second.twice = !is_new;
    }
  }

  graph::Place place(std::string_view key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? graph::Place{.file = raw_metadata_path}
                                : place_at(raw_metadata_path, found->second.entry->key.mark);
  }
  bool twice(std::string_view key) const {
    const auto found = keys_.find(key);
    return found != keys_.end() && found->second.twice;
  }
  const yaml::Node* value(std::string_view key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? nullptr : &found->second.entry->value;
  }

 private:
  struct Key {
    const yaml::Entry* entry = nullptr;
    bool twice = false;
  };
  std::unordered_map<std::string_view, Key> keys_;
};

class MetadataReader {
 public:
  explicit MetadataReader(Budget& budget) : budget_(budget) {}

  RawMetadata read(const std::string& text) {
    if (text.size() > max_metadata_bytes) {
      misunderstood({.rule = "raw-metadata",
                     .place = {.file = raw_metadata_path, .line = 1, .column = 1},
                     .message = "it has more than " + std::to_string(max_metadata_bytes) + " bytes",
                     .fix = "leave out what is not needed"},
                    Edges{});
      return std::move(out_);
    }
    // JSON is YAML, whose reader knows where things stand and sees what stands there twice.
    auto parsed = budget_.parse(text);
    const bool has_places = parsed && parsed->documents.size() == 1;
    if (has_places) root_ = std::move(parsed->documents.front());
    const Result<json::Value> document = has_places ? json::parse(text) : json::parse_unambiguous(text);
    if (!document || !document->is_object()) {
      misunderstood(
          {.rule = "raw-metadata",
           .place = {.file = raw_metadata_path, .line = 1, .column = 1},
           .message = document ? "it is not an object" : "it is not JSON: " + document.error().message,
           .fix = shape},
          Edges{});
      return std::move(out_);
    }
    const Keys versions(&root_);
    for (const auto& [version, entries] : document->get_object()) {
      if (!budget_.check()) break;  // load() gives it back as its error
      read_version(version, entries, versions);
      if (out_.misunderstood.size() > max_metadata_faults) return all_misunderstood();
    }
    return std::move(out_);
  }

 private:
  void misunderstood(Fault fault, std::optional<Edges> edges) {
    out_.misunderstood.push_back({std::move(fault), std::move(edges)});
  }

  RawMetadata all_misunderstood() {
    out_ = {};
    misunderstood(
        {.rule = "raw-metadata",
         .place = {.file = raw_metadata_path, .line = 1, .column = 1},
         .message = "more than " + std::to_string(max_metadata_faults) + " of its entries are not understood",
         .fix = shape},
        Edges{});
    return std::move(out_);
  }

  void read_version(std::string_view text, const json::Value& entries, const Keys& versions) {
    const graph::Place place = versions.place(text);
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
    if (versions.twice(text)) {
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
    const Keys keys(versions.value(text));
    for (const auto& [key, value] : entries.get_object()) {
      const bool twice = keys.twice(key);
      if (!value.is_string() || twice) {
        misunderstood(
            {.rule = "raw-metadata",
             .place = keys.place(key),
             .text = printable(key),
             .message = twice ? "this key stands here twice" : "the value of this key is not a text",
             .fix = twice ? "keep one of them" : "put it in quotes"},
            removed_by(key, *version));
      } else {
        read_value(std::string(text), *version, key, value.get_string(), keys.place(key));
      }
    }
  }

  void read_value(const std::string& text, const Version& version, std::string_view key,
                  std::string_view value, const graph::Place& place) {
    std::string& entry = out_.entries[text][std::string(key)];
    entry = value;
    if (metadata_key::is_operation(key) || metadata_key::is_unknown(key))
      out_.places[text][std::string(key)] = place;
    if (!metadata_key::is_operation(key)) return;
    if (key == metadata_key::previous_remove_regex) {
      // One that is broken is the builder's business; one that costs too much must not get there.
      const Result<Pattern>& pattern = budget_.compile(std::string(value));
      if (pattern || pattern.error().code != ErrorCode::too_large) return;
      out_.entries[text].erase(std::string(key));
      misunderstood({.rule = "raw-metadata",
                     .place = place,
                     .text = printable(value),
                     .message = pattern.error().message,
                     .fix = "write a shorter expression"},
                    removed_by(key, version));
      return;
    }
    std::vector<std::string> versions;
    for (const std::string_view item : split(value, ',')) {
      if (trim(item).empty()) continue;
      if (out_.misunderstood.size() > max_metadata_faults) break;
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

  Budget& budget_;
  yaml::Node root_;
  RawMetadata out_;
};

}  // namespace

RawMetadata read_raw_metadata(const Files& files, Budget& budget) {
  const auto file = files.find(raw_metadata_path);
  return file == files.end() ? RawMetadata{} : MetadataReader(budget).read(file->second);
}

}  // namespace fairway::graphdata
