// SPDX-License-Identifier: Apache-2.0

#include "operators/updates.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "operators/internal/kept_order.h"
#include "operators/internal/late_call.h"
#include "operators/internal/next_poll.h"

namespace fairway::operators {
namespace {

/// Time until a failed risk is evaluated again, if its verdict does not tell.
constexpr std::chrono::seconds retry_evaluation{30}, shortest_wait{1};
/// Largest number of other channels in which a release is looked up.
constexpr std::size_t max_searched = 3;
/// Time after which no further channel is asked until the next poll.
constexpr std::chrono::seconds search_limit(10);
/// Time that an evaluation may take before what is known is told.
constexpr std::chrono::seconds interim_after(1);

bool is_of_the_same_service(const Query& a, const Query& b) {
  return a.upstream == b.upstream && a.architecture == b.architecture && a.channel == b.channel;
}

bool lists_updates(const openshift::ClusterVersion& cluster) {
  return !cluster.items("status.availableUpdates").empty() ||
         !cluster.items("status.conditionalUpdates").empty();
}

}  // namespace

Updates::Updates(UpdateSettings settings, const risk::Registry& registry, risk::Evaluator& evaluator,
                 Clock& clock, Random random)
    : settings_(std::move(settings)),
      registry_(registry),
      rounds_(registry, evaluator, settings_.polling, clock),
      clock_(clock),
      random_(std::move(random)),
      store_(settings_.data),
      verdict_store_(settings_.data, settings_.monitoring, settings_.polling) {}

UpdateInputs Updates::inputs_of(const ListedRelease& current) const {
  const std::vector<std::string> channels = channels_elsewhere(current);
  UpdateInputs inputs{.current = current,
                      .retrieved = retrieved_,
                      .available = available(),
                      .elsewhere = elsewhere_,
                      .searching = !channels.empty() && channels != searched_,
                      .keep_desired = keep_desired_,
                      .stale_since = {},
                      .verdicts = verdicts_,
                      .registry = &registry_,
                      .accept_risks = settings_.accept_risks,
                      .now = clock_.now()};
  if (available_ && stale_) inputs.stale_since = available_at_;
  return inputs;
}

Result<UpdateInputs> Updates::run(const openshift::ClusterVersion& cluster, const ListedRelease& current,
                                  const std::stop_token& stop, const Interim& interim) {
  const auto query = query_of(cluster, current, settings_.query);
  bool asked = false;
  if (!query) {
    query_.reset();
    elsewhere_.reset();
    retrieved_ = query.error();
    drop_offer();
    next_poll_ = SteadyTime::max();
  } else {
    if (query_ != *query) {
      // The offer of another channel or service is none here.
      drop_offer();
      elsewhere_.reset();
      searched_.clear();
      // Another release keeps the data that it was listed with.
      keep_desired_ = keep_desired_ && (!query_ || is_of_the_same_service(*query_, *query));
      const bool is_another = query_.has_value();
      query_ = *query;
      next_poll_ = SteadyTime::min();
      restore(*query);
      if (is_another && interim) {
        retrieved_ = asking_anew(*query);
        // What is restored has no verdicts yet.
        restore_verdicts();
        if (available_) verdicts_ = rounds_.known(available_->updates);
        interim(inputs_of(current));
      }
    }
    if (const SteadyTime began = clock_.steady(); began >= next_poll_) {
      ask(*query, stop);
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "asking the update service: stopped");
      asked = true;
      verdict_store_.refresh(clock_.now());
      searched_.clear();
      next_poll_ = next_poll(began, settings_.poll_interval, random_);
    }
  }
  const std::vector<std::string> channels = channels_elsewhere(current);
  // A search without an answer keeps the previous data of the same release.
  if (channels.empty() || (elsewhere_ && elsewhere_->image != current.image)) elsewhere_.reset();
  if (available_ && stale_ && !is_fresh_enough()) {
    drop_offer();
    keep_desired_ = false;
  }
  if (available_ && (asked || !evaluated_ || (next_evaluation_ && clock_.steady() >= *next_evaluation_))) {
    // After a restart nothing is known yet, and the lists that are written are better than that.
    const bool keeps_lists = !has_evaluated_ && lists_updates(cluster);
    const auto evaluated = evaluate(current, stop, keeps_lists ? Interim() : interim);
    if (!evaluated) return fail(evaluated.error());
  }
  return inputs_of(current);
}

