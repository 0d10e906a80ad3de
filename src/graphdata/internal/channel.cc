// SPDX-License-Identifier: Apache-2.0

#include "graphdata/internal/channel.h"

#include <algorithm>

#include "base/text.h"
#include "graphdata/load.h"

namespace fairway::graphdata {

namespace {

using yaml::Entry;
using Kind = yaml::Node::Kind;

class ChannelReader {
 public:
  ChannelReader(ChannelFile& out, Budget& budget) : out_(out), budget_(budget) {}

  void read(const std::string& text) {
    std::expected<yaml::Parsed, yaml::SyntaxError> parsed = budget_.parse(text);
    if (!parsed) {
      refuse("yaml-syntax", place_at(out_.file, parsed.error().mark),
             "this is not YAML: " + parsed.error().message, "fix the syntax, or remove the file");
      return;
    }
    out_.parsed = std::move(*parsed);
    const std::vector<yaml::Node>& documents = out_.parsed.documents;
    for (const yaml::DuplicateKey& key : out_.parsed.duplicate_keys) {
      refuse("duplicate-key", place_at(out_.file, key.repeated),
             "this key stands here and on line " + std::to_string(key.first.line) + " as well",
             "keep one of them", key.key);
    }
    if (documents.size() > 1) {
      refuse("several-documents", place_at(out_.file, documents[1].mark),
             "a second YAML document begins here",
             "write each channel into a file of its own, without '---'");
    }
    if (documents.empty() || documents.front().kind != Kind::mapping) {
      refuse("not-a-mapping", {.file = out_.file, .line = 1, .column = 1},
             "the file holds " +
                 std::string(documents.empty() ? "nothing" : describe(documents.front().kind)) +
                 ", not a mapping with 'name' and 'versions'",
             "write 'name: CHANNEL' and 'versions:' with a list");
      return;
    }
    read_mapping(documents.front());
  }

 private:
  void refuse(std::string rule, graph::Place place, std::string message, std::string fix,
              std::string_view text = {}) {
    out_.faults.push_back({.rule = std::move(rule),
                           .place = std::move(place),
                           .text = printable(text),
                           .message = std::move(message),
                           .fix = std::move(fix)});
  }

  void record(std::string rule, graph::Place place, std::string message, std::string fix,
              std::string_view text = {}) {
    out_.notes.push_back({.rule = std::move(rule),
                          .place = std::move(place),
                          .text = printable(text),
                          .message = std::move(message),
                          .fix = std::move(fix)});
  }

  void read_mapping(const yaml::Node& mapping) {
    graph::ChannelData& channel = out_.channel;
    channel.name = read_text(mapping, "name", "channel-name");
    channel.description = read_text(mapping, "description", "channel-description");
    if (const Entry* name = find_entry(mapping, "name")) channel.place = place_of_value(out_.file, *name);
    if (channel.name.empty()) {
      const Entry* name = find_entry(mapping, "name");
      if (name == nullptr || name->value.is_scalar() || name->value.kind == Kind::null) {
        refuse("channel-name", name == nullptr ? place_at(out_.file, mapping.mark) : channel.place,
               "the channel has no name", "write 'name: CHANNEL'");
      }
    }
    if (const Entry* versions = find_entry(mapping, "versions")) {
      channel.versions = read_versions(*versions);
    } else {
      refuse("channel-versions", place_at(out_.file, mapping.mark), "there are no 'versions'",
             "write 'versions:' with a list; '[]' for none");
    }
    if (const Entry* tombstones = find_entry(mapping, "tombstones");
        tombstones != nullptr && tombstones->value.kind != Kind::null) {
      channel.tombstones = read_versions(*tombstones);
    }
    if (const Entry* feeder = find_entry(mapping, "feeder");
        feeder != nullptr && feeder->value.kind != Kind::null) {
      read_feeder(*feeder);
    }
  }

  std::string read_text(const yaml::Node& mapping, std::string_view key, std::string rule) {
    const Entry* entry = find_entry(mapping, key);
    if (entry == nullptr || entry->value.kind == Kind::null) return {};
    if (entry->value.is_scalar()) return entry->value.scalar;
    refuse(std::move(rule), place_of_value(out_.file, *entry),
           "'" + std::string(key) + "' is " + std::string(describe(entry->value.kind)) + ", not a text",
           "write '" + std::string(key) + ": TEXT'");
    return {};
  }

  std::vector<graph::ChannelVersion> read_versions(const Entry& entry) {
    const auto& [key, value] = entry;
    std::vector<graph::ChannelVersion> versions;
    if (value.kind != Kind::sequence) {
      refuse("channel-versions", place_of_value(out_.file, entry),
             "'" + key.scalar + "' is " + std::string(describe(value.kind)) + ", not a list of versions",
             "write a list, one '- VERSION' a line; '[]' for none");
      return versions;
    }
    versions.reserve(value.items.size());
    for (const yaml::Node& item : value.items) {
      graph::Place place = place_at(out_.file, item.mark);
      if (!item.is_scalar()) {
        refuse("channel-version", std::move(place),
               "this is " + std::string(describe(item.kind)) + ", not a version",
               "write a version, like 4.7.4");
        continue;
      }
      Result<Version> version = Version::parse(item.scalar);
      if (!version) {
        refuse("channel-version", std::move(place), version.error().message,
               "write a version, like 4.7.4 or, for one architecture, 4.7.4+amd64", item.scalar);
        continue;
      }
      versions.push_back({.version = std::move(*version), .place = std::move(place)});
    }
    return versions;
  }

  void read_feeder(const Entry& entry) {
    const yaml::Node& mapping = entry.value;
    if (mapping.kind != Kind::mapping) {
      refuse("feeder", place_of_value(out_.file, entry),
             "'feeder' is " + std::string(describe(mapping.kind)) + ", not a mapping",
             "write 'feeder:' and below it, indented, 'name: CHANNEL'");
      return;
    }
    graph::Feeder feeder;
    feeder.name = read_text(mapping, "name", "feeder");
    feeder.filter = read_text(mapping, "filter", "feeder");
    feeder.delay = read_text(mapping, "delay", "feeder");
    feeder.errata = read_text(mapping, "errata", "feeder");
    feeder.place = place_at(out_.file, mapping.mark);
    if (feeder.name.empty()) {
      record("feeder", feeder.place, "the feeder has no name; nothing is promoted",
             "write 'name: CHANNEL' below 'feeder:'");
      return;
    }
    if (!feeder.filter.empty()) {
      if (const Result<Pattern>& filter = budget_.compile(feeder.filter); !filter) {
        record("feeder-filter", place_of_value(out_.file, *find_entry(mapping, "filter")),
               filter.error().message, "write an expression in RE2 syntax", feeder.filter);
      }
    }
    out_.channel.feeder = std::move(feeder);
  }

  ChannelFile& out_;
  Budget& budget_;
};

}  // namespace

bool is_channel(std::string_view path) {
  return path.starts_with("channels/") && path.ends_with(".yaml") && counts(path);
}

ChannelFile read_channel(const std::string& file, const std::string& text, Budget& budget) {
  ChannelFile out;
  out.file = file;
  ChannelReader(out, budget).read(text);
  std::ranges::sort(out.faults, precedes);
  return out;
}

}  // namespace fairway::graphdata
