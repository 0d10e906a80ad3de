// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/builds/guarded_builds.h"

#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/redact.h"
#include "base/text.h"
#include "graph/restrict.h"
#include "graph/snapshot_id.h"
#include "graphdata/raw_metadata.h"
#include "updateservice/internal/builds/build_loaded.h"
#include "updateservice/internal/builds/payloads.h"

namespace fairway::updateservice {
namespace {

/// Returns whether an error means that a build was ended, which says nothing about its inputs.
bool has_ended(ErrorCode code) {
  return code == ErrorCode::cancelled || code == ErrorCode::deadline_exceeded;
}

std::string describe(const graph::Widening& widening) {
  constexpr std::size_t named = 5;
  std::vector<std::string> texts;
  for (const graph::LiftedBlock& block : widening.lifted) {
    if (texts.size() == named) break;
    texts.push_back("updates into " + block.to + " (" +
                    (block.risk.empty() ? "not served until now" : "risk " + block.risk) + ")");
  }
  const std::size_t more = widening.lifted.size() - texts.size();
  return join(texts, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string how_to_accept(const std::string& id) {
  return "fairway graph accept " + id + " --data DIR, or the line " + id + " in the file " +
         accept_widening_path + " of the graph data";
}

graph::Problem not_compared_problem(const std::string& id) {
  const std::string what =
      "there was no earlier graph to compare with: whether this one opens more than it should is not known";
  return {.kind = graph::problem_kind::graph_not_compared,
          .message = what + ". Look at it; if it is meant: " + how_to_accept(id) +
                     ". The next graph that differs is compared with it",
          .public_message = what + " (the log says more)"};
}

void add_problem(GuardedBuilds::Candidate& candidate, graph::Problem problem) {
  auto snapshot = std::make_shared<graph::Snapshot>(*candidate.snapshot);
  snapshot->problems.push_back(std::move(problem));
  candidate.snapshot = std::move(snapshot);
}

std::string_view raw_metadata(const graphdata::Files& files) {
  const auto found = files.find(graphdata::raw_metadata_path);
  return found == files.end() ? std::string_view{} : std::string_view(found->second);
}

/// Returns images as other replicas know them: by their digests.
Payloads only_digests(const Payloads& payloads) {
  Payloads digests;
  for (const auto& [version, payload] : payloads) {
    if (const std::string_view digest = digest_of(payload); !digest.empty())
      digests[version] = "@" + std::string(digest);
  }
  return digests;
}

}  // namespace

GuardedBuilds::GuardedBuilds(const GraphDataInForce& graph_data, std::string problem_url, Clock& clock,
                             Guards guards)
    : graph_data_(graph_data),
      problem_url_(std::move(problem_url)),
      clock_(clock),
      guards_(std::move(guards)) {}

void GuardedBuilds::learn(PeerMemory memory) {
  if (!lacks_memory()) return;
  if (!memory.inputs) {
    peers_ = std::move(memory);
    return;
  }
  // Their images are known by digest alone: what is served has the pull spec of a source of our own.
  Payloads payloads = payloads_;
  payloads.merge(only_digests(memory.inputs->payloads));
  if (payloads.size() > max_payloads) {
    // None is forgotten: what was learnt before stays, and without it nothing is served.
    log::error("what other replicas hold is not taken: they have named more images than are remembered",
               {{"limit", max_payloads}, {"replicas", memory.why}});
    peers_ = {.why = memory.why + "; they have named more than " + std::to_string(max_payloads) + " images"};
    return;
  }
  peers_ = std::move(memory);
  payloads_ = std::move(payloads);
  in_force_ = Build{peers_.inputs, peers_.snapshot};
  log::info("comparing with what other replicas hold", {{"replicas", peers_.why}});
}

Accepted GuardedBuilds::accepted(const graphdata::Files& files) const {
  return read_accepted(guards_.data_directory, files);
}

void GuardedBuilds::put_in_force(Candidate candidate) {
  in_force_ = Build{std::move(candidate.inputs), std::move(candidate.snapshot)};
  payloads_ = in_force_->inputs->payloads;
}

void GuardedBuilds::restore(const std::shared_ptr<const BuiltInputs>& inputs,
                            const std::shared_ptr<const graph::Snapshot>& built) {
  if (payloads_.empty()) payloads_ = inputs->payloads;
  if (in_force_) return;
  in_force_ = Build{inputs, built};
  if (inputs->baseline) baseline_ = Build{inputs->baseline, nullptr};
}

Result<GuardedBuilds::Candidate> GuardedBuilds::assemble(const Ingredients& parts, const Accepted& accepted,
                                                         const Limits& limits) const {
  auto inputs = std::make_shared<BuiltInputs>();
  for (const auto& one : parts.releases) {
    if (one) inputs->releases.push_back(*one);
  }
  inputs->files = parts.graph_data->files;
  inputs->revision = parts.graph_data->revision;
  inputs->graph_data_source = graph_data_.name();
  inputs->graph_data_identity = graph_data_.identity();
  std::vector<graph::Problem> problems = parts.problems;
  // A release is never taken from another replica.
  const BuiltInputs* const before =
      in_force_ && !in_force_->inputs->of_peers ? in_force_->inputs.get() : nullptr;
  keep_payloads(*inputs, before, payloads_, accepted, problems);
  Candidate candidate{.inputs = inputs};
  auto snapshot =
      build_loaded(*inputs, parts.graph_data->data, std::move(problems), problem_url_, limits, clock_);
  if (!snapshot) return fail(std::move(snapshot.error()));
  candidate.snapshot = std::move(*snapshot);
  inputs->payloads = payloads_;
  remember_payloads(*candidate.snapshot, inputs->payloads);
  return candidate;
}

/// Makes the snapshots of the inputs restored from disk, which the guard compares with. Errors: it was
/// stopped, or its time was over.
Result<void> GuardedBuilds::build_restored(const Limits& limits) {
  for (std::optional<Build>* const one : {&in_force_, &baseline_}) {
    if (!*one || (*one)->snapshot) continue;
    const BuiltInputs& inputs = *(*one)->inputs;
    auto built = build_snapshot(inputs, inputs.graph_data_source, problem_url_, limits, clock_);
    if (built) {
      (*one)->snapshot = std::move(*built);
      continue;
    }
    // The next build makes it if this one was stopped: without it the guard would let everything through.
    if (has_ended(built.error().code)) return fail(built.error().within("building the last good graph"));
    log::warning("the last good graph cannot be built any more", {{"why", built.error().message}});
    one->reset();
  }
  if (!in_force_) std::swap(in_force_, baseline_);
  return {};
}

Result<GuardedBuilds::Candidate> GuardedBuilds::make(const Ingredients& gathered, const Accepted& accepted,
                                                     const Limits& limits) {
  if (guards_.widening.on) {
    if (auto restored = build_restored(limits); !restored) return fail(std::move(restored.error()));
  }
  auto assembled = assemble(gathered, accepted, limits);
  if (!assembled) return assembled;
  Candidate& fresh = *assembled;
  if (!in_force_) return first(std::move(fresh), accepted);
  if (!guards_.widening.on) return assembled;
  WideningMemory memory = in_force_->inputs->guard;
  const WallTime now = clock_.now();
  memory.forget_old(now);
  // Updates that were closed while a widening was held are in force too: `memory.absent` has them.
  const Build& base = baseline_ ? *baseline_ : *in_force_;
  auto found =
      graph::find_widening(*base.snapshot, *fresh.snapshot, *memory.absent, memory.accepted, limits, clock_);
  if (!found) return fail(std::move(found.error()));
  graph::Widening widening = std::move(*found);
  memory.count(widening.blocks, now);
  if (!guards_.widening.is_exceeded_by(widening, memory)) {
    memory.remember(widening, now);
  } else if (accepted.widenings.contains(widening.id)) {
    log::warning("a widening was accepted", {{"id", widening.id}, {"blocks", widening.lifted.size()}});
    memory.accepted = widening.id;
    memory.lifted.clear();
    memory.absent = std::make_shared<const graph::WithdrawnUpdates>(
        graph::WithdrawnUpdates{.updates = memory.absent->updates, .risks = memory.absent->risks});
  } else {
    return held_back(gathered, accepted, fresh, base, memory, std::move(widening), limits);
  }
  auto taken = take_over(memory, *fresh.snapshot, nullptr, *fresh.inputs, limits);
  if (!taken) return fail(std::move(taken.error()));
  remember_whether_compared(fresh, accepted);
  baseline_.reset();
  return assembled;
}

/// Decides about `fresh` when there is no build to compare it with.
Result<GuardedBuilds::Candidate> GuardedBuilds::first(Candidate fresh, const Accepted& accepted) const {
  if (!guards_.has_peers && !guards_.widening.on) return fresh;
  const std::string id = graph::snapshot_id(*fresh.snapshot);
  if (accepted.widenings.contains(id)) {
    log::warning("a graph was accepted that there is none to compare with", {{"id", id}});
    return fresh;
  }
  if (guards_.has_peers && !peers_.may_begin) {
    log::error("nothing is served: there is no earlier graph to compare with", {{"id", id}});
    return fail(ErrorCode::conflict,
                "there is no earlier graph to compare with, neither in --data nor at another replica (" +
                    (peers_.why.empty() ? "none was asked yet" : peers_.why) +
                    "), so that nobody knows what the sources would open. It goes on asking. If there is no "
                    "other graph, accept this one: " +
                    how_to_accept(id) + "; or start a replica with --first-start");
  }
  log::warning("there is no last good graph to compare with: what the sources say is taken as it is",
               {{"id", id}});
  if (!guards_.widening.on) return fresh;
  fresh.inputs->uncompared = true;
  add_problem(fresh, not_compared_problem(id));
  return fresh;
}

/// Marks a graph that was compared with nothing, until another one is taken, or somebody accepts it.
void GuardedBuilds::remember_whether_compared(Candidate& fresh, const Accepted& accepted) const {
  if (!in_force_->inputs->uncompared) return;
  const std::string id = graph::snapshot_id(*fresh.snapshot);
  if (accepted.widenings.contains(id) || id != graph::snapshot_id(*in_force_->snapshot)) return;
  fresh.inputs->uncompared = true;
  add_problem(fresh, not_compared_problem(id));
}

/// Makes a build of the gathered data with the blocks of `base`: opening is held, closing is not.
Result<GuardedBuilds::Candidate> GuardedBuilds::held_back(const Ingredients& gathered,
                                                          const Accepted& accepted, const Candidate& fresh,
                                                          const Build& base, const WideningMemory& memory,
                                                          graph::Widening widening, const Limits& limits) {
  hold(widening, memory);
  Ingredients parts = gathered;
  // Raw metadata may add updates, and what another replica says opens none.
  if (base.inputs->of_peers &&
      raw_metadata(*base.inputs->files) != raw_metadata(*gathered.graph_data->files)) {
    return fail(ErrorCode::conflict,
                "the newest data would lift too many blocks at once, and other replicas have another " +
                    std::string(graphdata::raw_metadata_path) + ": what is held cannot be served. " +
                    "It would lift " + describe(widening) +
                    ". If that is meant: " + how_to_accept(widening.id));
  }
  auto merged = graph_data_.with_blocks_of(*base.inputs->files, *gathered.graph_data, limits);
  if (!merged && base.inputs->of_peers)
    return fail(merged.error().within("putting the graph data together with what is held"));
  if (!merged) {
    log::warning("the graph data cannot be put together with what is held",
                 {{"why", merged.error().message}});
    merged = std::make_shared<const UnderstoodGraphData>(UnderstoodGraphData{
        .files = base.inputs->files, .revision = base.inputs->revision, .data = base.snapshot->graph_data});
  }
  parts.graph_data = std::move(*merged);
  auto assembled = assemble(parts, accepted, limits);
  if (!assembled) return assembled;
  Candidate& kept = *assembled;
  auto closed =
      graph::restrict_as(*kept.snapshot, *base.snapshot, *memory.absent, problem_url_, limits, clock_);
  if (closed) closed = graph::restrict_as(**closed, *fresh.snapshot, {}, problem_url_, limits, clock_);
  if (!closed) return fail(std::move(closed.error()));
  const std::shared_ptr<graph::Snapshot> snapshot = std::move(*closed);
  snapshot->problems.push_back(held_problem(widening, memory));
  kept.inputs->baseline = base.inputs;
  kept.inputs->held = std::make_shared<const HeldData>(HeldData{.files = gathered.graph_data->files,
                                                                .revision = gathered.graph_data->revision,
                                                                .blocks = widening.lifted.size()});
  kept.inputs->uncompared = in_force_->inputs->uncompared;
  auto taken = take_over(memory, *snapshot, base.snapshot.get(), *kept.inputs, limits);
  if (!taken) return fail(std::move(taken.error()));
  kept.snapshot = snapshot;
  kept.held = std::move(widening);
  baseline_ = Build(base);
  return assembled;
}

/// Updates the guard's memory for replacing `in_force_` by `snapshot`. `base`: the build that it was held
/// back with, if it was. All restrictions beyond those of `base` are then remembered: they must not be lost
/// while it stays.
Result<void> GuardedBuilds::take_over(WideningMemory memory, const graph::Snapshot& snapshot,
                                      const graph::Snapshot* base, BuiltInputs& inputs,
                                      const Limits& limits) const {
  auto absent = graph::withdrawn_updates(*memory.absent, *in_force_->snapshot, snapshot, base != nullptr,
                                         graph::max_withdrawn_updates, limits, clock_);
  if (absent && base != nullptr) {
    absent =
        graph::with_closed_updates(*absent, *base, snapshot, graph::max_withdrawn_updates, limits, clock_);
  }
  if (!absent) return fail(std::move(absent.error()));
  memory.absent = std::make_shared<const graph::WithdrawnUpdates>(std::move(*absent));
  inputs.guard = std::move(memory);
  return {};
}

void GuardedBuilds::hold(const graph::Widening& widening, const WideningMemory& memory) const {
  log::error("a refresh is held: it would lift too many blocks at once",
             {{"id", widening.id},
              {"blocks", std::to_string(widening.lifted.size()) + " of " + std::to_string(widening.blocks)},
              {"for_a_day", memory.lasting(widening.blocks)},
              {"lifted_before", memory.lifted.size()},
              {"limit", guards_.widening.to_string()},
              {"would_open", describe(widening)}});
}

graph::Problem GuardedBuilds::held_problem(const graph::Widening& widening,
                                           const WideningMemory& memory) const {
  const std::string what =
      "the newest data is held, because it would lift too many blocks at once; what it opens stays closed, "
      "and what it closes is closed";
  const std::string earlier =
      memory.lifted.empty() ? "" : ", after " + std::to_string(memory.lifted.size()) + " within the last day";
  const std::size_t counted = memory.lasting(widening.blocks);
  const std::string lasting =
      counted == widening.blocks
          ? ""
          : " blocks, of which " + std::to_string(counted) + " are known to be in force for a day and count";
  return {.kind = graph::problem_kind::widening_held,
          .place = {.file = graph_data_.name()},
          .message = redact_urls(what + ". It would lift " + std::to_string(widening.lifted.size()) + " of " +
                                 std::to_string(widening.blocks) + lasting + earlier + " (--max-widening " +
                                 guards_.widening.to_string() + "): " + describe(widening) +
                                 ". If that is meant: " + how_to_accept(widening.id)),
          .public_message = what + " (the log says what)"};
}

}  // namespace fairway::updateservice
