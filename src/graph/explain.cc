// SPDX-License-Identifier: Apache-2.0

#include "graph/explain.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "graph/asked_version.h"
#include "graph/internal/copy_of_pattern.h"
#include "graph/internal/explainer.h"
#include "graph/metadata_keys.h"

namespace fairway::graph {
namespace {

/// Longest chain of feeders; a longer one is a fault of graph data, which lint names.
constexpr int max_feeders = 64;
constexpr std::size_t max_channels_named = 6;
/// Compiled expressions that are kept, each with the states of its searches: some 100 KiB.
constexpr std::size_t most_patterns_kept = 256;

std::string_view verdict_text(Explanation::Verdict verdict) {
  switch (verdict) {
    case Explanation::Verdict::recommended:
      return "recommended";
    case Explanation::Verdict::conditional:
      return "conditional";
    case Explanation::Verdict::none:
      break;
  }
  return "none";
}

/// Returns the entry of a channel's list for this version and architecture, or nullptr.
const ChannelVersion* find_entry(const std::vector<ChannelVersion>& list, const Version& version,
                                 std::string_view arch) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const ChannelVersion& entry) {
    return compare_precedence(entry.version, version) == 0 &&
           (entry.version.build().empty() || entry.version.build() == arch);
  });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

void Explainer::add(std::string kind, std::string message, Place place, std::string problem) {
  place.file = view_.redact(place.file);
  result_.reasons.push_back({std::move(kind), std::move(place), std::move(message), std::move(problem)});
}

std::vector<const ChannelData*> Explainer::files_of(std::string_view channel) const {
  std::vector<const ChannelData*> files;
  if (!view_.sees_channel(channel)) return files;
  for (const auto& data : snapshot_.graph_data->channels) {
    if (data.name == channel) files.push_back(&data);
  }
  return files;
}

Explanation Explainer::run(std::string_view from_text, std::string_view to_text) {
  result_ = {};
  risks_.clear();
  if (view_.sees_channel(channel_)) {
    channel_index_ = snapshot_.find_channel(channel_);
  } else {
    add("unknown-channel", "there is no channel " + printable(channel_, 80));
  }
  architecture_ = snapshot_.find_architecture(arch_);
  if (architecture_ == nullptr) {
    add("unknown-architecture", "there are no releases for the architecture " + printable(arch_, 80));
  }
  if (!channel_index_ || architecture_ == nullptr) return std::move(result_);

  const auto from = look_up(from_text), to = look_up(to_text);
  for (const auto* end : {&from, &to}) {
    if (end == &to && to.text == from.text) break;
    if (!end->release) {
      explain_unknown(*end);
    } else if (!end->in_channel) {
      explain_not_in_channel(*end);
    }
  }
  if (from.release && to.release) explain_edge(from, to);
  add_problems(from, to);
  return std::move(result_);
}

Explainer::End Explainer::look_up(std::string_view asked) {
  const auto text = without_architecture(asked, arch_);
  End end{.text = printable(text, 80)};
  if (auto version = Version::parse(text)) end.version = std::move(*version);
  if (!end.version || !view_.sees_version(text, arch_)) return end;
  end.release = architecture_->find(text);
  if (end.release) {
    end.in_channel = std::ranges::binary_search(architecture_->members[*channel_index_], *end.release);
  }
  return end;
}

void Explainer::explain_unknown(const End& end) {
  if (!end.version) {
    add("unknown-version", end.text + " is not a version like 4.7.4 or 4.8.0-rc.1");
    return;
  }
  std::string message = "there is no release " + end.text + " for " + arch_;
  Place place;
  if (!end.version->build().empty()) {
    // A channel may list it, for the other architecture.
    add("unknown-version",
        message + ": what stands behind the + names an architecture, and " + arch_ + " was asked for");
    return;
  }
  if (view_.sees_version(end.text)) {
    for (const auto* data : files_of(channel_)) {
      const auto* listed = find_entry(data->versions, *end.version, arch_);
      if (listed == nullptr) continue;
      place = listed->place;
      message += ", though channel " + channel_ + " lists it: no image of it was found";
      break;
    }
    std::vector<std::string> others;
    for (const auto& architecture : snapshot_.architectures) {
      if (architecture.find(end.text) && view_.sees_version(end.text, architecture.name))
        others.push_back(architecture.name);
    }
    if (!others.empty()) message += "; there is one for " + join(others, ", ");
  }
  add("unknown-version", std::move(message), std::move(place));
}