SteadyTime Updates::next() const {
  SteadyTime next = next_poll_;
  if (available_ && next_evaluation_) next = std::min(next, *next_evaluation_);
  if (available_ && stale_) next = std::min(next, available_steady_ + keep_updates);
  return next;
}

bool Updates::is_fresh_enough() const {
  return clock_.steady() - available_steady_ < keep_updates;
}

/// Restores the last response from before a restart, until the service answers.
void Updates::restore(const Query& query) {
  const auto answer = store_.read(query);
  if (!answer) return;
  const auto age = clock_.now() - answer->at;
  // The age of a response from the future is not known.
  if (age < std::chrono::nanoseconds(0) || age >= keep_updates) return;
  auto available = read_available_updates(answer->body, query, answer->source);
  if (!available) return;
  available_ = *std::move(available);
  ++changes_;
  etag_ = answer->etag;
  available_at_ = answer->at;
  available_steady_ = clock_.steady() - std::chrono::duration_cast<SteadyTime::duration>(age);
  stale_ = true;
}

void Updates::restore_verdicts() {
  if (!available_ || std::exchange(has_restored_, true)) return;
  const std::size_t restored =
      verdict_store_.restore(query_->cluster_id, available_->updates, clock_.now(), rounds_);
  if (restored > 0)
    log::info("verdicts on risks are those of before the restart", {{"count", std::to_string(restored)}});
}

void Updates::drop_offer() {
  available_.reset();
  verdicts_.clear();
  ++changes_;
  evaluated_ = false;
  next_evaluation_.reset();
  etag_.clear();
  stale_ = false;
}

upstream::UpdateService* Updates::service_at(const std::string& url, const std::stop_token& stop,
                                             Finding& refused) {
  std::string authorization = settings_.authorization ? settings_.authorization(url, stop) : "";
  if (service_ && service_url_ == url && authorization_ == authorization) return &*service_;
  upstream::Options options = settings_.upstream;
  options.authorization = authorization;
  options.clock = &clock_;
  options.graph_types = "application/json";
  auto made = upstream::UpdateService::create(url, options);
  if (!made) {
    // A URL that cannot be requested, as "foo".
    refused = {.reason = "RemoteFailed",
               .message = "Unable to retrieve available updates: " + made.error().message};
    return nullptr;
  }
  service_.emplace(*std::move(made));
  service_url_ = url;
  authorization_ = std::move(authorization);
  return &*service_;
}

void Updates::ask(const Query& query, const std::stop_token& stop) {
  const auto* service = service_at(query.upstream, stop, retrieved_);
  if (service == nullptr) return drop_offer();
  ++requests_;
  auto answer = service->ask_graph({.channel = query.channel,
                                    .arch = query.architecture,
                                    .others = {{"id", query.cluster_id}, {"version", query.version}}},
                                   etag_, stop);
  if (stop.stop_requested()) return;
  if (answer) {
    answered(query, *std::move(answer));
  } else {
    retrieved_ = request_failed(answer.error());
  }
  if (retrieved_.status == k8s::ConditionStatus::is_true) return;
  log::warning("asking the update service", {{"reason", retrieved_.reason}, {"message", retrieved_.message}});
  if (retrieved_.may_pass()) {
    stale_ = available_.has_value();
  } else {
    drop_offer();
  }
}

/// Returns the channels to search for a release that is not in the configured one: only channels that the
/// release names itself. Empty: no search is needed.
std::vector<std::string> Updates::channels_elsewhere(const ListedRelease& current) const {
  std::vector<std::string> channels;
  if (!query_ || retrieved_.reason != "VersionNotFound" || !current.url.empty() || !service_) return channels;
  for (const std::string& channel : current.channels) {
    if (channel != query_->channel && channels.size() < max_searched) channels.push_back(channel);
  }
  return channels;
}

