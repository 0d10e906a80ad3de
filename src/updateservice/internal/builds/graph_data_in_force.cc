// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/builds/graph_data_in_force.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "graphdata/raw_metadata.h"
#include "updateservice/internal/guarded.h"

namespace fairway::updateservice {

namespace {

/// Time limit of loading; real graph data takes a tenth of a second.
constexpr std::chrono::minutes longest_load{2};

/// Returns the fault of metadata that cannot be read at all: which edges it removes is not known, so every
/// edge is conditional. nullptr if there is none.
const graph::MetadataFault* unreadable_metadata(const graph::GraphData& data) {
  const auto fault = std::ranges::find_if(data.metadata_faults,
                                          [](const graph::MetadataFault& one) { return !one.edges.version; });
  return fault == data.metadata_faults.end() ? nullptr : &*fault;
}

bool has_blocked_edges(const graphdata::Files& files) {
  const auto first = files.lower_bound("blocked-edges/");
  return first != files.end() && first->first.starts_with("blocked-edges/");
}

/// Returns whether an error says nothing about the data: loading was stopped, late, or out of memory.
bool says_nothing_of_the_data(ErrorCode code) {
  return code == ErrorCode::cancelled || code == ErrorCode::deadline_exceeded ||
         code == ErrorCode::unavailable;
}

}  // namespace

GraphDataInForce::GraphDataInForce(std::unique_ptr<sources::GraphDataSource> source, LoadGraphData load,
                                   std::string problem_url, bool needs_channels, const Clock& clock)
    : source_(std::move(source)),
      load_(std::move(load)),
      problem_url_(std::move(problem_url)),
      needs_channels_(needs_channels),
      clock_(clock) {}

GraphDataInForce::State GraphDataInForce::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void GraphDataInForce::ask(const sources::FetchContext& context) {
  const std::lock_guard one_at_a_time(asking_);
  auto fetched = guarded("reading the graph data", [&] { return source_->fetch(context); });
  std::shared_ptr<const UnderstoodGraphData> known;
  bool had_blocks = false;
  {
    const std::lock_guard lock(mutex_);
    if (!fetched) {
      log::warning("a source could not be read", {{"source", name()}, {"why", fetched.error().message}});
      state_.error = std::move(fetched.error());
      return;
    }
    state_.error.reset();
    if (state_.good && taken_revision_ == fetched->revision) {
      state_.refused.reset();
      return;
    }
    if (state_.refused && refused_revision_ == fetched->revision) return;
    known = state_.good;
    had_blocks = known ? has_blocked_edges(*known->files) : had_blocks_;
  }
  const std::string revision = fetched->revision;
  const Limits limits = Limits::within(clock_, longest_load, context.stop);
  auto understood = guarded("loading the graph data",
                            [&] { return understand(std::move(*fetched), known.get(), had_blocks, limits); });
  const std::lock_guard lock(mutex_);
  if (!understood && says_nothing_of_the_data(understood.error().code)) {
    // It is looked at again.
    state_.error = std::move(understood.error());
    return;
  }
  if (understood) {
    state_.refused.reset();
    state_.good = std::move(*understood);
    taken_revision_ = revision;
    return;
  }
  state_.refused = std::move(understood.error());
  refused_revision_ = revision;
  log::error("graph data is refused", {{"source", name()},
                                       {"revision", revision},
                                       {"why", state_.refused->message},
                                       {"in_force", state_.good ? state_.good->revision : "nothing"}});
}

void GraphDataInForce::failed(Error error) {
  const std::lock_guard lock(mutex_);
  state_.error = std::move(error);
}

void GraphDataInForce::know_files_of_another(const graphdata::Files& files) {
  const std::lock_guard lock(mutex_);
  had_blocks_ = had_blocks_ || has_blocked_edges(files);
}

Result<std::shared_ptr<const UnderstoodGraphData>> GraphDataInForce::with_blocks_of(
    const graphdata::Files& before, const UnderstoodGraphData& newest, const Limits& limits) const {
  const graphdata::Files& now = *newest.files;
  graphdata::Files merged = now;
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(std::array{name + ".yaml", name + ".yml"}, [&](const std::string& file) {
      return merged.contains(file) || before.contains(file);
    });
  };
  for (const auto& [path, text] : before) {
    if (!path.starts_with("blocked-edges/") || !(path.ends_with(".yaml") || path.ends_with(".yml"))) continue;
    std::string& there = merged[path];
    if (!there.empty() && there != text) {
      std::string other = path.substr(0, path.rfind('.'));
      do {
        other += "-newest";
      } while (is_taken(other));
      merged[other + ".yaml"] = std::move(there);
    }
    merged[path] = text;
  }
  merged.erase(graphdata::raw_metadata_path);
  if (const auto raw = before.find(graphdata::raw_metadata_path); raw != before.end()) merged.insert(*raw);
  if (merged == now) return std::make_shared<const UnderstoodGraphData>(newest);
  auto data = load(merged, limits);
  if (!data) return fail(data.error());
  return std::make_shared<const UnderstoodGraphData>(UnderstoodGraphData{
      .files = std::make_shared<const graphdata::Files>(std::move(merged)),
      // Another name than the source's: after a restart the source has to be asked what it really says.
      .revision = newest.revision + " with earlier blocks",
      .problems = newest.problems,
      .data = std::move(*data)});
}