void Explainer::explain_not_in_channel(const End& end) {
  const auto files = files_of(channel_);
  Place place = files.empty() ? Place{} : files.front()->place;
  std::string message = end.text + " is not in channel " + channel_ + why_listed_but_not_a_member(end);
  const auto reason = result_.reasons.size();
  add("not-in-channel", "", std::move(place));
  for (const auto* data : files) {
    if (const auto* tombstone = find_entry(data->tombstones, *end.version, arch_)) {
      add("tombstoned", end.text + " is tombstoned in channel " + channel_, tombstone->place);
    }
  }
  walk_feeders(end, message);
  message += other_channels(end);
  result_.reasons[reason].message = std::move(message);
}

std::string Explainer::why_listed_but_not_a_member(const End& end) const {
  std::vector<std::string> architectures;
  for (const auto* data : files_of(channel_)) {
    for (const auto& entry : data->versions) {
      if (compare_precedence(entry.version, *end.version) != 0) continue;
      if (entry.version.build().empty() || entry.version.build() == arch_) {
        return ": " + view_.redact(entry.place.to_string()) +
               " lists it, but the update service that it comes from does not say that it is in this channel";
      }
      architectures.push_back(entry.version.build());
    }
  }
  return architectures.empty() ? "" : ": it is listed for " + join(architectures, ", ") + " only";
}

void Explainer::walk_feeders(const End& end, std::string& message) {
  std::set<std::string> seen{channel_};
  std::string fed = channel_;
  for (int step = 0; step < max_feeders; ++step) {
    const Feeder* feeder = nullptr;
    for (const auto* data : files_of(fed)) {
      if (data->feeder && feeder == nullptr) feeder = &*data->feeder;
    }
    if (feeder == nullptr || !view_.sees_channel(feeder->name) || !seen.insert(feeder->name).second) return;
    for (const auto* data : files_of(feeder->name)) {
      if (const auto* tombstone = find_entry(data->tombstones, *end.version, arch_)) {
        add("tombstoned",
            end.text + " is tombstoned in channel " + feeder->name +
                ", so that it is not promoted from there to " + fed,
            tombstone->place);
      }
      if (const auto* listed = find_entry(data->versions, *end.version, arch_)) {
        message += "; " + feeder->name + ", which feeds " + fed + ", lists it at " +
                   view_.redact(listed->place.to_string());
        const auto filter = Pattern::compile(feeder->filter);
        if (!feeder->filter.empty() && filter && !filter->matches(end.text)) {
          message +=
              " (the filter \"" + printable(view_.redact(feeder->filter), 80) + "\" does not match it)";
        } else if (!feeder->delay.empty()) {
          message += " (promoted after " + printable(feeder->delay, 40) + ")";
        }
      }
    }
    fed = feeder->name;
  }
}

