#include "updateservice/builder.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/redact.h"
#include "base/text.h"
#include "base/timed_condition.h"
#include "graph/build.h"
#include "graph/restrict.h"
#include "graph/size.h"
#include "updateservice/internal/graph_data_in_force.h"
#include "updateservice/internal/guarded.h"
#include "updateservice/internal/payloads.h"

namespace fairway::updateservice {

namespace {

/// Of all graphs as JSON: those of real graph data have 13 MB. Each is held with its compressed form.
constexpr std::size_t max_served_bytes = std::size_t{512} << 20;
/// Of one build: real data takes less than a second.
constexpr std::chrono::minutes longest_build{2};

using graph::Problem;
using SharedReleases = std::shared_ptr<const sources::FetchedReleases>;
using SharedGraphData = std::shared_ptr<const UnderstoodGraphData>;

bool same_problem(const Problem& a, const Problem& b) {
  return std::tie(a.kind, a.place, a.message, a.channels, a.versions) ==
         std::tie(b.kind, b.place, b.message, b.channels, b.versions);
}

bool same_release(const graph::Release& a, const graph::Release& b) {
  return std::tie(a.version, a.arch, a.payload, a.metadata, a.previous, a.next, a.source) ==
         std::tie(b.version, b.arch, b.payload, b.metadata, b.previous, b.next, b.source);
}

/// Whether two answers of one source say the same.
bool same_answer(const sources::FetchedReleases& a, const sources::FetchedReleases& b) {
  if (!a.revision.empty() || !b.revision.empty()) return a.revision == b.revision;
  return a.upstreams.empty() && b.upstreams.empty() &&
         std::ranges::equal(a.problems, b.problems, same_problem) &&
         std::ranges::equal(a.releases, b.releases, same_release);
}

Result<std::shared_ptr<const graph::Snapshot>> put_together(
    const BuiltInputs& inputs, std::shared_ptr<const graph::GraphData> graph_data,
    std::vector<Problem> problems, const std::string& problem_url, const Limits& limits, const Clock& clock) {
  graph::BuildInputs build;
  for (const sources::FetchedReleases& one : inputs.releases) {
    build.releases.insert(build.releases.end(), one.releases.begin(), one.releases.end());
    build.upstreams.insert(build.upstreams.end(), one.upstreams.begin(), one.upstreams.end());
    build.problems.insert(build.problems.end(), one.problems.begin(), one.problems.end());
  }
  std::ranges::move(problems, std::back_inserter(build.problems));
  build.graph_data = std::move(graph_data);
  build.problem_url = problem_url;
  return graph::build(std::move(build), limits, clock);
}

/// Of a build: it says nothing of what was built.
bool has_ended(ErrorCode code) {
  return code == ErrorCode::cancelled || code == ErrorCode::deadline_exceeded;
}

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

/// Whether inputs are of a source. Earlier programs kept names only, which count where they leave nothing
/// out.
template <class Source>
bool is_same(const Source& source, const std::string& name, const std::string& identity) {
  return source.identity() == (identity.empty() ? name : identity);
}

}  // namespace

Result<std::shared_ptr<const graph::Snapshot>> build_snapshot(const BuiltInputs& inputs,
                                                              const std::string& graph_data_name,
                                                              const std::string& problem_url,
                                                              const Limits& limits, const Clock& clock) {
  const bool has_upstreams = std::ranges::any_of(
      inputs.releases, [](const sources::FetchedReleases& one) { return !one.upstreams.empty(); });
  auto graph_data = graphdata::load(inputs.files, {.source = graph_data_name,
                                                   .problem_url = problem_url,
                                                   .needs_channels = !has_upstreams,
                                                   .limits = limits,
                                                   .clock = &clock});
  if (!graph_data) return fail(graph_data.error());
  auto snapshot = put_together(inputs, std::make_shared<const graph::GraphData>(std::move(*graph_data)), {},
                               problem_url, limits, clock);
  if (!snapshot || !inputs.baseline) return snapshot;
  const auto baseline = build_snapshot(*inputs.baseline, graph_data_name, problem_url, limits, clock);
  if (!baseline) return fail(baseline.error());
  return graph::restrict_as(**snapshot, **baseline, *inputs.guard.absent, problem_url, limits, clock);
}

struct Builder::Implementation {
  /// A source that is being asked, in a thread of its own.
  struct Asking {
    std::optional<SteadyTime> since;  ///< nothing while it is not asked
    WallTime time{};                  ///< the same for people
    bool overdue = false;
    bool late = false;  ///< the refresh that asked does not wait for it any more
    std::stop_source stop;
    std::jthread thread;
  };
  /// A source of releases and what it said.
  struct ReleaseSlot {
    std::unique_ptr<sources::ReleaseSource> source;
    // Under `state_mutex`:
    SharedReleases good;
    std::optional<Error> error;  ///< of the last fetch
    Asking asking;
  };
  /// What an outcome was made of: the same again gives the same outcome.
  struct Ingredients {
    std::vector<SharedReleases> releases;
    SharedGraphData graph_data;
    std::vector<Problem> problems;

