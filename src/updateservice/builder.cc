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
#include "base/text.h"
#include "base/timed_condition.h"
#include "updateservice/internal/graph_data_in_force.h"
#include "updateservice/internal/guarded.h"
#include "updateservice/internal/payloads.h"

namespace fairway::updateservice {

namespace {

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

std::shared_ptr<const graph::Snapshot> put_together(const BuiltInputs& inputs,
                                                    std::shared_ptr<const graph::GraphData> graph_data,
                                                    std::vector<Problem> problems,
                                                    const std::string& problem_url) {
  graph::BuildInputs build;
  for (const sources::FetchedReleases& one : inputs.releases) {
    build.releases.insert(build.releases.end(), one.releases.begin(), one.releases.end());
    build.upstreams.insert(build.upstreams.end(), one.upstreams.begin(), one.upstreams.end());
    build.problems.insert(build.problems.end(), one.problems.begin(), one.problems.end());
  }
  std::ranges::move(problems, std::back_inserter(build.problems));
  build.graph_data = std::move(graph_data);
  build.problem_url = problem_url;
  return graph::build(std::move(build));
}

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace

Result<std::shared_ptr<const graph::Snapshot>> build_snapshot(const BuiltInputs& inputs,
                                                              const std::string& graph_data_name,
                                                              const std::string& problem_url) {
  const bool has_upstreams = std::ranges::any_of(
      inputs.releases, [](const sources::FetchedReleases& one) { return !one.upstreams.empty(); });
  auto graph_data = graphdata::load(
      inputs.files,
      {.source = graph_data_name, .problem_url = problem_url, .needs_channels = !has_upstreams});
  if (!graph_data) return fail(graph_data.error());
  return put_together(inputs, std::make_shared<const graph::GraphData>(std::move(*graph_data)), {},
                      problem_url);
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

  /// What is made of ingredients.
  struct Candidate {
    Ingredients parts;
    std::shared_ptr<const BuiltInputs> inputs;
    std::shared_ptr<const graph::Snapshot> snapshot;  ///< null only after `restore`: not made yet
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
  /// What `last` was made of, or what came back from disk: the guards compare with it.
  std::optional<Candidate> in_force;
  Payloads payloads;
  BuildOutcome last;
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
    if (!slot.good || !same_answer(*slot.good, *fetched)) {
      slot.good = std::make_shared<const sources::FetchedReleases>(std::move(*fetched));
    }
  }

  /// Asks in a thread, unless it is asked already. Under `state_mutex`.
  template <class Ask, class Failed>
  void begin(Asking& asking, const sources::FetchContext& context, Ask ask, Failed failed) {
    if (asking.since) return;
    // It has ended: what it did last was to say so.
    if (asking.thread.joinable()) asking.thread.join();
    asking.since = clock.steady();
    asking.time = clock.now();
    asking.overdue = asking.late = false;
    asking.stop = std::stop_source();
    asking.thread = std::jthread([this, &asking, context, ask, failed] {
      const std::stop_callback forward(context.stop, [&asking] { asking.stop.request_stop(); });
      try {
        ask(sources::FetchContext{asking.stop.get_token(), context.progress});
      } catch (const std::exception& fault) {
        failed({ErrorCode::internal, std::string("a fault of Fairway itself: ") + fault.what()});
      }
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
    });
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
          [this, &slot = *slot](Error error) {
            const std::lock_guard its_lock(state_mutex);
            slot.error = std::move(error);
          });
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
      missing.push_back("graph data " + graph_data.name() + ": " +
                        (state.refused             ? "refused: " + state.refused->message
                         : asking_graph_data.since ? silence(asking_graph_data)
                                                   : why(state.error)));
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

  Result<BuildOutcome> make(SteadyTime began) {
    const std::lock_guard building(build_mutex);
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
    if (changed) {
      last.held.reset();
      in_force = guarded(*gathered, accepted);
      last.snapshot = in_force->snapshot;
      last.inputs = in_force->inputs;
      payloads = in_force->inputs->payloads;
      last_gathered = std::move(*gathered);
      last_accepted = std::move(accepted);
    }
    last.fresh = last_gathered->problems.empty() && !last.held;
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

  Candidate assemble(Ingredients parts, const Accepted& accepted) const {
    auto inputs = std::make_shared<BuiltInputs>();
    for (const SharedReleases& one : parts.releases) {
      if (one) inputs->releases.push_back(*one);
    }
    inputs->files = parts.graph_data->fetched.files;
    inputs->revision = parts.graph_data->fetched.revision;
    inputs->graph_data_source = graph_data.name();
    std::vector<Problem> problems = parts.problems;
    keep_payloads(*inputs, in_force ? in_force->inputs.get() : nullptr, payloads, accepted, problems);
    Candidate candidate{.parts = std::move(parts)};
    candidate.snapshot =
        put_together(*inputs, candidate.parts.graph_data->data, std::move(problems), problem_url);
    inputs->payloads = payloads;
    remember_payloads(*candidate.snapshot, inputs->payloads);
    candidate.inputs = std::move(inputs);
    return candidate;
  }

  /// What is served of what was gathered: all of it, or without what the guard against widening holds back.
  Candidate guarded(const Ingredients& gathered, const Accepted& accepted) {
    if (in_force && !in_force->snapshot) {
      *in_force = assemble(in_force->parts, {});
      payloads = in_force->inputs->payloads;
    }
    Candidate candidate = assemble(gathered, accepted);
    if (!guards.widening.on) return candidate;
    if (!in_force) {
      log::info("there is no last good graph to compare with: what the sources say is taken as it is");
      return candidate;
    }
    graph::Widening widening = graph::find_widening(*in_force->snapshot, *candidate.snapshot);
    if (is_allowed(widening, accepted)) return candidate;
    hold(widening);
    last.held = std::move(widening);
    Ingredients rest = gathered;
    rest.problems.push_back(held_problem(*last.held));
    if (rest.graph_data != in_force->parts.graph_data) {
      rest.graph_data = in_force->parts.graph_data;
      candidate = assemble(rest, accepted);
      if (is_allowed(graph::find_widening(*in_force->snapshot, *candidate.snapshot), accepted))
        return candidate;
    }
    rest.releases = in_force->parts.releases;
    return assemble(std::move(rest), accepted);
  }

  bool is_allowed(const graph::Widening& widening, const Accepted& accepted) const {
    if (!guards.widening.is_exceeded_by(widening)) return true;
    if (!accepted.widenings.contains(widening.id)) return false;
    log::warning("a widening was accepted",
                 {{"id", widening.id}, {"blocks", std::to_string(widening.lifted.size())}});
    return true;
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

  void hold(const graph::Widening& widening) const {
    log::error("a refresh is held: it would lift too many blocks at once",
               {{"id", widening.id},
                {"blocks", std::to_string(widening.lifted.size()) + " of " + std::to_string(widening.blocks)},
                {"limit", guards.widening.to_string()},
                {"would_open", describe(widening)}});
  }

  Problem held_problem(const graph::Widening& widening) const {
    const std::string what =
        "the newest data is held, because it would lift too many blocks at once; what was served before "
        "stays";
    return {.kind = graph::problem_kind::widening_held,
            .place = {.file = graph_data.name()},
            .message = what + ". It would lift " + std::to_string(widening.lifted.size()) + " of " +
                       std::to_string(widening.blocks) + " (--max-widening " + guards.widening.to_string() +
                       "): " + describe(widening) + ". If that is meant: fairway graph accept " +
                       widening.id + " --data DIR, or the line " + widening.id + " in the file " +
                       accept_widening_path + " of the graph data",
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
  return guarded("building the graph", [&] { return implementation_->make(began); });
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
  implementation_->graph_data.ask(context);
  if (context.stop.stop_requested()) return fail(ErrorCode::cancelled, "asking for graph data: stopped");
  return guarded("building the graph", [&] { return implementation_->make(began); });
}

void Builder::restore(const std::shared_ptr<const BuiltInputs>& inputs,
                      const std::shared_ptr<const graph::Snapshot>& built) {
  Implementation& self = *implementation_;
  const std::lock_guard building(self.build_mutex);
  const bool same_source = inputs->graph_data_source == self.graph_data.name();
  if (same_source) {
    self.graph_data.restore(inputs->files, inputs->revision, built ? built->graph_data : nullptr);
  }
  Implementation::Candidate kept{.inputs = inputs, .snapshot = built};
  {
    const std::lock_guard lock(self.state_mutex);
    for (const auto& slot : self.releases) {
      const std::string name = slot->source->name();
      const auto known = std::ranges::find(inputs->releases, name, &sources::FetchedReleases::source);
      if (known != inputs->releases.end() && !slot->good)
        slot->good = std::make_shared<const sources::FetchedReleases>(*known);
      kept.parts.releases.push_back(slot->good);
    }
  }
  if (self.payloads.empty()) self.payloads = inputs->payloads;
  kept.parts.graph_data = self.graph_data.state().good;
  if (same_source && kept.parts.graph_data && !self.in_force) self.in_force = std::move(kept);
}

sources::GraphDataSource& Builder::graph_data_source() {
  return implementation_->graph_data.source();
}

}  // namespace fairway::updateservice
