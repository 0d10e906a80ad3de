// SPDX-License-Identifier: Apache-2.0

#include "updateservice/builder.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "graph/size.h"
#include "updateservice/internal/builds/guarded_builds.h"
#include "updateservice/internal/builds/source_answers.h"
#include "updateservice/internal/builds/source_identity.h"
#include "updateservice/internal/guarded.h"

namespace fairway::updateservice {

namespace {

/// Most bytes of all graphs as JSON; those of real graph data have 13 MB. Each is held with its compressed
/// form.
constexpr std::size_t max_served_bytes = std::size_t{512} << 20;
/// Time limit of one build; real data takes less than a second.
constexpr std::chrono::minutes longest_build{2};

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace

struct Builder::Implementation {
  Implementation(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
                 std::unique_ptr<sources::GraphDataSource> graph_data, const std::string& problem_url,
                 LoadGraphData load, Clock& its_clock, Guards guards)
      : clock(its_clock),
        answers(std::move(releases), std::move(graph_data), std::move(load), problem_url, its_clock),
        builds(answers.graph_data(), problem_url, its_clock, std::move(guards)) {}

  Clock& clock;
  SourceAnswers answers;
  std::stop_source stopping;  ///< stops all builds
  // Held while a snapshot is made: of two builds at once the later one knows all of the earlier.
  std::mutex build_mutex;
  // Under `build_mutex`:
  GuardedBuilds builds;
  std::optional<Ingredients> last_gathered;
  Accepted last_accepted;
  BuildOutcome last;
  std::optional<Error> refused;  ///< reason why the newest data cannot be served
  std::uint64_t number = 0;

  Result<BuildOutcome> make(SteadyTime began, const std::stop_token& stop = {}) {
    const std::lock_guard building(build_mutex);
    std::stop_source either;
    const auto end = [&either] { either.request_stop(); };
    const std::stop_callback on_stop(stop, end), on_stopping(stopping.get_token(), end);
    const Limits limits = Limits::within(clock, longest_build, either.get_token());
    Result<Ingredients> gathered = answers.gather();
    if (!gathered) {
      log::error("there is nothing to serve yet", {{"why", gathered.error().message}});
      return fail(std::move(gathered.error()));
    }
    Accepted accepted = builds.accepted(*gathered->graph_data->files);
    const bool changed = !last_gathered || !(*last_gathered == *gathered) || accepted != last_accepted;
    const bool has_problems = !gathered->problems.empty();
    if (changed) {
      auto candidate = builds.make(*gathered, accepted, limits);
      if (!candidate && candidate.error().code != ErrorCode::deadline_exceeded)
        return fail(std::move(candidate.error()));
      refused = why_refused(candidate);
      if (refused) {
        if (Result<void> kept = keep_what_is_in_force(); !kept) return fail(std::move(kept.error()));
      } else {
        last.held = std::move(candidate->held);
        last.snapshot = candidate->snapshot;
        last.inputs = candidate->inputs;
        builds.put_in_force(std::move(*candidate));
      }
      last_gathered = std::move(*gathered);
      last_accepted = std::move(accepted);
      // The machine may have been busy: it is tried again.
      if (!candidate) last_gathered.reset();
    }
    last.fresh = !has_problems && !last.held && !refused;
    last.upstream_errors = answers.failures();
    last.complete = answers.are_complete();
    last.number = ++number;
    report(changed, began);
    return last;
  }

  static std::optional<Error> why_refused(const Result<GuardedBuilds::Candidate>& candidate) {
    if (!candidate) {
      return Error{ErrorCode::deadline_exceeded,
                   "building its graph takes longer than " + format_duration(longest_build)};
    }
    if (graph::served_bytes(*candidate->snapshot, max_served_bytes) <= max_served_bytes) return std::nullopt;
    return Error{ErrorCode::too_large, "the graphs of all channels would have more than " +
                                           std::to_string(max_served_bytes >> 20) +
                                           " MiB together; shorten the texts of risks and metadata, or list "
                                           "fewer channels"};
  }