std::string Explainer::other_channels(const End& end) const {
  std::vector<std::string> names;
  std::size_t more = 0;
  for (const auto index : architecture_->releases[*end.release].channels) {
    if (!view_.sees_channel(index)) continue;
    if (names.size() < max_channels_named) {
      names.push_back(snapshot_.channels[index].name);
    } else {
      ++more;
    }
  }
  if (names.empty()) return "; it is in no channel";
  return "; it is in " + join(names, ", ") + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

void Explainer::explain_edge(const End& from, const End& to) {
  const auto name = from.text + " -> " + to.text;
  if (from.release == to.release) {
    add("no-such-edge", "a release does not update to itself");
    return;
  }
  if (const auto* edge = architecture_->find_edge(*from.release, *to.release)) {
    const bool served = from.in_channel && to.in_channel;
    if (edge->risk_set == 0) {
      if (!served) return;
      result_.verdict = Explanation::Verdict::recommended;
      add("recommended", name + " is recommended to every cluster in channel " + channel_);
      return;
    }
    if (served) result_.verdict = Explanation::Verdict::conditional;
    auto explained = add_blocks(from, to, false);
    if (add_metadata_faults(from, to)) explained.insert(graph_data_not_understood);
    for (const auto index : view_.risks_in(view_.risk_list(edge->risk_set))) {
      const auto& risk = view_.risk(index);
      risks_.push_back(index);
      if (texts_ == Texts::whole) result_.risks.push_back(risk);
      if (!explained.contains(risk.name)) {
        add("conditional", "the update service that " + name +
                               " comes from makes it conditional on the risk " + risk.name +
                               behind_colon(risk.message));
      }
    }
    return;
  }

  const auto& removed = architecture_->removed;
  const auto ends = [](const RemovedEdge& edge) { return IndexPair(edge.from, edge.to); };
  const auto range = std::ranges::equal_range(removed, IndexPair(*from.release, *to.release), {}, ends);
  for (const auto& edge : range) explain_removed(edge, from, to);
  if (!range.empty()) return;

  const auto& target = architecture_->releases[*to.release];
  std::string message = "the metadata of release " + to.text + " does not name " + from.text +
                        " as one to update from, nor does that of " + from.text +
                        " name it as one to update to";
  if (*to.release < *from.release) message += "; " + to.text + " is the older one";
  add("no-such-edge", std::move(message), {.file = target.source});
}

void Explainer::explain_removed(const RemovedEdge& removed, const End& from, const End& to) {
  switch (removed.why) {
    case RemovedEdge::Why::blocked:
      add_blocks(from, to, true);
      add_blocks(from, to, false);
      return;
    case RemovedEdge::Why::metadata:
      explain_metadata(from, to);
      return;
    case RemovedEdge::Why::left_out:
      // Its problem names both ends: `add_problems` finds it.
      return;
  }
}

/// Returns the expressions by which metadata removes: that of the release, and that of graph data, which
/// follows it after a comma.
std::vector<std::string_view> Explainer::expressions_of(const std::string& version,
                                                        std::string_view value) const {
  for (const std::string& key : {version, version + "+" + arch_}) {
    const auto entries = snapshot_.graph_data->raw_metadata.find(key);
    if (entries == snapshot_.graph_data->raw_metadata.end()) continue;
    const auto raw = entries->second.find(std::string(metadata_key::previous_remove_regex));
    if (raw != entries->second.end() && value.ends_with("," + raw->second))
      return {value.substr(0, value.size() - raw->second.size() - 1), raw->second};
  }
  return {value};
}

void Explainer::explain_metadata(const End& from, const End& to) {
  struct Removal {
    const End &owner, &other;
    std::string_view key;
    bool is_pattern;
  };
  const Removal removals[] = {{to, from, metadata_key::previous_remove, false},
                              {to, from, metadata_key::previous_remove_regex, true},
                              {from, to, metadata_key::next_remove, false}};
  const auto reasons = result_.reasons.size();
  for (const auto& removal : removals) {
    const auto& release = architecture_->releases[*removal.owner.release];
    const auto entry =
        std::ranges::find(release.metadata, removal.key, &std::pair<std::string, std::string>::first);
    if (entry == release.metadata.end()) continue;
    const auto other = removal.other.text + "+" + arch_;
    bool removes = false;
    if (removal.is_pattern) {
      for (const std::string_view text : expressions_of(removal.owner.text, entry->second)) {
        auto known = metadata_patterns_.find(text);
        if (known == metadata_patterns_.end()) {
          if (metadata_patterns_.size() >= most_patterns_kept) metadata_patterns_.clear();
          known = metadata_patterns_.emplace(text, Pattern::compile(text)).first;
        }
        removes = removes || !known->second || known->second->search(other);
      }
    } else {
      for (const auto item : split(entry->second, ',')) {
        removes = removes || trim(item) == removal.other.text || trim(item) == other;
      }
    }
    if (!removes) continue;
    const auto& raw = snapshot_.graph_data->raw_metadata;
    const auto added = std::ranges::any_of(raw, [&](const auto& version) {
      return (version.first == removal.owner.text || version.first == removal.owner.text + "+" + arch_) &&
             version.second.contains(std::string(removal.key));
    });
    const auto value = view_.redact_metadata(removal.key, entry->second);
    add("removed-by-metadata",
        "the metadata " + std::string(removal.key) + " of " + removal.owner.text +
            (value ? " (\"" + printable(*value, 80) + "\")" : "") + " removes " + from.text + " -> " +
            to.text,
        {.file = added ? "raw/metadata.json" : release.source});
  }
  if (result_.reasons.size() == reasons) {
    add("removed-by-metadata", "the metadata of " + from.text + " or " + to.text + " removes the update");
  }
}

const Pattern& Explainer::compiled(const Pattern& pattern) {
  if (const auto known = patterns_.find(pattern.text()); known != patterns_.end()) return known->second;
  if (patterns_.size() >= most_patterns_kept) patterns_.clear();
  return patterns_.emplace(pattern.text(), copy_of(pattern)).first->second;
}

std::string Explainer::behind_colon(const std::string& message) const {
  return texts_ == Texts::whole ? ": " + message : "";
}

std::set<std::string> Explainer::add_blocks(const End& from, const End& to, bool removing) {
  std::set<std::string> names;
  // The build matches the same text: version+arch.
  const std::string source = from.text + "+" + arch_;
  // By the expression: many blocks share one.
  std::map<std::string_view, bool> found;
  const auto is_source = [&](const Pattern& pattern) {
    const auto [known, is_new] = found.try_emplace(pattern.text());
    if (is_new) known->second = compiled(pattern).search(source);
    return known->second;
  };
  for (const auto& block : snapshot_.graph_data->blocks) {
    if ((block.effect == Block::Effect::removed) != removing) continue;
    if (compare_precedence(block.to, *to.version) != 0) continue;
    if (!block.to.build().empty() && block.to.build() != arch_) continue;
    if (block.from && !is_source(*block.from)) continue;
    const std::string name = view_.redact(block.risk.name);
    const auto message = [&] {
      return texts_ == Texts::whole ? ": " + view_.redact(block.risk).message : std::string();
    };
    const std::string file = view_.redact_path(block.file);
    names.insert(name);
    switch (block.effect) {
      case Block::Effect::removed:
        add("blocked",
            file + " removes updates to " + to.text + " from versions that match \"" +
                printable(view_.redact(*block.from).value_or(".*")) + "\"",
            block.place);
        break;
      case Block::Effect::conditional:
        add("conditional", file + " makes it conditional on the risk " + name + message(), block.place);
        break;
      case Block::Effect::not_understood:
        add("conditional",
            file + " is not understood, so that no cluster is told to update to " + to.text + message(),
            block.place);
        break;
    }
  }
  return names;
}

bool Explainer::add_metadata_faults(const End& from, const End& to) {
  bool some = false;
  for (const auto& fault : snapshot_.graph_data->metadata_faults) {
    const auto& edges = fault.edges;
    const auto is_about = [&](const End& end) {
      return end.version && compare_precedence(*edges.version, *end.version) == 0 &&
             (edges.version->build().empty() || edges.version->build() == arch_);
    };
    if (edges.version && !(edges.into && is_about(to)) && !(edges.out_of && is_about(from))) continue;
    add("conditional",
        fault.place.file +
            " is not understood, so that no cluster is told to make an update that it may remove" +
            (texts_ == Texts::whole ? ": " + view_.redact(fault.risk.message) : ""),
        fault.place);
    some = true;
  }
  return some;
}

void Explainer::add_problems(const End& from, const End& to) {
  for (const auto& problem : snapshot_.problems) {
    const auto names = [&](const End& end) {
      return std::ranges::any_of(problem.versions, [&](const std::string& version) {
        return version == end.text || version == end.text + "+" + arch_;
      });
    };
    const bool about_release =
        problem.kind == problem_kind::release_left_out || problem.kind == problem_kind::duplicate_version ||
        problem.kind == problem_kind::release_without_image || problem.kind == problem_kind::payload_conflict;
    const bool about_edge =
        problem.kind == problem_kind::edge_left_out || problem.kind == problem_kind::upstream;
    if ((about_release && (names(from) || names(to))) || (about_edge && names(from) && names(to))) {
      if (auto redacted = view_.redact(problem))
        add("problem", std::move(redacted->message), std::move(redacted->place), redacted->kind);
    }
  }
}

json::Object Explanation::to_json() const {
  json::Object object;
  object["verdict"] = verdict_text(verdict);
  auto& list = (object["reasons"] = json::Array()).as_array();
  for (const auto& reason : reasons) {
    json::Object entry;
    entry["kind"] = reason.kind;
    if (!reason.place.file.empty()) entry["file"] = reason.place.file;
    if (reason.place.line > 0) entry["line"] = reason.place.line;
    entry["message"] = reason.message;
    list.push_back(std::move(entry));
  }
  auto& risk_list = (object["risks"] = json::Array()).as_array();
  for (const auto& risk : risks) {
    risk_list.push_back(json::Object{{"url", risk.url},
                                     {"name", risk.name},
                                     {"message", risk.message},
                                     {"matchingRules", risk.matching_rules}});
  }
  return object;
}

Explanation explain(const View& view, std::string_view channel, std::string_view arch, std::string_view from,
                    std::string_view to) {
  return Explainer(view, channel, arch, Explainer::Texts::whole).run(from, to);
}

}  // namespace fairway::graph