    bool operator==(const Ingredients& other) const {
      return releases == other.releases && graph_data == other.graph_data &&
             std::ranges::equal(problems, other.problems, same_problem);
    }
  };

  /// What was made of ingredients.
  struct Build {
    std::shared_ptr<const BuiltInputs> inputs;
    std::shared_ptr<const graph::Snapshot> snapshot;  ///< null only after `restore`: not made yet
  };
  /// What is made of ingredients.
  struct Candidate {
    std::shared_ptr<BuiltInputs> inputs;
    std::shared_ptr<const graph::Snapshot> snapshot;
    std::optional<graph::Widening> held = std::nullopt;
  };

  Implementation(std::unique_ptr<sources::GraphDataSource> graph_data_source, LoadGraphData load,
                 std::string its_problem_url, bool has_upstreams, Clock& its_clock, Guards its_guards)
      // Graph data need not have channels where an upstream has some.
      : graph_data(std::move(graph_data_source), std::move(load), its_problem_url, !has_upstreams, its_clock),
        problem_url(std::move(its_problem_url)),
        clock(its_clock),
        guards(std::move(its_guards)) {}

  std::vector<std::unique_ptr<ReleaseSlot>> releases;
  GraphDataInForce graph_data;
  const std::string problem_url;
  Clock& clock;
  const Guards guards;

  std::stop_source stopping;  ///< of all builds
  std::mutex state_mutex;
  TimedCondition answered;
  Asking asking_graph_data;           ///< under `state_mutex`
  std::function<void()> late_answer;  ///< under `state_mutex`
  // Held while a snapshot is made, before `state_mutex`: of two builds at once the later one knows all of the
  // earlier.
  std::mutex build_mutex;
  // Under `build_mutex`:
  std::optional<Ingredients> last_gathered;
  Accepted last_accepted;
  /// What was built last, or came back from disk: the guards compare with it.
  std::optional<Build> in_force;
  /// While a widening is held: the last build that was taken whole.
  std::optional<Build> baseline;
  Payloads payloads;
  BuildOutcome last;
  std::optional<Error> refused;  ///< why what was gathered last cannot be served
  std::uint64_t number = 0;

  ~Implementation() {
    {
      const std::lock_guard lock(state_mutex);
      late_answer = nullptr;
    }
    each_asking([](Asking& asking) { asking.stop.request_stop(); });
    each_asking([](Asking& asking) {
      if (asking.thread.joinable()) asking.thread.join();
    });
  }

  template <class Visit>
  void each_asking(Visit visit) {
    for (const auto& slot : releases) visit(slot->asking);
    visit(asking_graph_data);
  }

  void ask(ReleaseSlot& slot, const sources::FetchContext& context) {
    auto fetched =
        updateservice::guarded("reading the releases", [&] { return slot.source->fetch(context); });
    const std::lock_guard lock(state_mutex);
    if (!fetched) {
      log::warning("a source could not be read",
                   {{"source", slot.source->name()}, {"why", fetched.error().message}});
      slot.error = std::move(fetched.error());
      return;
    }
    slot.error.reset();
    fetched->source = slot.source->name();
    fetched->identity = slot.source->identity();
    if (!slot.good || !same_answer(*slot.good, *fetched)) {
      slot.good = std::make_shared<const sources::FetchedReleases>(std::move(*fetched));
    }
  }

