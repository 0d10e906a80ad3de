// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/publisher.h"

#include <malloc.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/log.h"
#include "base/redact.h"
#include "base/text.h"
#include "updateservice/internal/bodies/render.h"
#include "updateservice/internal/guarded.h"
#include "updateservice/internal/store/packing.h"

namespace fairway::updateservice {
namespace {

constexpr std::size_t logged_problems = 50;

/// The version of the program since which stored inputs mean the same. Whoever changes what pack_inputs
/// writes puts the new version here.
constexpr std::string_view inputs_since = "0.1.0";

std::size_t raw_releases(const BuiltInputs& inputs) {
  std::size_t count = 0;
  for (const sources::FetchedReleases& fetched : inputs.releases) {
    count += fetched.releases.size();
    for (const graph::UpstreamGraph& upstream : fetched.upstreams) count += upstream.graph.nodes.size();
  }
  return count;
}

std::string unused_text(const std::vector<std::string>& patterns) {
  std::vector<std::string> quoted;
  for (const std::string& pattern : patterns) quoted.push_back("`" + printable(pattern) + "`");
  return "rules for private channels hide no channel: " + join(quoted, ", ") +
         "; what they were meant for may be public (names of channels are lower case, and the first rule "
         "that "
         "matches decides)";
}

}  // namespace

Publisher::Publisher(const ServiceOptions& options, ServingState& serving, ServiceMetrics& metrics,
                     Clock& clock)
    : options_(options), serving_(serving), metrics_(metrics), clock_(clock) {
  if (options.data_directory.empty()) return;
  store_.emplace(options.data_directory);
  writer_thread_ = std::jthread([this](const std::stop_token& stop) { write_pending_loop(stop); });
}

Publisher::~Publisher() = default;

Result<void> Publisher::load_settings(const ReloadableOptions& settings) {
  std::shared_ptr<const PrivateChannels> rules = PrivateChannels::none();
  ChannelDescriptions descriptions;
  if (!settings.private_channels_file.empty()) {
    auto loaded = PrivateChannels::load(settings.private_channels_file);
    if (!loaded) return fail(loaded.error());
    rules = std::move(*loaded);
  }
  if (!settings.channel_descriptions_file.empty()) {
    auto loaded = ChannelDescriptions::load(settings.channel_descriptions_file);
    if (!loaded) return fail(loaded.error());
    descriptions = std::move(*loaded);
  }
  const std::lock_guard lock(mutex_);
  if (const Served now = serving_.served(); settings.private_channels_strict && now.snapshot) {
    if (const auto unused = rules->unused(*now.snapshot); !unused.empty()) {
      return fail(ErrorCode::invalid, settings.private_channels_file + ": " + unused_text(unused) +
                                          " (--private-channels-strict)");
    }
  }
  settings_ = settings;
  rules_ = std::move(rules);
  descriptions_ = std::move(descriptions);
  ++settings_number_;
  return {};
}

std::string Publisher::inputs_key() const {
  Packer key;
  key.text(inputs_since);
  key.text(options_.settings);
  key.text(options_.problem_url);
  return sha256_hex(key.take());
}

std::string Publisher::responses_key() const {
  Packer key;
  key.text(options_.version);
  key.text(inputs_key());
  key.text(rules_->fingerprint());
  key.number(options_.show_sources ? 1 : 0);
  key.list(descriptions_.entries(), [&](const auto& entry) {
    key.text(entry.first);
    key.text(entry.second);
  });
  return sha256_hex(key.take());
}

void Publisher::restore_responses() {
  if (!store_) return;
  const std::lock_guard lock(mutex_);
  const auto last_good = store_->load_last_good(clock_.now());
  last_good_ = last_good.value_or(WallTime{});
  const CachePolicy policy{options_.max_age, !rules_->empty()};
  auto responses = store_->load_responses(rules_, policy, responses_key());
  if (!responses) return;
  rendered_settings_ = settings_number_;
  serving_.set_age(last_good_, true);
  metrics_.set_last_good(last_good_);
  metrics_.published(*responses, std::chrono::nanoseconds(0));
  serving_.set({std::move(responses), nullptr, nullptr});
  log::info("serving the last good graph", {{"age_seconds", serving_.age().count()}});
}

void Publisher::rebuild_stored(const std::stop_token& stop) {
  if (!store_) return;
  auto stored = store_->load_inputs();
  if (!stored) return;
  {
    const std::lock_guard lock(mutex_);
    stored_ = *stored;
  }
  if (stored->key != inputs_key()) {
    log::info("the last good inputs were fetched with other settings; they are not served");
    return;
  }
  auto snapshot = build_snapshot(*stored->inputs, stored->inputs->graph_data_source, options_.problem_url,
                                 {.stop = stop});
  if (!snapshot) {
    log::warning("the last good inputs cannot be built any more", {{"reason", snapshot.error().message}});
    return;
  }
  const std::lock_guard lock(mutex_);
  serving_.set_age(last_good_, true);
  // Until a refresh says it anew: how much is held is not known of what an earlier program has stored.
  if (stored->inputs->baseline) metrics_.held(stored->inputs->held ? stored->inputs->held->blocks : 1);
  publish_locked(std::move(*snapshot), stored->inputs);
}

bool Publisher::publish(const BuildOutcome& outcome, std::uint64_t builder, bool all_sources) {
  const std::lock_guard lock(mutex_);
  if (builder < builder_ || (builder == builder_ && outcome.number < outcome_)) return false;
  builder_ = builder;
  outcome_ = outcome.number;
  if (all_sources) builder_that_asked_all_ = builder;
  // Releases that came back from disk are not fresh before their sources have answered.
  const bool fresh = outcome.fresh && builder_that_asked_all_ == builder;
  if (fresh && all_sources) {
    last_good_ = clock_.now();
    metrics_.set_last_good(last_good_);
  }
  serving_.set_age(last_good_, !fresh);
  const Served now = serving_.served();
  const bool same = now.snapshot == outcome.snapshot && rendered_settings_ == settings_number_;
  const bool changed = !same && publish_locked(outcome.snapshot, outcome.inputs);
  if (store_ && fresh && all_sources) {
    const std::lock_guard pending_lock(pending_mutex_);
    pending_.last_good = last_good_;
    pending_changed_.notify_all();
  }
  return changed;
}

void Publisher::publish_with_new_settings() {
  const std::lock_guard lock(mutex_);
  const Served now = serving_.served();
  if (now.snapshot && rendered_settings_ != settings_number_) publish_locked(now.snapshot, now.inputs);
}

void Publisher::reloaded(const std::string& what, const Result<void>& result) {
  const std::lock_guard lock(mutex_);
  if (result) {
    if (reload_faults_.erase(what) > 0) ++settings_number_;
    return;
  }
  const std::string summary = what + " could not be taken up; the old state stays in force";
  graph::Problem fault{.kind = graph::problem_kind::reload_refused,
                       .message = redact_urls(summary + ": " + result.error().message),
                       .public_message = summary + " (the log says why)"};
  log::error(summary, {{"reason", result.error().message}});
  reload_faults_.insert_or_assign(what, std::move(fault));
  ++settings_number_;
}

std::vector<graph::Problem> Publisher::problems() const {
  std::vector<graph::Problem> problems;
  for (const auto& [what, problem] : reload_faults_) problems.push_back(problem);
  if (keep_fault_) {
    problems.push_back({.kind = graph::problem_kind::graph_not_kept,
                        .message = redact_urls(
                            keep_fault_->message +
                            "; a restart would begin with an older graph, or with none. Make room in --data, "
                            "or make it writable: it is tried again at the next refresh")});
  }
  if (!unused_rules_.empty()) {
    problems.push_back({.kind = graph::problem_kind::private_rule_unused,
                        .message = unused_text(unused_rules_),
                        .public_message = "some rule for private channels hides none (the log says which)"});
  }
  return problems;
}

void Publisher::failed(const Error& error) {
  const std::lock_guard lock(mutex_);
  serving_.set_reason(error.message);
  serving_.set_age(last_good_, true);
}

/// Looks for rules that match nothing. Returns false if that is an error here, so that the snapshot must not
/// be served.
bool Publisher::rules_fit(const graph::Snapshot& snapshot) {
  auto unused = rules_->unused(snapshot);
  if (unused != unused_rules_) {
    unused_rules_ = std::move(unused);
    if (!unused_rules_.empty())
      log::warning(unused_text(unused_rules_), {{"file", settings_.private_channels_file}});
  }
  if (unused_rules_.empty() || !settings_.private_channels_strict) return true;
  serving_.set_reason(unused_text(unused_rules_) + " (--private-channels-strict)");
  return false;
}

bool Publisher::publish_locked(std::shared_ptr<const graph::Snapshot> snapshot,
                               std::shared_ptr<const BuiltInputs> inputs) {
  const SteadyTime start = clock_.steady();
  const Served old = serving_.served();
  if (!rules_fit(*snapshot)) {
    if (!old.snapshot) return false;
    // The served graph stays, and `rules_fit` has set the reason.
    snapshot = old.snapshot;
    inputs = old.inputs;
  }
  auto responses = render({.snapshot = *snapshot,
                           .files = *inputs->files,
                           .rules = rules_,
                           .descriptions = descriptions_,
                           .problems = problems(),
                           .max_age = options_.max_age,
                           .show_sources = options_.show_sources,
                           .previous = old.responses,
                           // Serving goes first: a rebuild takes one core at most.
                           .threads = old.responses ? 1 : 2});
  const bool changed = !old.responses || !responses->same_content(*old.responses);
  const Served built{std::move(responses), std::move(snapshot), std::move(inputs)};
  serving_.set(built);
  rendered_settings_ = settings_number_;
  metrics_.published(*built.responses, clock_.steady() - start);
  metrics_.built(*built.snapshot, problems(), raw_releases(*built.inputs));
  metrics_.set_compared(!built.inputs->uncompared);
  log_problems(*built.snapshot);
  if (changed) {
    log::info("published a new graph", {{"channels", built.snapshot->channels.size()},
                                        {"bytes", built.responses->bytes()},
                                        {"problems", built.snapshot->problems.size()}});
  }
  keep(built, old.inputs != built.inputs);
  stored_ = {};
  // A build leaves many small holes; giving them back keeps the service at the size of what it serves.
  malloc_trim(0);
  return changed;
}

void Publisher::log_problems(const graph::Snapshot& snapshot) {
  std::set<std::string> now;
  std::size_t fresh = 0;
  for (const graph::Problem& problem : snapshot.problems) {
    const auto [text, added] = now.insert(json::to_text(problem.to_json()));
    if (!added || known_problems_.contains(*text) || ++fresh > logged_problems) continue;
    log::warning(problem.message, {{"kind", problem.kind}, {"place", problem.place.to_string()}});
  }
  if (fresh > logged_problems) {
    log::warning("there are more new problems; see the API's /problems", {{"more", fresh - logged_problems}});
  }
  known_problems_ = std::move(now);
}

void Publisher::keep(const Served& built, bool inputs_changed) {
  if (!store_) return;
  const std::lock_guard lock(pending_mutex_);
  pending_.responses = built.responses;
  pending_.responses_key = responses_key();
  if (inputs_changed) {
    pending_.inputs = built.inputs;
    pending_.inputs_key = inputs_key();
  }
  pending_changed_.notify_all();
}

/// Reports in the metrics and in /problems that the last good graph cannot be kept, or that it can be again.
void Publisher::tell_kept(const std::optional<Error>& fault) {
  metrics_.set_kept(!fault);
  const std::lock_guard lock(mutex_);
  if (fault.has_value() == keep_fault_.has_value()) return;
  keep_fault_ = fault;
  ++settings_number_;
  const Served now = serving_.served();
  if (now.snapshot) publish_locked(now.snapshot, now.inputs);
}

void Publisher::write_pending_loop(const std::stop_token& stop) {
  std::shared_ptr<const Responses> kept;
  std::string kept_key;
  Pending left;  // what could not be written: it is tried again with what comes next
  while (true) {
    Pending work;
    {
      std::unique_lock lock(pending_mutex_);
      const bool some = pending_changed_.wait(
          lock, stop, [this] { return pending_.responses || pending_.inputs || pending_.last_good; });
      if (!some) return;
      work = std::exchange(pending_, {});
    }
    if (!work.inputs) {
      work.inputs = std::move(left.inputs);
      work.inputs_key = left.inputs_key;
    }
    if (!work.responses) {
      work.responses = std::move(left.responses);
      work.responses_key = left.responses_key;
    }
    left = {};
    std::optional<Error> fault;
    const auto write = [&](Result<void> written) {
      metrics_.stored(written.has_value());
      if (written) return true;
      log::error("the last good graph could not be kept", {{"reason", written.error().message}});
      if (!fault) fault = std::move(written.error());
      return false;
    };
    const std::string doing = "keeping the last good graph";
    if (work.inputs &&
        !write(guarded(doing, [&] { return store_->save_inputs(*work.inputs, work.inputs_key); }))) {
      left.inputs = work.inputs;
      left.inputs_key = work.inputs_key;
    }
    const bool known =
        work.responses && kept && kept_key == work.responses_key && kept->same_content(*work.responses);
    if (work.responses && !known) {
      if (write(
              guarded(doing, [&] { return store_->save_responses(*work.responses, work.responses_key); }))) {
        kept = work.responses;
        kept_key = work.responses_key;
      } else {
        left.responses = work.responses;
        left.responses_key = work.responses_key;
      }
    }
    if (work.last_good) write(store_->save_last_good(*work.last_good));
    tell_kept(fault);
  }
}

}  // namespace fairway::updateservice
