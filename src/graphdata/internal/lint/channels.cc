// SPDX-License-Identifier: Apache-2.0

// Lint: channel files, and how channels feed each other.
#include <algorithm>
#include <map>
#include <set>

#include "graphdata/internal/lint/context.h"

namespace fairway::graphdata {

namespace {

// Cincinnati rejects queries for other names (400 Bad Request).
bool can_be_asked_for(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.'; });
}

void check_name(LintContext& context, const ChannelFile& file) {
  const graph::ChannelData& channel = file.channel;
  if (channel.name.empty()) return;
  if (!can_be_asked_for(channel.name)) {
    context.add(
        "channel-name", channel.place, channel.name,
        "no client can ask for this channel: its name has other characters than 0-9, a-z, '-' and '.'",
        "rename the channel");
  } else if (!channel.name.contains('-')) {
    context.add("channel-dash", channel.place, channel.name, "today's service stops on a name without '-'",
                "name it like stable-4.7");
  }
  if (file.file != "channels/" + channel.name + ".yaml") {
    context.add("channel-file-name", channel.place, channel.name, "the file is not named after its channel",
                "name the file " + channel.name + ".yaml, or fix 'name'");
  }
}

void check_versions(LintContext& context, const ChannelFile& file, const std::set<Version>& released) {
  std::map<Version, int> seen;
  for (const graph::ChannelVersion& listed : file.channel.versions) {
    const std::string text = listed.version.to_string();
    const auto [first, is_new] = seen.emplace(listed.version, listed.place.line);
    if (!is_new) {
      context.add("duplicate-version", listed.place, text,
                  "this version stands on line " + std::to_string(first->second) + " already",
                  "remove one of them");
    }
    if (!released.empty() && !released.contains(listed.version.with_build(""))) {
      context.add("version-not-released", listed.place, text,
                  "no release has this version: the channel lacks it", "fix the version, or remove it");
    }
  }
}

/// Returns the first file of each name; served files go first.
std::map<std::string_view, const ChannelFile*> channels_by_name(const LintContext& context) {
  std::map<std::string_view, const ChannelFile*> by_name;
  for (const std::vector<ChannelFile>* files : {&context.channels, &context.internal_channels}) {
    for (const ChannelFile& file : *files) by_name.emplace(file.channel.name, &file);
  }
  return by_name;
}

void check_feeder(LintContext& context, const ChannelFile& file, const ChannelFile& feeder) {
  const std::string& filter_text = file.channel.feeder->filter;
  const Result<Pattern>& filter = context.budget.compile(filter_text);
  // An internal channel tombstones what other channels were promoted to already: that is its daily work.
  const bool is_served = feeder.file.starts_with("channels/");
  WrittenVersions fed;
  for (const graph::ChannelVersion& listed : feeder.channel.versions) fed.add(listed.version);
  std::map<Version, const graph::ChannelVersion*> tombstones;
  for (const graph::ChannelVersion& tombstone : feeder.channel.tombstones)
    tombstones.emplace(tombstone.version, &tombstone);
  for (const graph::ChannelVersion& listed : file.channel.versions) {
    const std::string text = listed.version.to_string();
    // As written: a tombstone on 4.2.14 beside 4.2.14+amd64 is a decision for one architecture.
    const auto tombstone = tombstones.find(listed.version);
    if (is_served && tombstone != tombstones.end()) {
      context.add("tombstoned-in-feeder", listed.place, text,
                  feeder.channel.name + ", which feeds this channel, tombstones the version (" + feeder.file +
                      ":" + std::to_string(tombstone->second->place.line) +
                      "), and it is served here all the same",
                  "remove it here, or the tombstone there");
      continue;
    }
    const bool reached = filter_text.empty() || (filter && filter->matches(text));
    if (reached && !fed.cover(listed.version)) {
      context.add(
          "outside-feeder", listed.place, text,
          feeder.channel.name + " (" + feeder.file + "), which feeds this channel, does not list the version",
          "add it there, or remove it here");
    }
  }
}

}  // namespace

void lint_channels(LintContext& context) {
  std::set<Version> released;
  for (const graph::Release& release : context.inputs.releases)
    released.insert(release.version.with_build(""));
  std::map<std::string, const ChannelFile*> by_name;
  for (const ChannelFile& file : context.channels) {
    check_name(context, file);
    check_versions(context, file, released);
    if (file.channel.name.empty()) continue;
    const auto [first, is_new] = by_name.emplace(file.channel.name, &file);
    if (is_new) continue;
    context.add("duplicate-channel", file.channel.place, file.channel.name,
                first->second->file + " defines this channel as well: it gets the versions of both",
                "keep one file, or fix 'name'");
  }
}

void lint_feeders(LintContext& context) {
  const auto by_name = channels_by_name(context);
  for (const ChannelFile& file : context.channels) {
    if (!file.channel.feeder) continue;
    const graph::Feeder& feeder = *file.channel.feeder;
    if (const auto found = by_name.find(feeder.name); found != by_name.end()) {
      check_feeder(context, file, *found->second);
    } else {
      context.add("feeder-unknown", feeder.place, feeder.name,
                  "there is no channel of this name that could feed this one",
                  "fix the name of the feeder, or remove it");
    }
  }
}

}  // namespace fairway::graphdata