bool Updates::search_elsewhere(UpdateInputs& inputs, const std::stop_token& stop) {
  if (!inputs.searching) return false;
  std::vector<std::string> channels = channels_elsewhere(inputs.current);
  bool all_answered = true;
  decltype(elsewhere_) found;
  const SteadyTime until = clock_.steady() + search_limit;
  for (const std::string& channel : channels) {
    // The list of channels waits for this search.
    if (clock_.steady() >= until) {
      all_answered = false;
      break;
    }
    ++requests_;
    const auto answer =
        service_->ask_graph({.channel = channel,
                             .arch = query_->architecture,
                             .others = {{"id", query_->cluster_id}, {"version", query_->version}}},
                            {}, stop);
    if (stop.stop_requested()) return false;
    if (!answer || answer->status != 200) {
      all_answered = false;
      continue;
    }
    found = find_release(answer->body.text, inputs.current, answer->body.source);
    if (found) break;
  }
  searched_ = std::move(channels);
  if (found || all_answered) elsewhere_ = std::move(found);
  inputs.searching = false;
  inputs.elsewhere = elsewhere_;
  return true;
}

void Updates::answered(const Query& query, upstream::ServiceReply answer) {
  if (answer.status == 304 && available_) {
    retrieved_ = retrieved();
  } else if (answer.status != 200) {
    retrieved_ = response_failed(answer.status, answer.phrase);
    return;
  } else {
    auto available = read_available_updates(answer.body.text, query, answer.body.source);
    if (!available) {
      retrieved_ = available.error();
      return;
    }
    for (const std::string& note : available->notes)
      log::error("the update service contradicts itself", {{"what", note}});
    for (const std::string& problem : available->problems)
      log::warning("a part of the answer of the update service is left out", {{"what", problem}});
    retrieved_ = retrieved();
    if (available_) keep_order(*available, *available_);
    available_ = *std::move(available);
    evaluated_ = false;
    etag_ = std::move(answer.body.etag);
    store_.write(query, {.body = answer.body.text, .source = answer.body.source, .etag = etag_, .at = {}});
  }
  stale_ = false;
  keep_desired_ = true;
  available_at_ = clock_.now();
  store_.write_time(available_at_);
  available_steady_ = clock_.steady();
  last_success_ = available_at_;
}

Result<void> Updates::evaluate(const ListedRelease& current, const std::stop_token& stop,
                               const Interim& interim) {
  restore_verdicts();
  // What has no risks does not wait for a slow Prometheus.
  std::vector<risk::UpdateVerdict> known;
  std::optional<LateCall> late;
  risk::Rounds::Interim tell;
  if (interim && !available_->updates.empty()) {
    known = rounds_.known(available_->updates);
    UpdateInputs inputs = inputs_of(current);
    inputs.verdicts = known;
    late.emplace(interim_after, [&interim, inputs = std::move(inputs)] { interim(inputs); });
    tell = [&](const std::vector<risk::UpdateVerdict>& so_far) {
      late.reset();
      UpdateInputs now = inputs_of(current);
      now.verdicts = so_far;
      interim(now);
    };
  }
  auto verdicts = rounds_.run(available_->updates, stop, tell);
  late.reset();
  if (!verdicts) return fail(verdicts.error());
  verdicts_ = *std::move(verdicts);
  verdict_store_.write(query_->cluster_id, available_->updates, clock_.now(), rounds_);
  ++changes_;
  evaluated_ = has_evaluated_ = true;
  next_evaluation_.reset();
  const SteadyTime now = clock_.steady();
  const WallTime wall = clock_.now();
  for (const risk::UpdateVerdict& update : verdicts_) {
    for (const risk::RiskVerdict& verdict : update.risks) {
      if (verdict.outcome != risk::Outcome::failed || !verdict.recognized) continue;
      // Never at once, whatever the rules are.
      std::chrono::nanoseconds wait = retry_evaluation;
      if (verdict.next) wait = std::max<std::chrono::nanoseconds>(*verdict.next - wall, shortest_wait);
      const SteadyTime at = now + wait;
      next_evaluation_ = next_evaluation_ ? std::min(*next_evaluation_, at) : at;
    }
  }
  return {};
}

}  // namespace fairway::operators