  /// Asks in a thread, unless it is asked already. Under `state_mutex`, as `failed` is called.
  template <class Ask, class Failed>
  void begin(Asking& asking, const sources::FetchContext& context, Ask ask, Failed failed) {
    if (asking.since) return;
    // It has ended: what it did last was to say so.
    if (asking.thread.joinable()) asking.thread.join();
    asking.overdue = asking.late = false;
    asking.stop = std::stop_source();
    asking.time = clock.now();
    asking.since = clock.steady();
    try {
      asking.thread =
          std::jthread([this, &asking, context, ask, failed] { run(asking, context, ask, failed); });
    } catch (const std::exception& fault) {
      // It is asked again at the next refresh.
      asking.since.reset();
      failed({ErrorCode::unavailable, std::string("no thread could be started to ask it: ") + fault.what()});
    }
  }

  /// What the thread of a source does.
  template <class Ask, class Failed>
  void run(Asking& asking, const sources::FetchContext& context, Ask ask, Failed failed) {
    try {
      const std::stop_callback forward(context.stop, [&asking] { asking.stop.request_stop(); });
      ask(sources::FetchContext{asking.stop.get_token(), context.progress});
    } catch (const std::exception& fault) {
      try {
        const std::lock_guard lock(state_mutex);
        failed({ErrorCode::internal, std::string("a fault of Fairway itself: ") + fault.what()});
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
        // There is no memory left to say so. It is asked again.
      }
    }
    try {
      bool late = false;
      std::function<void()> tell;
      {
        const std::lock_guard lock(state_mutex);
        asking.since.reset();
        late = asking.late;
        tell = late_answer;
      }
      answered.notify_all();
      if (late && tell) tell();
    } catch (const std::exception&) {
      const std::lock_guard lock(state_mutex);
      asking.since.reset();
      answered.notify_all();
    }
  }

  /// Asks all that are not being asked, and waits for these. False: it was stopped.
  bool ask_all(const sources::FetchContext& context, const Waits& waits) {
    std::unique_lock lock(state_mutex);
    std::vector<Asking*> waited_for;
    for (const auto& slot : releases) {
      if (slot->asking.since) continue;
      waited_for.push_back(&slot->asking);
      begin(
          slot->asking, context, [this, &slot = *slot](const sources::FetchContext& its) { ask(slot, its); },
          [&slot = *slot](Error error) { slot.error = std::move(error); });
    }
    if (!asking_graph_data.since) {
      waited_for.push_back(&asking_graph_data);
      begin(
          asking_graph_data, context, [this](const sources::FetchContext& its) { graph_data.ask(its); },
          [this](Error error) { graph_data.failed(std::move(error)); });
    }
    answered.wait(lock, clock, Limits::within(clock, waits.patience, context.stop), [&] {
      return std::ranges::none_of(waited_for, [](const Asking* asking) { return asking->since.has_value(); });
    });
    if (context.stop.stop_requested()) return false;
    each_asking([&](Asking& asking) {
      if (!asking.since) return;
      asking.late = true;
      asking.overdue = clock.steady() - *asking.since >= waits.overdue;
    });
    return true;
  }

  /// Why a source that is overdue gives nothing. Its time makes a text that stays.
  static std::string silence(const Asking& asking) {
    return "it was asked at " + format_time(asking.time) + ", and has not answered yet";
  }

  /// What is in force now, and which problems say that it is not all new. Under `state_mutex`.
  Result<Ingredients> gather() const {
    Ingredients now;
    std::vector<std::string> missing;
    for (const auto& slot : releases) {
      now.releases.push_back(slot->good);
      const std::string name = slot->source->name();
      const bool silent = slot->asking.since && slot->asking.overdue;
      if (!slot->good) {
        missing.push_back("releases " + name + ": " +
                          (slot->asking.since ? silence(slot->asking) : why(slot->error)));
      }
      if (!slot->good || (!slot->error && !silent)) continue;
      now.problems.push_back(
          {.kind = graph::problem_kind::source_unavailable,
           .place = {.file = name},
           .message = "the releases could not be read again; what was read last stays in force: " +
                      (silent ? silence(slot->asking) : slot->error->message),
           .channels = slot->source->channels()});
    }
    const GraphDataInForce::State state = graph_data.state();
    now.graph_data = state.good;
    if (!state.good) {
      const std::string subject = "graph data " + graph_data.name() + ": ";
      missing.push_back(subject + (state.refused ? "refused: " + behind(subject, state.refused->message)
                                   : asking_graph_data.since ? silence(asking_graph_data)
                                                             : behind(subject, why(state.error))));
    }
    if (!missing.empty()) return fail(failure_code(state), join(missing, "; "));
    if (state.refused || state.error) {
      now.problems.push_back(graph_data_fault(state));
    } else if (asking_graph_data.since && asking_graph_data.overdue) {
      now.problems.push_back(
          {.kind = graph::problem_kind::source_unavailable,
           .place = {.file = graph_data.name()},
           .message = "the graph data could not be read again; what was read last stays in force: " +
                      silence(asking_graph_data)});
    }
    std::ranges::copy(state.good->fetched.problems, std::back_inserter(now.problems));
    return now;
  }

