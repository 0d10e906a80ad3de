#include "updateservice/internal/builds/guarded_builds.h"

#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/redact.h"
#include "base/text.h"
#include "graph/restrict.h"
#include "updateservice/internal/builds/build_loaded.h"
#include "updateservice/internal/builds/payloads.h"

namespace fairway::updateservice {
namespace {

/// Of a build: it says nothing of what was built.
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

}  // namespace

GuardedBuilds::GuardedBuilds(const GraphDataInForce& graph_data, std::string problem_url, Clock& clock,
                             Guards guards)
    : graph_data_(graph_data),
      problem_url_(std::move(problem_url)),
      clock_(clock),
      guards_(std::move(guards)) {}

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
  keep_payloads(*inputs, in_force_ ? in_force_->inputs.get() : nullptr, payloads_, accepted, problems);
  Candidate candidate{.inputs = inputs};
  auto snapshot =
      build_loaded(*inputs, parts.graph_data->data, std::move(problems), problem_url_, limits, clock_);
  if (!snapshot) return fail(std::move(snapshot.error()));
  candidate.snapshot = std::move(*snapshot);
  inputs->payloads = payloads_;
  remember_payloads(*candidate.snapshot, inputs->payloads);
  return candidate;
}

/// Makes the snapshots of what came back from disk, which the guard compares with. An Error: it was
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
    // What is not made yet is made by the next build: without it the guard would let everything through.
    if (has_ended(built.error().code)) return fail(built.error().within("building the last good graph"));
    log::warning("the last good graph cannot be built any more", {{"why", built.error().message}});
    one->reset();
  }
  if (!in_force_) std::swap(in_force_, baseline_);
  return {};
}

Result<GuardedBuilds::Candidate> GuardedBuilds::make(const Ingredients& gathered, const Accepted& accepted,
                                                     const Limits& limits) {
  if (!guards_.widening.on) return assemble(gathered, accepted, limits);
  if (auto restored = build_restored(limits); !restored) return fail(std::move(restored.error()));
  auto assembled = assemble(gathered, accepted, limits);
  if (!assembled) return assembled;
  Candidate& fresh = *assembled;
  if (!in_force_) {
    log::warning("there is no last good graph to compare with: what the sources say is taken as it is");
    return assembled;
  }
  WideningMemory memory = in_force_->inputs->guard;
  const WallTime now = clock_.now();
  memory.forget_old(now);
  graph::Widening reopened;
  if (baseline_) {
    // What was closed while the widening was held is in force too.
    const auto closed = graph::restrict_as(*fresh.snapshot, *baseline_->snapshot, *memory.absent,
                                           problem_url_, limits, clock_);
    if (!closed) return fail(closed.error());
    auto found =
        graph::find_widening(*in_force_->snapshot, **closed, *memory.absent, memory.accepted, limits, clock_);
    if (!found) return fail(std::move(found.error()));
    reopened = std::move(*found);
  }
  const bool holds_more = guards_.widening.is_exceeded_by(reopened, memory);
  const Build& base = baseline_ && !holds_more ? *baseline_ : *in_force_;
  auto found =
      graph::find_widening(*base.snapshot, *fresh.snapshot, *memory.absent, memory.accepted, limits, clock_);
  if (!found) return fail(std::move(found.error()));
  graph::Widening widening = std::move(*found);
  if (!guards_.widening.is_exceeded_by(widening, memory)) {
    memory.remember(widening, now);
    memory.remember(reopened, now);
  } else if (accepted.widenings.contains(widening.id)) {
    log::warning("a widening was accepted", {{"id", widening.id}, {"blocks", widening.lifted.size()}});
    memory.accepted = widening.id;
    memory.lifted.clear();
    memory.absent = std::make_shared<const graph::WithdrawnUpdates>(
        graph::WithdrawnUpdates{.updates = memory.absent->updates, .risks = memory.absent->risks});
  } else {
    return held_back(gathered, accepted, fresh, base, memory, std::move(widening), limits);
  }
  auto taken = take_over(memory, *fresh.snapshot, false, *fresh.inputs, limits);
  if (!taken) return fail(std::move(taken.error()));
  baseline_.reset();
  return assembled;
}

/// What was gathered with the blocks of `base`: opening is held, closing is not.
Result<GuardedBuilds::Candidate> GuardedBuilds::held_back(const Ingredients& gathered,
                                                          const Accepted& accepted, const Candidate& fresh,
                                                          const Build& base, const WideningMemory& memory,
                                                          graph::Widening widening, const Limits& limits) {
  hold(widening, memory);
  Ingredients parts = gathered;
  auto merged = graph_data_.with_blocks_of(*base.inputs->files, *gathered.graph_data, limits);
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
  auto taken = take_over(memory, *snapshot, true, *kept.inputs, limits);
  if (!taken) return fail(std::move(taken.error()));
  kept.snapshot = snapshot;
  kept.held = std::move(widening);
  baseline_ = Build(base);
  return assembled;
}

/// What the guard knows after `in_force_` was replaced.
Result<void> GuardedBuilds::take_over(WideningMemory memory, const graph::Snapshot& snapshot, bool held,
                                      BuiltInputs& inputs, const Limits& limits) const {
  auto absent = graph::withdrawn_updates(*memory.absent, *in_force_->snapshot, snapshot, held,
                                         graph::max_withdrawn_updates, limits, clock_);
  if (!absent) return fail(std::move(absent.error()));
  memory.absent = std::make_shared<const graph::WithdrawnUpdates>(std::move(*absent));
  inputs.guard = std::move(memory);
  return {};
}

void GuardedBuilds::hold(const graph::Widening& widening, const WideningMemory& memory) const {
  log::error("a refresh is held: it would lift too many blocks at once",
             {{"id", widening.id},
              {"blocks", std::to_string(widening.lifted.size()) + " of " + std::to_string(widening.blocks)},
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
  return {.kind = graph::problem_kind::widening_held,
          .place = {.file = graph_data_.name()},
          .message = redact_urls(what + ". It would lift " + std::to_string(widening.lifted.size()) + " of " +
                                 std::to_string(widening.blocks) + earlier + " (--max-widening " +
                                 guards_.widening.to_string() + "): " + describe(widening) +
                                 ". If that is meant: fairway graph accept " + widening.id +
                                 " --data DIR, or the line " + widening.id + " in the file " +
                                 accept_widening_path + " of the graph data"),
          .public_message = what + " (the log says what)"};
}

}  // namespace fairway::updateservice
