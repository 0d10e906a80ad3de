// SPDX-License-Identifier: Apache-2.0

#include "risk/evaluators/local.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "promql/engine/exposition.h"
#include "promql/engine/labels.h"
#include "promql/guard/query_window.h"
#include "risk/internal/evaluators/bearer_token.h"
#include "risk/internal/evaluators/cpu_shares.h"
#include "risk/internal/evaluators/on_series.h"

namespace fairway::risk {

namespace {

using std::chrono::milliseconds;

constexpr const char* instance_label = "instance";
constexpr const char* path_label = "metrics_path";

bool may_select(const promql::VectorSelector& selector, std::string_view metric) {
  return std::ranges::all_of(selector.matchers, [&](const promql::Matcher& matcher) {
    return matcher.name() != promql::metric_name_label || matcher.matches(metric);
  });
}

promql::EngineOptions with_deadline(promql::EngineOptions engine, Clock& clock, milliseconds deadline,
                                    std::stop_token stop) {
  engine.clock = &clock;
  engine.deadline = clock.steady() + deadline;
  engine.stop = std::move(stop);
  return engine;
}

/// Returns whether a series has another value at a point's time.
bool contradicts(const promql::Series& series, const promql::Point& point) {
  const auto held = std::ranges::lower_bound(series.points, point.time, {}, &promql::Point::time);
  if (held == series.points.end() || held->time != point.time) return false;
  return held->value != point.value && !(std::isnan(held->value) || std::isnan(point.value));
}

std::string too_much(const std::string& source, std::size_t most, const char* what) {
  return "with what the queries need of " + source + " there would be more than the " + std::to_string(most) +
         " " + what + " that are kept";
}

}  // namespace

/// A file or a target, and the result of its last scrape.
struct LocalEvaluator::Source {
  std::string name;
  std::optional<http::Url> target;
  /// The labels that distinguish a target's series, if they do not have them already.
  std::vector<promql::Label> identity = {};
  /// Reason why the last scrape proves nothing: it could not be read, or was empty.
  std::string error;
  /// Series of the last scrape, and of stopped collections since: a series that is missing in the next scrape
  /// has ended.
  std::vector<promql::LabelsRef> series;
  /// Series of the collection in progress.
  std::vector<promql::LabelsRef> seen;
  /// Times up to which all series of a metric have had samples, by metric; std::nullopt: a series has only
  /// samples of the future.
  std::map<std::string, std::optional<promql::Timestamp>> samples_up_to;
};

Result<std::unique_ptr<LocalEvaluator>> LocalEvaluator::create(const LocalOptions& options, Clock& clock) {
  std::unique_ptr<LocalEvaluator> made(new LocalEvaluator(options, clock));
  for (const std::string& file : options.files)
    made->sources_.push_back(std::make_unique<Source>(Source{.name = file}));
  for (const std::string& target : options.targets) {
    auto url = http::Url::parse(target);
    if (!url) return fail(url.error());
    if (url->scheme != "http" && url->scheme != "https") {
      return fail(ErrorCode::invalid, "the URL of a target has to begin with http:// or https://, not " +
                                          printable(url->scheme) + "://");
    }
    http::Url shown = *url;
    shown.userinfo.clear();
    made->sources_.push_back(
        std::make_unique<Source>(Source{.name = shown.to_string(), .target = *std::move(url)}));
  }
  if (auto labelled = made->label_targets(); !labelled) return fail(labelled.error());
  if (made->sources_.empty()) {
    return fail(ErrorCode::invalid,
                "the local evaluator has nothing to read: name a file with series, or a target");
  }
  http::ClientOptions client_options;
  client_options.ca_files = options.ca_files;
  client_options.proxy_environment = options.proxy_environment;
  client_options.clock = &clock;
  auto client = http::Client::create(client_options);
  if (!client) return fail(client.error());
  made->client_ = *std::move(client);
  return made;
}

LocalEvaluator::LocalEvaluator(const LocalOptions& options, Clock& clock)
    : options_(options), clock_(clock), shares_(std::make_unique<CpuShares>(options.cpu)) {}
LocalEvaluator::~LocalEvaluator() = default;

Result<void> LocalEvaluator::label_targets() {
  const auto address = [](const http::Url& url) { return url.host + ":" + std::to_string(url.port); };
  const auto path = [](const http::Url& url) {
    return (url.path.empty() ? "/" : url.path) + (url.query.empty() ? "" : "?" + url.query);
  };
  std::map<std::string, std::map<std::string, std::string>> paths;  // by address, each with its name
  for (const auto& source : sources_) {
    if (!source->target) continue;
    const auto [first, added] = paths[address(*source->target)].emplace(path(*source->target), source->name);
    if (!added) {
      return fail(ErrorCode::invalid,
                  "the targets " + first->second + " and " + source->name + " are one: name it once");
    }
  }
  for (const auto& source : sources_) {
    if (!source->target) continue;
    const std::string at = address(*source->target);
    source->identity.emplace_back(instance_label, at);
    if (paths[at].size() > 1) source->identity.emplace_back(path_label, path(*source->target));
  }
  return {};
}

void LocalEvaluator::record(const Question& question) {
  auto [found, added] = needs_.try_emplace(question.key);
  Need& need = found->second;
  need.last_asked = clock_.steady();
  if (!added) return;
  need.expression = question.expression;
  need.selectors = promql::selectors_of(*need.expression);
  need.reach = promql::reach_of(question.cost);
}

std::optional<milliseconds> LocalEvaluator::reach_of(const std::string& metric) const {
  std::optional<milliseconds> reach;
  for (const auto& [key, need] : needs_) {
    if (reach && *reach >= need.reach) continue;
    if (std::ranges::any_of(need.selectors,
                            [&](const auto* selector) { return may_select(*selector, metric); }))
      reach = need.reach;
  }
  return reach;
}

void LocalEvaluator::collect(const std::stop_token& stop) {
  const std::scoped_lock lock(mutex_);
  collect_locked(stop);
}

void LocalEvaluator::collect_locked(const std::stop_token& stop) {
  // Most metrics of targets are in no query.
  std::map<std::string, bool, std::less<>> needed;
  const auto is_needed = [&](std::string_view metric) {
    const auto known = needed.find(metric);
    if (known != needed.end()) return known->second;
    return needed.emplace(metric, reach_of(std::string(metric)).has_value()).first->second;
  };
  Latest latest;
  for (const auto& source : sources_) {
    promql::SeriesStore read_now;
    const promql::Timestamp now = timestamp_of(clock_.now());
    auto text = read(*source, stop);
    Result<promql::ExpositionCount> understood;
    if (text) understood = promql::read_exposition(*text, now, read_now, is_needed);
    if (stop.stop_requested()) {
      // Nothing has ended before all sources were seen; what has begun may still end the next time.
      for (const auto& taken : sources_) {
        if (taken == source) break;
        taken->series.insert(taken->series.end(), taken->seen.begin(), taken->seen.end());
      }
      return;
    }
    source->error.clear();
    if (!text) source->error = text.error().message;
    if (!understood) source->error = "reading " + source->name + ": " + understood.error().message;
    if (!source->error.empty()) read_now.clear();  // half of it may be worse than nothing
    const bool is_up = source->error.empty();
    // A file that is being written, an exporter that has just begun: nothing is not "no".
    if (is_up && understood->samples == 0) source->error = "there are no samples in " + source->name;
    if (source->target) {
      read_now.add(promql::LabelSet::make({{std::string(promql::metric_name_label), "up"}}), now,
                   is_up ? 1 : 0);
    }
    // A target may give times later than that of the request.
    take(*source, read_now, timestamp_of(clock_.now()), is_needed, latest);
  }
  collected_ = Moment::of(clock_);
  mark_missing_stale();
  std::erase_if(needs_, [&](const auto& entry) {
    return options_.unused > std::chrono::nanoseconds::zero() &&
           collected_->steady - entry.second.last_asked > options_.unused;
  });
  const bool all_read =
      std::ranges::all_of(sources_, [](const auto& source) { return source->error.empty(); });
  for (auto& [key, need] : needs_) {
    if (!all_read) {
      need.since.reset();  // a range that reaches over the gap lacks samples
    } else if (!need.since) {
      need.since = collected_->steady;
    }
  }
  const promql::Timestamp now = timestamp_of(collected_->wall);
  series_.prune([&](const std::string& metric) {
    const auto reach = reach_of(metric);
    return reach ? now - (*reach + options_.engine.lookback).count() : now + 1;
  });
}

Result<std::string> LocalEvaluator::read(const Source& source, std::stop_token stop) const {
  if (!source.target) return read_file(source.name, options_.max_bytes);
  http::Call call;
  call.url = *source.target;
  call.headers = {{"Accept", "text/plain;version=0.0.4"}};
  if (!options_.token_file.empty()) {
    auto token = read_bearer_token(options_.token_file);
    if (!token) return fail(token.error());
    call.headers.set("Authorization", "Bearer " + *token);
  }
  call.limits = Limits::within(clock_, options_.deadline, std::move(stop));
  call.max_body_bytes = options_.max_bytes;
  call.accept_gzip = true;
  auto reply = client_->send(call);
  if (!reply) return fail(reply.error());
  if (reply->status != 200) {
    return fail(ErrorCode::unavailable,
                "reading " + source.name + ": status " + std::to_string(reply->status));
  }
  return std::move(reply->body);
}

void LocalEvaluator::take(Source& source, const promql::SeriesStore& read, promql::Timestamp now,
                          const std::function<bool(std::string_view metric)>& is_needed, Latest& latest) {
  source.seen.clear();
  source.samples_up_to.clear();
  for (const promql::Series* series : read.select({})) {
    const std::string metric(series->labels->get(promql::metric_name_label));
    if (!is_needed(metric)) continue;
    promql::LabelsRef labels = series->labels;
    std::vector<promql::Label> missing;
    for (const promql::Label& label : source.identity) {
      if (labels->get(label.first).empty()) missing.push_back(label);
    }
    if (!missing.empty()) {
      missing.insert(missing.end(), labels->labels().begin(), labels->labels().end());
      labels = promql::LabelSet::make(std::move(missing));
    }
    record_times(source, metric, *series, now);
    const double value = series->points.back().value;
    const auto [said, first] = latest.try_emplace(labels->labels(), value, &source);
    const double before = said->second.first;
    if (!first && before != value && !(std::isnan(before) && std::isnan(value))) {
      // It is unknown which of them is right: neither may be relied on.
      source.error = printable(promql::Metric(labels).to_string(), 200) + " has one value in " +
                     said->second.second->name + " and another in " + source.name;
    }
    const promql::Series& held = series_.series(labels);
    const bool is_new = held.points.empty();
    if (is_new && series_.series_count() > options_.most_series) {
      source.error = too_much(source.name, options_.most_series, "series");
      continue;  // what has no samples goes when old ones do
    }
    for (const promql::Point& point : series->points) {
      if (series_.point_count() >= options_.most_samples) {
        source.error = too_much(source.name, options_.most_samples, "samples");
        break;
      }
      if (source.error.empty() && contradicts(held, point)) {
        source.error = printable(promql::Metric(labels).to_string(), 200) + " has one value in " +
                       source.name + " and another, for the same time, in what was read before";
      }
      series_.add(labels, point.time, point.value);
    }
    if (!held.points.empty()) source.seen.push_back(std::move(labels));
  }
}

void LocalEvaluator::record_times(Source& source, const std::string& metric, const promql::Series& series,
                                  promql::Timestamp now) {
  std::optional<promql::Timestamp> last;
  const auto behind = std::ranges::upper_bound(series.points, now, {}, &promql::Point::time);
  if (behind != series.points.begin()) last = std::prev(behind)->time;
  const auto [known, first] = source.samples_up_to.try_emplace(metric, last);
  if (!first) known->second = std::min(known->second, last);  // nothing is less than any time
}

void LocalEvaluator::mark_missing_stale() {
  // At once, not when the last sample is five minutes old. What one source lost another may still have.
  const auto less = [](const auto& a, const auto& b) { return a->labels() < b->labels(); };
  std::vector<promql::LabelsRef> seen;
  for (const auto& source : sources_) seen.insert(seen.end(), source->seen.begin(), source->seen.end());
  std::ranges::sort(seen, less);
  const promql::Timestamp now = timestamp_of(collected_->wall);
  for (const auto& source : sources_) {
    for (const promql::LabelsRef& before : source->series) {
      if (!std::ranges::binary_search(seen, before, less)) series_.add(before, now, promql::stale_marker());
    }
    source->series = std::exchange(source->seen, {});
  }
}

std::vector<std::optional<Answer>> LocalEvaluator::evaluate(std::span<const Question* const> due,
                                                            std::span<const Question* const>,
                                                            std::stop_token stop) {
  const std::scoped_lock lock(mutex_);
  const std::size_t known = needs_.size();
  for (const Question* question : due) record(*question);
  // A clock that was set back has left what was read in the future.
  if (needs_.size() != known || !collected_ || clock_.steady() - collected_->steady >= options_.interval ||
      clock_.now() < collected_->wall)
    collect_locked(stop);
  series_.count_metrics(
      [&](std::string_view metric, std::size_t count) { options_.seen->record(metric, count); });
  return evaluate_fairly(
      due, *shares_, options_.seen,
      [&](std::size_t number, std::chrono::nanoseconds until) { return answer(*due[number], stop, until); });
}

void LocalEvaluator::begin_round() {
  shares_->begin_round();
}

std::expected<Answer, promql::QueryError> LocalEvaluator::answer(const Question& question,
                                                                 std::stop_token stop,
                                                                 std::chrono::nanoseconds cpu_until) const {
  if (promql::has_fixed_time(*question.expression)) {
    return earlier_samples_missing();
  }
  promql::EngineOptions engine =
      with_deadline(options_.engine, clock_, options_.evaluation_deadline, std::move(stop));
  engine.cpu_until = cpu_until;
  engine.cpu_time = options_.cpu.time;
  auto evaluated = try_evaluate_on(series_, question, timestamp_of(clock_.now()), engine);
  if (!evaluated && evaluated.error().kind == promql::QueryError::Kind::too_costly) return evaluated;
  Answer answer = evaluated ? *std::move(evaluated) : failure_of(evaluated.error());
  if (answer.outcome == Outcome::failed) {
    for (const std::string& problem : problems_locked()) answer.error += "; " + problem;
  }
  if (answer.outcome != Outcome::does_not_match) return answer;
  for (const auto& source : sources_) {
    if (!source->error.empty()) return not_sure(source->error);
  }
  const Need& need = needs_.find(question.key)->second;
  // The query's ranges do not matter: beside one there may be a selector that looks no further than the
  // lookback.
  const promql::Timestamp oldest = timestamp_of(clock_.now()) - options_.engine.lookback.count();
  for (const auto& source : sources_) {
    for (const auto& [metric, up_to] : source->samples_up_to) {
      if (up_to && *up_to > oldest) continue;
      if (std::ranges::any_of(need.selectors,
                              [&](const auto* selector) { return may_select(*selector, metric); })) {
        return not_sure("samples of " + printable(metric, 200) + " in " + source->name +
                        " are of times at which the query does not look (timestamps are in milliseconds)");
      }
    }
  }
  const auto held = need.since ? clock_.steady() - *need.since : std::chrono::nanoseconds::zero();
  return held < need.reach ? held_too_short(need.reach, held) : answer;
}

std::size_t LocalEvaluator::series_count() const {
  const std::scoped_lock lock(mutex_);
  return series_.series_count();
}

std::vector<std::string> LocalEvaluator::problems() const {
  const std::scoped_lock lock(mutex_);
  return problems_locked();
}

std::vector<std::string> LocalEvaluator::problems_locked() const {
  std::vector<std::string> problems;
  for (const auto& source : sources_) {
    if (!source->error.empty()) problems.push_back(source->error);
  }
  return problems;
}

}  // namespace fairway::risk