  /// What a message says behind its subject, where it begins with that.
  static std::string behind(const std::string& subject, const std::string& message) {
    return message.starts_with(subject) ? message.substr(subject.size()) : message;
  }

  static std::string why(const std::optional<Error>& error) {
    return error ? error->message : "not asked yet";
  }

  ErrorCode failure_code(const GraphDataInForce::State& state) const {
    for (const auto& slot : releases) {
      if (!slot->good && slot->error) return slot->error->code;
    }
    if (state.refused) return state.refused->code;
    return state.error ? state.error->code : ErrorCode::unavailable;
  }

  /// What is wrong with graph data may quote any channel's file, and files that nothing is known of yet.
  Problem graph_data_fault(const GraphDataInForce::State& state) const {
    const Error& error = *(state.error ? state.error : state.refused);
    const std::string what =
        state.error
            ? "the graph data could not be read again; what was read last stays in force"
            : "the newest graph data is refused; what was read before it stays in force until it is fixed";
    return {.kind = state.error ? graph::problem_kind::source_unavailable
                                : graph::problem_kind::graph_data_refused,
            .place = {.file = graph_data.name()},
            .message = what + ": " + error.message,
            .public_message = what + " (the log says why)"};
  }

  Result<BuildOutcome> make(SteadyTime began, const std::stop_token& stop = {}) {
    const std::lock_guard building(build_mutex);
    std::stop_source either;
    const auto end = [&either] { either.request_stop(); };
    const std::stop_callback on_stop(stop, end), on_stopping(stopping.get_token(), end);
    const Limits limits = Limits::within(clock, longest_build, either.get_token());
    Result<Ingredients> gathered = [this] {
      const std::lock_guard lock(state_mutex);
      return gather();
    }();
    if (!gathered) {
      log::error("there is nothing to serve yet", {{"why", gathered.error().message}});
      return fail(std::move(gathered.error()));
    }
    Accepted accepted = read_accepted(guards.data_directory, gathered->graph_data->fetched.files);
    const bool changed = !last_gathered || !(*last_gathered == *gathered) || accepted != last_accepted;
    const bool has_problems = !gathered->problems.empty();
    if (changed) {
      auto candidate = guarded(*gathered, accepted, limits);
      if (!candidate && candidate.error().code != ErrorCode::deadline_exceeded)
        return fail(std::move(candidate.error()));
      refused = why_refused(candidate);
      if (refused) {
        if (Result<void> kept = keep_what_is_in_force(); !kept) return fail(std::move(kept.error()));
      } else {
        last.held = std::move(candidate->held);
        in_force = Build{std::move(candidate->inputs), std::move(candidate->snapshot)};
        last.snapshot = in_force->snapshot;
        last.inputs = in_force->inputs;
        payloads = in_force->inputs->payloads;
      }
      last_gathered = std::move(*gathered);
      last_accepted = std::move(accepted);
      // The machine may have been busy: it is tried again.
      if (!candidate) last_gathered.reset();
    }
    last.fresh = !has_problems && !last.held && !refused;
    last.upstream_errors = failures();
    {
      const std::lock_guard lock(state_mutex);
      last.complete = true;
      each_asking([this](const Asking& asking) { last.complete = last.complete && !asking.since; });
    }
    last.number = ++number;
    report(changed, began);
    return last;
  }

