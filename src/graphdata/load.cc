// SPDX-License-Identifier: Apache-2.0

// Puts the files of a graph-data repository together: what is understood, what blocks because it is not, and
// what has all of it refused.
#include "graphdata/load.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "graphdata/internal/blocked_edge.h"
#include "graphdata/internal/budget.h"
#include "graphdata/internal/channel.h"
#include "graphdata/internal/limits.h"
#include "graphdata/internal/schema.h"
#include "graphdata/raw_metadata.h"

namespace fairway::graphdata {

namespace {

const std::string not_understood_effect =
    std::string("is conditional on the risk ") + graph::graph_data_not_understood + " until it is fixed";

std::string file_and_line(const graph::Place& place) {
  return place.line > 0 ? place.file + ":" + std::to_string(place.line) : place.file;
}

std::string say(const Fault& fault) {
  // A regular expression's error quotes it already.
  if (fault.text.empty() || fault.message.contains(fault.text)) return fault.message;
  return fault.message + ": '" + fault.text + "'";
}

std::string and_more(const std::vector<Fault>& faults) {
  return faults.size() < 2 ? "" : " (and " + std::to_string(faults.size() - 1) + " more in this file)";
}

class Loader {
 public:
  Loader(const Files& files, const LoadOptions& options)
      : files_(files), options_(options), budget_(options.limits, *options.clock) {}

  Result<graph::GraphData> load() {
    if (const Result<void> within = check_limits(files_); !within) return fail(within.error());
    Result<Version> schema = read_schema_version(files_);
    if (!schema) return fail(schema.error());
    data_.schema = std::move(*schema);
    data_.source = options_.source;
    if (const Result<void> done = load_channels(); !done) return fail(done.error());
    if (const Result<void> done = load_blocked_edges(); !done) return fail(done.error());
    load_raw_metadata();
    if (const Result<void> in_time = budget_.check(); !in_time) return fail(in_time.error());
    return std::move(data_);
  }

 private:
  bool has_folder(const std::string& name) const {
    const auto first = files_.lower_bound(name + "/");
    return first != files_.end() && first->first.starts_with(name + "/");
  }

  void add_problem(const Fault& fault, const std::string& effect, std::vector<std::string> channels,
                   std::vector<std::string> versions = {}) {
    data_.problems.push_back({.kind = graph::problem_kind::graph_data,
                              .place = fault.place,
                              .message = say(fault) + effect + "; " + fault.fix,
                              .channels = std::move(channels),
                              .versions = std::move(versions)});
  }

  Result<void> load_channels() {
    if (options_.needs_channels && !has_folder("channels")) {
      return fail(ErrorCode::invalid,
                  "channels: there is no such folder, or nothing in it; without channels nobody may update");
    }
    for (const auto& [path, text] : files_) {
      if (!is_channel(path)) continue;
      if (Result<void> in_time = budget_.check(); !in_time) return in_time;
      ChannelFile file = read_channel(path, text, budget_);
      if (!file.faults.empty()) {
        const Fault& fault = file.faults.front();
        return fail(ErrorCode::invalid,
                    fault.place.to_string() + ": " + say(fault) + and_more(file.faults) + "; " + fault.fix);
      }
      for (const Fault& note : file.notes) add_problem(note, "", {file.channel.name});
      add_channel(std::move(file.channel));
    }
    return {};
  }

  void add_channel(graph::ChannelData channel) {
    const auto [known, is_new] = channels_.emplace(channel.name, data_.channels.size());
    if (is_new) {
      data_.channels.push_back(std::move(channel));
      return;
    }
    const auto same = data_.channels.begin() + static_cast<std::ptrdiff_t>(known->second);
    data_.problems.push_back({.kind = graph::problem_kind::graph_data,
                              .place = channel.place,
                              .message = "the channel '" + channel.name + "' is defined here and in " +
                                         same->place.file +
                                         "; it has the versions of both; keep one file a channel",
                              .channels = {channel.name}});
    std::ranges::move(channel.versions, std::back_inserter(same->versions));
    std::ranges::move(channel.tombstones, std::back_inserter(same->tombstones));
    if (!same->feeder) same->feeder = std::move(channel.feeder);
    if (same->description.empty()) same->description = std::move(channel.description);
  }