  /// Keeps the build in force after the newest data was refused, with a problem that says so.
  Result<void> keep_what_is_in_force() {
    log::error("the newest data is refused", {{"why", refused->message}});
    const GuardedBuilds::Build* in_force = builds.in_force();
    if (in_force == nullptr || !in_force->snapshot || in_force->inputs->of_peers)
      return fail(refused->within("building the graph"));
    auto snapshot = std::make_shared<graph::Snapshot>(*in_force->snapshot);
    snapshot->problems.push_back(
        {.kind = graph::problem_kind::graph_data_refused,
         .place = {.file = answers.graph_data().name()},
         .message = "the newest data is refused; what was served before stays: " + refused->message});
    last.snapshot = std::move(snapshot);
    last.inputs = in_force->inputs;
    return {};
  }

  void report(bool changed, SteadyTime began) const {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock.steady() - began);
    std::size_t release_count = 0;
    for (const graph::Architecture& one : last.snapshot->architectures) release_count += one.releases.size();
    log::info(
        changed ? "built the graph anew" : "nothing has changed",
        {{"releases", release_count},
         {"channels", last.snapshot->channels.size()},
         {"problems", last.snapshot->problems.size()},
         {"graph_data", last.inputs->revision},
         {"sources", count_text(answers.count(), "source", "sources") + (last.fresh ? "" : ", not all new")},
         {"took", format_duration(took)}});
  }
};

Builder::Builder(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
                 std::unique_ptr<sources::GraphDataSource> graph_data, const std::string& problem_url,
                 Clock& clock, LoadGraphData load, Guards guards)
    : implementation_(std::make_unique<Implementation>(std::move(releases), std::move(graph_data),
                                                       problem_url, std::move(load), clock,
                                                       std::move(guards))) {}

Builder::~Builder() = default;

Result<BuildOutcome> Builder::refresh(const sources::FetchContext& context, const Waits& waits) {
  const SteadyTime began = implementation_->clock.steady();
  if (!implementation_->answers.ask_all(context, waits))
    return fail(ErrorCode::cancelled, "asking the sources: stopped");
  return guarded("building the graph", [&] { return implementation_->make(began, context.stop); });
}

Result<BuildOutcome> Builder::rebuild() {
  return implementation_->make(implementation_->clock.steady());
}

void Builder::on_late(std::function<void()> answered) {
  implementation_->answers.on_late(std::move(answered));
}

Result<BuildOutcome> Builder::refresh_graph_data(const sources::FetchContext& context) {
  const SteadyTime began = implementation_->clock.steady();
  std::stop_source either;
  const auto end = [&either] { either.request_stop(); };
  const std::stop_callback on_stop(context.stop, end),
      on_stopping(implementation_->stopping.get_token(), end);
  const std::stop_token stop = either.get_token();
  if (!stop.stop_requested()) implementation_->answers.graph_data().ask({stop, context.progress});
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "asking for graph data: stopped");
  return guarded("building the graph", [&] { return implementation_->make(began, stop); });
}

void Builder::restore(const std::shared_ptr<const BuiltInputs>& inputs,
                      const std::shared_ptr<const graph::Snapshot>& built, const std::stop_token& stop) {
  Implementation& self = *implementation_;
  const std::lock_guard building(self.build_mutex);
  GraphDataInForce& graph_data = self.answers.graph_data();
  const bool is_same_source =
      is_same(graph_data.source(), inputs->graph_data_source, inputs->graph_data_identity);
  const auto understood = built ? built->graph_data : nullptr;
  if (is_same_source && inputs->held) {
    const HeldData& held = *inputs->held;
    graph_data.restore(held.files, held.revision, held.files == inputs->files ? understood : nullptr, stop);
  } else if (is_same_source && !inputs->baseline) {
    graph_data.restore(inputs->files, inputs->revision, understood, stop);
  } else if (is_same_source) {
    // By the files of a hold it would have ended: they open nothing.
    log::warning("what is held cannot be judged before the graph data is read again",
                 {{"source", graph_data.name()}});
    graph_data.know_files_of_another(*inputs->files);
  } else {
    graph_data.know_files_of_another(*inputs->files);
  }
  self.answers.restore(inputs->releases);
  self.builds.restore(inputs, built);
}

bool Builder::lacks_memory() const {
  const std::lock_guard building(implementation_->build_mutex);
  return implementation_->builds.lacks_memory();
}

void Builder::learn(PeerMemory memory) {
  const std::lock_guard building(implementation_->build_mutex);
  implementation_->builds.learn(std::move(memory));
}

void Builder::stop() {
  implementation_->stopping.request_stop();
  implementation_->answers.stop();
}

sources::GraphDataSource& Builder::graph_data_source() {
  return implementation_->answers.graph_data().source();
}

}  // namespace fairway::updateservice