  static std::optional<Error> why_refused(const Result<Candidate>& candidate) {
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

  /// What was gathered is refused: what is in force stays, and says so.
  Result<void> keep_what_is_in_force() {
    log::error("the newest data is refused", {{"why", refused->message}});
    if (!in_force || !in_force->snapshot) return fail(refused->within("building the graph"));
    auto snapshot = std::make_shared<graph::Snapshot>(*in_force->snapshot);
    snapshot->problems.push_back(
        {.kind = graph::problem_kind::graph_data_refused,
         .place = {.file = graph_data.name()},
         .message = "the newest data is refused; what was served before stays: " + refused->message});
    last.snapshot = std::move(snapshot);
    last.inputs = in_force->inputs;
    return {};
  }

  Result<Candidate> assemble(const Ingredients& parts, const Accepted& accepted, const Limits& limits) const {
    auto inputs = std::make_shared<BuiltInputs>();
    for (const SharedReleases& one : parts.releases) {
      if (one) inputs->releases.push_back(*one);
    }
    inputs->files = parts.graph_data->fetched.files;
    inputs->revision = parts.graph_data->fetched.revision;
    inputs->graph_data_source = graph_data.name();
    inputs->graph_data_identity = graph_data.identity();
    std::vector<Problem> problems = parts.problems;
    keep_payloads(*inputs, in_force ? in_force->inputs.get() : nullptr, payloads, accepted, problems);
    Candidate candidate{.inputs = inputs};
    auto snapshot =
        put_together(*inputs, parts.graph_data->data, std::move(problems), problem_url, limits, clock);
    if (!snapshot) return fail(std::move(snapshot.error()));
    candidate.snapshot = std::move(*snapshot);
    inputs->payloads = payloads;
    remember_payloads(*candidate.snapshot, inputs->payloads);
    return candidate;
  }

  /// Makes the snapshots of what came back from disk, which the guard compares with. An Error: it was
  /// stopped, or its time was over.
  Result<void> build_restored(const Limits& limits) {
    for (std::optional<Build>* const one : {&in_force, &baseline}) {
      if (!*one || (*one)->snapshot) continue;
      const BuiltInputs& inputs = *(*one)->inputs;
      auto built = build_snapshot(inputs, inputs.graph_data_source, problem_url, limits, clock);
      if (built) {
        (*one)->snapshot = std::move(*built);
        continue;
      }
      // What is not made yet is made by the next build: without it the guard would let everything through.
      if (has_ended(built.error().code)) return fail(built.error().within("building the last good graph"));
      log::warning("the last good graph cannot be built any more", {{"why", built.error().message}});
      one->reset();
    }
    if (!in_force) std::swap(in_force, baseline);
    return {};
  }

  /// What is served of what was gathered: all of it; or, where that would lift too many blocks at once, all
  /// of it with what the last build that was taken whole has against its updates.
  Result<Candidate> guarded(const Ingredients& gathered, const Accepted& accepted, const Limits& limits) {
    if (!guards.widening.on) return assemble(gathered, accepted, limits);
    if (auto restored = build_restored(limits); !restored) return fail(std::move(restored.error()));
    auto assembled = assemble(gathered, accepted, limits);
    if (!assembled) return assembled;
    Candidate& fresh = *assembled;
    if (!in_force) {
      log::warning("there is no last good graph to compare with: what the sources say is taken as it is");
      return assembled;
    }
    WideningMemory memory = in_force->inputs->guard;
    const WallTime now = clock.now();
    memory.forget_old(now);
    graph::Widening reopened;
    if (baseline) {
      // What was closed while the widening was held is in force too.
      const auto closed = graph::restrict_as(*fresh.snapshot, *baseline->snapshot, *memory.absent,
                                             problem_url, limits, clock);
      if (!closed) return fail(closed.error());
      auto found =
          graph::find_widening(*in_force->snapshot, **closed, *memory.absent, memory.accepted, limits, clock);
      if (!found) return fail(std::move(found.error()));
      reopened = std::move(*found);
    }
    const bool holds_more = guards.widening.is_exceeded_by(reopened, memory);
    const Build& base = baseline && !holds_more ? *baseline : *in_force;
    auto found =
        graph::find_widening(*base.snapshot, *fresh.snapshot, *memory.absent, memory.accepted, limits, clock);
    if (!found) return fail(std::move(found.error()));
    graph::Widening widening = std::move(*found);
    if (!guards.widening.is_exceeded_by(widening, memory)) {
      memory.remember(widening, now);
      memory.remember(reopened, now);
    } else if (accepted.widenings.contains(widening.id)) {
      log::warning("a widening was accepted",
                   {{"id", widening.id}, {"blocks", std::to_string(widening.lifted.size())}});
      memory.accepted = widening.id;
      memory.lifted.clear();
      memory.absent = std::make_shared<const graph::AbsentUpdates>(
          graph::AbsentUpdates{.updates = memory.absent->updates, .risks = memory.absent->risks});
    } else {
      return held_back(gathered, accepted, fresh, base, memory, std::move(widening), limits);
    }
    auto taken = take_over(memory, *fresh.snapshot, false, *fresh.inputs, limits);
    if (!taken) return fail(std::move(taken.error()));
    baseline.reset();
    return assembled;
  }

  /// What was gathered with the blocks of `base`: opening is held, closing is not.
  Result<Candidate> held_back(const Ingredients& gathered, const Accepted& accepted, const Candidate& fresh,
                              const Build& base, const WideningMemory& memory, graph::Widening widening,
                              const Limits& limits) {
    hold(widening, memory);
    Ingredients parts = gathered;
    auto merged = graph_data.with_blocks_of(base.inputs->files, *gathered.graph_data, limits);
    if (!merged) {
      log::warning("the graph data cannot be put together with what is held",
                   {{"why", merged.error().message}});
      merged = std::make_shared<const UnderstoodGraphData>(UnderstoodGraphData{
          {.files = base.inputs->files, .revision = base.inputs->revision}, base.snapshot->graph_data});
    }
    parts.graph_data = std::move(*merged);
    auto assembled = assemble(parts, accepted, limits);
    if (!assembled) return assembled;
    Candidate& kept = *assembled;
    auto closed =
        graph::restrict_as(*kept.snapshot, *base.snapshot, *memory.absent, problem_url, limits, clock);
    if (closed) closed = graph::restrict_as(**closed, *fresh.snapshot, {}, problem_url, limits, clock);
    if (!closed) return fail(std::move(closed.error()));
    const std::shared_ptr<graph::Snapshot> snapshot = std::move(*closed);
    snapshot->problems.push_back(held_problem(widening, memory));
    kept.inputs->baseline = base.inputs;
    auto taken = take_over(memory, *snapshot, true, *kept.inputs, limits);
    if (!taken) return fail(std::move(taken.error()));
    kept.snapshot = snapshot;
    kept.held = std::move(widening);
    baseline = Build(base);
    return assembled;
  }

  /// What the guard knows after `in_force` was replaced.
  Result<void> take_over(WideningMemory memory, const graph::Snapshot& snapshot, bool held,
                         BuiltInputs& inputs, const Limits& limits) const {
    auto absent = graph::absent_updates(*memory.absent, *in_force->snapshot, snapshot, held,
                                        graph::max_absent_updates, limits, clock);
    if (!absent) return fail(std::move(absent.error()));
    memory.absent = std::make_shared<const graph::AbsentUpdates>(std::move(*absent));
    inputs.guard = std::move(memory);
    return {};
  }

  static std::string describe(const graph::Widening& widening) {
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

  void hold(const graph::Widening& widening, const WideningMemory& memory) const {
    log::error("a refresh is held: it would lift too many blocks at once",
               {{"id", widening.id},
                {"blocks", std::to_string(widening.lifted.size()) + " of " + std::to_string(widening.blocks)},
                {"lifted_before", std::to_string(memory.lifted.size())},
                {"limit", guards.widening.to_string()},
                {"would_open", describe(widening)}});
  }

  Problem held_problem(const graph::Widening& widening, const WideningMemory& memory) const {
    const std::string what =
        "the newest data is held, because it would lift too many blocks at once; what it opens stays closed, "
        "and what it closes is closed";
    const std::string earlier =
        memory.lifted.empty() ? ""
                              : ", after " + std::to_string(memory.lifted.size()) + " within the last day";
    return {.kind = graph::problem_kind::widening_held,
            .place = {.file = graph_data.name()},
            .message = redact_urls(what + ". It would lift " + std::to_string(widening.lifted.size()) +
                                   " of " + std::to_string(widening.blocks) + earlier + " (--max-widening " +
                                   guards.widening.to_string() + "): " + describe(widening) +
                                   ". If that is meant: fairway graph accept " + widening.id +
                                   " --data DIR, or the line " + widening.id + " in the file " +
                                   accept_widening_path + " of the graph data"),
            .public_message = what + " (the log says what)"};
  }

  std::size_t failures() {
    const std::lock_guard lock(state_mutex);
    std::size_t count = graph_data.state().error ? 1 : 0;
    for (const auto& slot : releases) count += slot->error ? 1 : slot->good ? slot->good->upstream_errors : 0;
    return count;
  }

  void report(bool changed, SteadyTime began) const {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock.steady() - began);
    std::size_t release_count = 0;
    for (const graph::Architecture& one : last.snapshot->architectures) release_count += one.releases.size();
    log::info(changed ? "built the graph anew" : "nothing has changed",
              {{"releases", std::to_string(release_count)},
               {"channels", std::to_string(last.snapshot->channels.size())},
               {"problems", std::to_string(last.snapshot->problems.size())},
               {"graph_data", last.inputs->revision},
               {"sources",
                count_text(releases.size() + 1, "source", "sources") + (last.fresh ? "" : ", not all new")},
               {"took", format_duration(took)}});
  }
};

Builder::Builder(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
                 std::unique_ptr<sources::GraphDataSource> graph_data, std::string problem_url, Clock& clock,
                 LoadGraphData load, Guards guards) {
  // A source that names its channels asks an update service for them.
  const bool has_upstreams =
      std::ranges::any_of(releases, [](const auto& source) { return !source->channels().empty(); });
  implementation_ =
      std::make_unique<Implementation>(std::move(graph_data), std::move(load), std::move(problem_url),
                                       has_upstreams, clock, std::move(guards));
  for (auto& source : releases) {
    implementation_->releases.push_back(std::make_unique<Implementation::ReleaseSlot>());
    implementation_->releases.back()->source = std::move(source);
  }
}

Builder::~Builder() = default;

Result<BuildOutcome> Builder::refresh(const sources::FetchContext& context, const Waits& waits) {
  const SteadyTime began = implementation_->clock.steady();
  if (!implementation_->ask_all(context, waits))
    return fail(ErrorCode::cancelled, "asking the sources: stopped");
  return guarded("building the graph", [&] { return implementation_->make(began, context.stop); });
}

Result<BuildOutcome> Builder::rebuild() {
  return implementation_->make(implementation_->clock.steady());
}

void Builder::on_late(std::function<void()> answered) {
  const std::lock_guard lock(implementation_->state_mutex);
  implementation_->late_answer = std::move(answered);
}

Result<BuildOutcome> Builder::refresh_graph_data(const sources::FetchContext& context) {
  const SteadyTime began = implementation_->clock.steady();
  std::stop_source either;
  const auto end = [&either] { either.request_stop(); };
  const std::stop_callback on_stop(context.stop, end),
      on_stopping(implementation_->stopping.get_token(), end);
  const std::stop_token stop = either.get_token();
  if (!stop.stop_requested()) implementation_->graph_data.ask({stop, context.progress});
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "asking for graph data: stopped");
  return guarded("building the graph", [&] { return implementation_->make(began, stop); });
}

void Builder::restore(const std::shared_ptr<const BuiltInputs>& inputs,
                      const std::shared_ptr<const graph::Snapshot>& built, const std::stop_token& stop) {
  Implementation& self = *implementation_;
  const std::lock_guard building(self.build_mutex);
  if (is_same(self.graph_data.source(), inputs->graph_data_source, inputs->graph_data_identity)) {
    self.graph_data.restore(inputs->files, inputs->revision, built ? built->graph_data : nullptr, stop);
  } else {
    self.graph_data.know_files_of_another(inputs->files);
  }
  {
    const std::lock_guard lock(self.state_mutex);
    for (const auto& slot : self.releases) {
      const auto known = std::ranges::find_if(inputs->releases, [&](const auto& one) {
        return is_same(*slot->source, one.source, one.identity);
      });
      if (known != inputs->releases.end() && !slot->good)
        slot->good = std::make_shared<const sources::FetchedReleases>(*known);
    }
  }
  if (self.payloads.empty()) self.payloads = inputs->payloads;
  if (self.in_force) return;
  self.in_force = Implementation::Build{inputs, built};
  if (inputs->baseline) self.baseline = Implementation::Build{inputs->baseline, nullptr};
}

void Builder::stop() {
  implementation_->stopping.request_stop();
  const std::lock_guard lock(implementation_->state_mutex);
  implementation_->each_asking([](Implementation::Asking& asking) { asking.stop.request_stop(); });
}

sources::GraphDataSource& Builder::graph_data_source() {
  return implementation_->graph_data.source();
}

}  // namespace fairway::updateservice
