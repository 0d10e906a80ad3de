// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/builds/source_answers.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "updateservice/internal/builds/source_identity.h"
#include "updateservice/internal/guarded.h"

namespace fairway::updateservice {
namespace {

bool same_problem(const graph::Problem& a, const graph::Problem& b) {
  return std::tie(a.kind, a.place, a.message, a.channels, a.versions) ==
         std::tie(b.kind, b.place, b.message, b.channels, b.versions);
}

bool same_release(const graph::Release& a, const graph::Release& b) {
  return std::tie(a.version, a.arch, a.payload, a.metadata, a.previous, a.next, a.source) ==
         std::tie(b.version, b.arch, b.payload, b.metadata, b.previous, b.next, b.source);
}

/// Returns whether two answers of one source say the same.
bool same_answer(const sources::FetchedReleases& a, const sources::FetchedReleases& b) {
  if (!a.revision.empty() || !b.revision.empty()) return a.revision == b.revision;
  return a.upstreams.empty() && b.upstreams.empty() &&
         std::ranges::equal(a.problems, b.problems, same_problem) &&
         std::ranges::equal(a.releases, b.releases, same_release);
}

/// Returns why an overdue source gives nothing; the text stays the same until it is asked again.
std::string silence(WallTime asked) {
  return "it was asked at " + format_time(asked) + ", and has not answered yet";
}

/// Returns a message without its subject, if it begins with that.
std::string behind(const std::string& subject, const std::string& message) {
  return message.starts_with(subject) ? message.substr(subject.size()) : message;
}

std::string why(const std::optional<Error>& error) {
  return error ? error->message : "not asked yet";
}

/// Returns the text for callers who may not see a server's messages or location.
std::string public_text(const std::string& what, bool silent) {
  return "the " + what + " could not be read again; what was read last stays in force" +
         (silent ? ": a source was asked, and has not answered yet" : "") + " (the log says why)";
}

}  // namespace

bool Ingredients::operator==(const Ingredients& other) const {
  return releases == other.releases && graph_data == other.graph_data &&
         std::ranges::equal(problems, other.problems, same_problem);
}

SourceAnswers::SourceAnswers(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
                             std::unique_ptr<sources::GraphDataSource> graph_data, LoadGraphData load,
                             const std::string& problem_url, Clock& clock)
    // A source that names its channels asks an update service for them. Graph data need not have channels
    // where an upstream has some.
    : graph_data_(
          std::move(graph_data), std::move(load), problem_url,
          std::ranges::all_of(releases, [](const auto& source) { return source->channels().empty(); }),
          clock),
      clock_(clock) {
  for (auto& source : releases) {
    releases_.push_back(std::make_unique<ReleaseSlot>());
    releases_.back()->source = std::move(source);
  }
}

SourceAnswers::~SourceAnswers() {
  on_late(nullptr);
  each_asking([](Asking& asking) { asking.stop.request_stop(); });
  each_asking([](Asking& asking) {
    if (asking.thread.joinable()) asking.thread.join();
  });
}

template <class Visit>
void SourceAnswers::each_asking(Visit visit) {
  for (const auto& slot : releases_) visit(slot->asking);
  visit(asking_graph_data_);
}

void SourceAnswers::on_late(std::function<void()> answered) {
  const std::lock_guard lock(mutex_);
  late_answer_ = std::move(answered);
}

void SourceAnswers::ask(ReleaseSlot& slot, const sources::FetchContext& context) {
  auto fetched = guarded("reading the releases", [&] { return slot.source->fetch(context); });
  const std::lock_guard lock(mutex_);
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

/// Asks in a thread, unless it is being asked already. Called under `mutex_`, and so is `failed`.
template <class Ask, class Failed>
void SourceAnswers::begin(Asking& asking, const sources::FetchContext& context, Ask ask, Failed failed) {
  if (asking.since) return;
  // It has ended: what it did last was to say so.
  if (asking.thread.joinable()) asking.thread.join();
  asking.overdue = asking.late = false;
  asking.stop = std::stop_source();
  asking.time = clock_.now();
  asking.since = clock_.steady();
  try {
    asking.thread =
        std::jthread([this, &asking, context, ask, failed] { run(asking, context, ask, failed); });
  } catch (const std::exception& fault) {
    // It is asked again at the next refresh.
    asking.since.reset();
    failed({ErrorCode::unavailable, std::string("no thread could be started to ask it: ") + fault.what()});
  }
}

/// Runs in the thread of a source: asks it, and records the end.
template <class Ask, class Failed>
void SourceAnswers::run(Asking& asking, const sources::FetchContext& context, Ask ask, Failed failed) {
  try {
    const std::stop_callback forward(context.stop, [&asking] { asking.stop.request_stop(); });
    ask(sources::FetchContext{asking.stop.get_token(), context.progress});
  } catch (const std::exception& fault) {
    try {
      const std::lock_guard lock(mutex_);
      failed({ErrorCode::internal, std::string("a fault of Fairway itself: ") + fault.what()});
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
      // There is no memory left to say so. It is asked again.
    }
  }
  try {
    bool late = false;
    std::function<void()> tell;
    {
      const std::lock_guard lock(mutex_);
      asking.since.reset();
      late = asking.late;
      tell = late_answer_;
    }
    answered_.notify_all();
    if (late && tell) tell();
  } catch (const std::exception&) {
    const std::lock_guard lock(mutex_);
    asking.since.reset();
    answered_.notify_all();
  }
}

bool SourceAnswers::ask_all(const sources::FetchContext& context, const Waits& waits) {
  std::unique_lock lock(mutex_);
  std::vector<Asking*> waited_for;
  for (const auto& slot : releases_) {
    if (slot->asking.since) continue;
    waited_for.push_back(&slot->asking);
    begin(
        slot->asking, context, [this, &slot = *slot](const sources::FetchContext& its) { ask(slot, its); },
        [&slot = *slot](Error error) { slot.error = std::move(error); });
  }
  if (!asking_graph_data_.since) {
    waited_for.push_back(&asking_graph_data_);
    begin(
        asking_graph_data_, context, [this](const sources::FetchContext& its) { graph_data_.ask(its); },
        [this](Error error) { graph_data_.failed(std::move(error)); });
  }
  answered_.wait(lock, clock_, Limits::within(clock_, waits.source_timeout, context.stop), [&] {
    return std::ranges::none_of(waited_for, [](const Asking* asking) { return asking->since.has_value(); });
  });
  if (context.stop.stop_requested()) return false;
  each_asking([&](Asking& asking) {
    if (!asking.since) return;
    asking.late = true;
    asking.overdue = clock_.steady() - *asking.since >= waits.overdue;
  });
  return true;
}

void SourceAnswers::restore(const std::vector<sources::FetchedReleases>& kept) {
  const std::lock_guard lock(mutex_);
  for (const auto& slot : releases_) {
    const auto known = std::ranges::find_if(
        kept, [&](const auto& one) { return is_same(*slot->source, one.source, one.identity); });
    if (known != kept.end() && !slot->good)
      slot->good = std::make_shared<const sources::FetchedReleases>(*known);
  }
}

void SourceAnswers::stop() {
  const std::lock_guard lock(mutex_);
  each_asking([](Asking& asking) { asking.stop.request_stop(); });
}

Result<Ingredients> SourceAnswers::gather() const {
  const std::lock_guard lock(mutex_);
  Ingredients now;
  std::vector<std::string> missing;
  for (const auto& slot : releases_) {
    now.releases.push_back(slot->good);
    const std::string name = slot->source->name();
    const bool silent = slot->asking.since && slot->asking.overdue;
    if (!slot->good) {
      missing.push_back("releases " + name + ": " +
                        (slot->asking.since ? silence(slot->asking.time) : why(slot->error)));
    }
    if (!slot->good || (!slot->error && !silent)) continue;
    now.problems.push_back(
        {.kind = graph::problem_kind::source_unavailable,
         .place = {.file = name},
         .message = "the releases could not be read again; what was read last stays in force: " +
                    (silent ? silence(slot->asking.time) : slot->error->message),
         .channels = slot->source->channels(),
         .public_message = public_text("releases", silent)});
  }
  const GraphDataInForce::State state = graph_data_.state();
  now.graph_data = state.good;
  if (!state.good) {
    const std::string subject = "graph data " + graph_data_.name() + ": ";
    missing.push_back(subject + (state.refused ? "refused: " + behind(subject, state.refused->message)
                                 : asking_graph_data_.since ? silence(asking_graph_data_.time)
                                                            : behind(subject, why(state.error))));
  }
  if (!missing.empty()) return fail(failure_code(state), join(missing, "; "));
  if (state.refused || state.error) {
    now.problems.push_back(graph_data_fault(state));
  } else if (asking_graph_data_.since && asking_graph_data_.overdue) {
    now.problems.push_back(
        {.kind = graph::problem_kind::source_unavailable,
         .place = {.file = graph_data_.name()},
         .message = "the graph data could not be read again; what was read last stays in force: " +
                    silence(asking_graph_data_.time),
         .public_message = public_text("graph data", true)});
  }
  std::ranges::copy(state.good->problems, std::back_inserter(now.problems));
  return now;
}

ErrorCode SourceAnswers::failure_code(const GraphDataInForce::State& state) const {
  for (const auto& slot : releases_) {
    if (!slot->good && slot->error) return slot->error->code;
  }
  if (state.refused) return state.refused->code;
  return state.error ? state.error->code : ErrorCode::unavailable;
}

/// Returns the problem of the graph data. Its message may quote any channel's file, and files that are not
/// yet understood, so there is a public one.
graph::Problem SourceAnswers::graph_data_fault(const GraphDataInForce::State& state) const {
  const Error& error = *(state.error ? state.error : state.refused);
  const std::string what =
      state.error
          ? "the graph data could not be read again; what was read last stays in force"
          : "the newest graph data is refused; what was read before it stays in force until it is fixed";
  return {
      .kind = state.error ? graph::problem_kind::source_unavailable : graph::problem_kind::graph_data_refused,
      .place = {.file = graph_data_.name()},
      .message = what + ": " + error.message,
      .public_message = what + " (the log says why)"};
}

std::size_t SourceAnswers::failures() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = graph_data_.state().error ? 1 : 0;
  for (const auto& slot : releases_) count += slot->error ? 1 : slot->good ? slot->good->upstream_errors : 0;
  return count;
}

bool SourceAnswers::are_complete() const {
  const std::lock_guard lock(mutex_);
  return !asking_graph_data_.since &&
         std::ranges::none_of(releases_, [](const auto& slot) { return slot->asking.since.has_value(); });
}

}  // namespace fairway::updateservice