  Result<void> load_blocked_edges() {
    if (!has_folder("blocked-edges")) {
      data_.problems.push_back({.kind = graph::problem_kind::graph_data,
                                .place = {.file = "blocked-edges"},
                                .message =
                                    "there is no such folder, or nothing in it: no update is blocked; if "
                                    "that is meant, put a README there"});
    }
    for (const auto& [path, text] : files_) {
      if (!is_blocked_edge(path)) continue;
      if (Result<void> in_time = budget_.check(); !in_time) return in_time;
      BlockedEdgeFile file = read_blocked_edge(path, text, budget_);
      if (file.too_many_targets) {
        return fail(ErrorCode::too_large, file.file + ": more than " + std::to_string(max_file_targets) +
                                              " targets; write a file for each");
      }
      if (file.targets.empty()) {
        const Fault& fault = file.faults.front();
        return fail(ErrorCode::invalid,
                    fault.place.to_string() + ": " + say(fault) + and_more(file.faults) +
                        "; it does not even tell which version to block: write 'to: VERSION'");
      }
      if (file.faults.empty()) {
        data_.blocks.push_back(std::move(file.block));
      } else {
        targets_ += file.targets.size();
        if (targets_ > max_targets) {
          return fail(ErrorCode::too_large, "files that are not understood have more than " +
                                                std::to_string(max_targets) +
                                                " targets; the last one read is " + file.file);
        }
        add_not_understood(file);
      }
    }
    return {};
  }

  // Fail closed: every edge that the file may have meant is blocked until it is fixed.
  void add_not_understood(const BlockedEdgeFile& file) {
    const Fault& fault = file.faults.front();
    std::vector<std::string> versions;
    for (const Target& target : file.targets) {
      graph::Block block;
      block.effect = graph::Block::Effect::not_understood;
      block.file = file.file;
      block.place = target.place;
      block.to = target.to;
      block.risk = not_understood(fault, and_more(file.faults));
      data_.blocks.push_back(std::move(block));
      versions.push_back(target.to.with_build("").to_string());
    }
    data_.problems.push_back({.kind = graph::problem_kind::blocked_edge_not_understood,
                              .place = fault.place,
                              .message = say(fault) + and_more(file.faults) + "; every update into " +
                                         join(versions, ", ") + " " + not_understood_effect + ": " +
                                         fault.fix,
                              .versions = std::move(versions)});
  }

  /// Loads raw metadata. Fails closed, as with blocked edges: every edge that it may have removed is blocked
  /// until it is fixed.
  void load_raw_metadata() {
    RawMetadata raw = read_raw_metadata(files_, budget_);
    data_.raw_metadata = std::move(raw.entries);
    data_.raw_metadata_places = std::move(raw.places);
    for (auto& [fault, edges] : raw.misunderstood) {
      std::string effect = "; it is left out";
      std::vector<std::string> versions;
      if (edges) {
        effect = "; every update ";
        if (edges->version) {
          effect += edges->into && edges->out_of ? "into and out of " : edges->into ? "into " : "out of ";
          effect += edges->version->to_string() + " ";
          versions.push_back(edges->version->to_string());
        }
        effect += not_understood_effect;
        data_.metadata_faults.push_back(
            {.edges = *edges, .place = fault.place, .risk = not_understood(fault, "")});
      }
      add_problem(fault, effect, {}, std::move(versions));
    }
  }

  graph::Risk not_understood(const Fault& fault, const std::string& more) const {
    return {.url = options_.problem_url,
            .name = graph::graph_data_not_understood,
            .message = file_and_line(fault.place) + ": " + fault.message + more,
            .matching_rules = graph::always_rule()};
  }

  const Files& files_;
  const LoadOptions& options_;
  Budget budget_;
  std::size_t targets_ = 0;
  std::map<std::string, std::size_t> channels_;  ///< indices in data_, by name
  graph::GraphData data_;
};

}  // namespace

Result<graph::GraphData> load(const Files& files, const LoadOptions& options) {
  Result<graph::GraphData> data = Loader(files, options).load();
  if (!data && !options.source.empty()) return fail(data.error().within("graph data " + options.source));
  return data;
}

}  // namespace fairway::graphdata