void GraphDataInForce::restore(const std::shared_ptr<const graphdata::Files>& files,
                               const std::string& revision,
                               std::shared_ptr<const graph::GraphData> understood,
                               const std::stop_token& stop) {
  const std::lock_guard one_at_a_time(asking_);
  if (state().good) return;
  // Graph data that was understood while channels came from elsewhere too may be refused where they do not.
  if (!understood || (needs_channels_ && understood->channels.empty())) {
    auto loaded = guarded("loading the graph data",
                          [&] { return load(*files, Limits::within(clock_, longest_load, stop)); });
    if (!loaded) {
      log::warning("the last good graph data cannot be used any more",
                   {{"source", name()}, {"why", loaded.error().message}});
      return;
    }
    understood = std::move(*loaded);
  }
  const std::lock_guard lock(mutex_);
  state_.good = std::make_shared<const UnderstoodGraphData>(
      UnderstoodGraphData{.files = files, .revision = revision, .data = std::move(understood)});
  taken_revision_ = revision;
}

Result<std::shared_ptr<const graph::GraphData>> GraphDataInForce::load(const graphdata::Files& files,
                                                                       const Limits& limits) const {
  auto loaded = load_(files, {.source = name(),
                              .problem_url = problem_url_,
                              .needs_channels = needs_channels_,
                              .limits = limits,
                              .clock = &clock_});
  if (!loaded) return fail(loaded.error());
  return std::make_shared<const graph::GraphData>(std::move(*loaded));
}

/// Loads fetched graph data. If its metadata cannot be read at all and earlier metadata is known, that stays
/// in force instead: it recommends no more than it did.
Result<std::shared_ptr<const UnderstoodGraphData>> GraphDataInForce::understand(
    sources::FetchedGraphData fetched, const UnderstoodGraphData* known, bool had_blocks,
    const Limits& limits) const {
  if (had_blocks && !has_blocked_edges(fetched.files)) {
    return fail(
        ErrorCode::invalid,
        "graph data " + name() +
            ": the folder blocked-edges is gone, or nothing is in it: every block would be lifted; if "
            "that is meant, put a README there");
  }
  auto data = load(fetched.files, limits);
  if (!data) return fail(data.error());
  const graph::MetadataFault* fault = unreadable_metadata(**data);
  if (fault != nullptr && known != nullptr && unreadable_metadata(*known->data) == nullptr) {
    const auto before = known->files->find(graphdata::raw_metadata_path);
    if (before == known->files->end()) {
      fetched.files.erase(graphdata::raw_metadata_path);
    } else {
      fetched.files[graphdata::raw_metadata_path] = before->second;
    }
    // Another name than the source's: after a restart the source has to be asked what it really says.
    fetched.revision += " with earlier metadata";
    fetched.problems.push_back(
        {.kind = graph::problem_kind::graph_data,
         .place = fault->place,
         .message = fault->risk.message + "; what this file said before stays in force until it is fixed"});
    log::warning("raw metadata is not understood; what it said before stays in force",
                 {{"revision", fetched.revision}, {"why", fault->risk.message}});
    data = load(fetched.files, limits);
    if (!data) return fail(data.error());
  }
  return std::make_shared<const UnderstoodGraphData>(
      UnderstoodGraphData{.files = std::make_shared<const graphdata::Files>(std::move(fetched.files)),
                          .revision = std::move(fetched.revision),
                          .problems = std::move(fetched.problems),
                          .data = std::move(*data)});
}

}  // namespace fairway::updateservice
