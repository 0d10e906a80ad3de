// SPDX-License-Identifier: Apache-2.0

#include "operators/status_metrics.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "base/redact_url.h"
#include "base/text.h"

namespace fairway::operators {
namespace {

using metrics::Sample;

constexpr std::size_t max_components = 500, max_conditions = 50;

double seconds(std::optional<WallTime> time) {
  if (!time) return 0;
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count());
}

/// Returns the value of a label in a safe form: anybody may have written it.
std::string label(std::string_view text) {
  return printable(text, 200);
}

void add(std::vector<Sample>& samples, metrics::Labels labels, double value) {
  if (samples.size() < StatusMetrics::max_series) samples.push_back({std::move(labels), value});
}

struct Family {
  const char *name, *help;
};
constexpr Family versions_family{
    "cluster_version", "Releases of the cluster by what they are to it (type); the value is since when"};
constexpr Family available_family{"cluster_version_available_updates",
                                  "Updates that are recommended to the cluster"};
constexpr Family conditions_family{"cluster_version_conditional_update_condition_seconds",
                                   "Since when conditional updates have these conditions"};
constexpr std::array cluster_version_families{versions_family, available_family, conditions_family};

/// The series of `cluster_version`.
class Versions {
 public:
  explicit Versions(const openshift::ClusterVersion& cluster)
      : cluster_(cluster), history_(cluster.history()) {}

  std::vector<Sample> samples() {
    if (!history_.empty()) {
      const openshift::UpdateHistory& oldest = history_.back();
      add_one("initial", oldest.version(), oldest.image(), "", oldest.started());
      initial_ = oldest.version();
    }
    const auto completed = std::ranges::find_if(history_, &openshift::UpdateHistory::is_completed);
    if (completed != history_.end()) {
      const auto before =
          std::find_if(completed + 1, history_.end(), [](const auto& one) { return one.is_completed(); });
      add_one("completed", completed->version(), completed->image(),
              before == history_.end() ? "" : before->version(), completed->completed());
      completed_ = completed->version();
    }
    const openshift::ReleaseView desired = cluster_.desired();
    const auto started = history_.empty() ? std::nullopt : history_.front().started();
    add_one("current", desired.version(), desired.image(), completed_, started);
    add_one("cluster", desired.version(), desired.image(), initial_,
            cluster_.find_time("metadata.creationTimestamp"));
    if (!history_.empty() && history_.front().is_partial())
      add_one("updating", history_.front().version(), history_.front().image(), completed_, started);
    add_wanted(desired);
    return std::move(samples_);
  }

 private:
  /// Adds the release that is desired and not accepted, and those that fail.
  void add_wanted(const openshift::ReleaseView& desired) {
    const k8s::View wanted = cluster_.desired_update();
    const bool is_other = cluster_.has_desired_update() &&
                          (wanted.text("image").empty() ? !wanted.text("version").empty() &&
                                                              wanted.text("version") != desired.version()
                                                        : wanted.text("image") != desired.image());
    if (is_other) {
      const auto accepted = cluster_.condition("ReleaseAccepted");
      add_one("desired", wanted.text("version"), wanted.text("image"), completed_,
              accepted ? accepted->last_transition() : std::nullopt);
    }
    const auto failing = cluster_.condition("Failing");
    if (!failing || !failing->is_true()) return;
    add_one("failure", desired.version(), desired.image(), completed_, failing->last_transition());
    if (is_other) {
      add_one("failure", wanted.text("version"), wanted.text("image"), completed_,
              failing->last_transition());
    }
  }

  void add_one(std::string_view type, std::string_view version, std::string_view image, std::string_view from,
               std::optional<WallTime> time) {
    add(samples_,
        {{"type", std::string(type)},
         {"version", label(version)},
         {"image", label(image)},
         {"from_version", label(from)}},
        seconds(time));
  }

  const openshift::ClusterVersion& cluster_;
  const std::vector<openshift::UpdateHistory> history_;
  std::string_view initial_, completed_;
  std::vector<Sample> samples_;
};

}  // namespace

void StatusMetrics::record_cluster_version(const openshift::ClusterVersion* found,
                                           std::string_view upstream) {
  const std::string name(openshift::ClusterVersion::object_name);
  if (found == nullptr) {
    for (const Family& family : cluster_version_families) families_.set(family.name, family.help, {});
    return forget_component(name);
  }
  const openshift::ClusterVersion& cluster = *found;
  const auto set = [&](const Family& family, const std::vector<Sample>& samples) {
    families_.set(family.name, family.help, samples);
  };
  set(versions_family, Versions(cluster).samples());
  set(available_family, {{{{"upstream", upstream.empty() ? "<default>" : label(redact_url(upstream))},
                           {"channel", label(cluster.channel())}},
                          static_cast<double>(cluster.available_updates().size())}});
  std::vector<Sample> conditions;
  for (const openshift::ConditionalUpdate& update : cluster.conditional_updates()) {
    for (const k8s::Condition& condition : update.conditions()) {
      add(conditions,
          {{"version", label(update.release().version())},
           {"condition", label(condition.type())},
           {"status", std::string(k8s::to_string(condition.status()))},
           {"reason", label(condition.reason())}},
          seconds(condition.last_transition()));
    }
  }
  set(conditions_family, conditions);
  record_component(name, cluster.desired().version(), cluster);
}

void StatusMetrics::record_cluster_operator(const std::string& name,
                                            const openshift::ClusterOperator* cluster_operator) {
  // ClusterVersion's own entry has this name.
  if (name == openshift::ClusterVersion::object_name) return;
  if (cluster_operator != nullptr)
    return record_component(name, cluster_operator->version("operator"), *cluster_operator);
  forget_component(name);
}

void StatusMetrics::forget_component(const std::string& name) {
  const std::lock_guard lock(mutex_);
  components_.erase(name);
  publish_components();
}

void StatusMetrics::record_component(const std::string& name, std::string_view version,
                                     const k8s::View& object) {
  const std::lock_guard lock(mutex_);
  if (!components_.contains(name) && components_.size() >= max_components) return;
  Component& component = components_[name];
  component.version = version;
  const auto before = std::exchange(component.conditions, {});
  for (const k8s::Condition& condition : object.items<k8s::Condition>("status.conditions")) {
    if (component.conditions.size() >= max_conditions) break;
    const std::string type(condition.type()), status(k8s::to_string(condition.status()));
    component.conditions[type] = {status, std::string(condition.reason())};
    const auto old = before.find(type);
    std::int64_t& transitions = component.transitions[type];
    if (old != before.end() && old->second.first != status) ++transitions;
  }
  std::erase_if(component.transitions,
                [&](const auto& one) { return !component.conditions.contains(one.first); });
  publish_components();
}

void StatusMetrics::publish_components() {
  std::vector<Sample> up, conditions, transitions;
  for (const auto& [name, component] : components_) {
    const auto available = component.conditions.find("Available");
    if (available != component.conditions.end() || name != openshift::ClusterVersion::object_name) {
      const bool known = available != component.conditions.end();
      add(up,
          {{"name", label(name)},
           {"version", label(component.version)},
           {"reason", known ? label(available->second.second) : "NoAvailableCondition"}},
          known && available->second.first == "True" ? 1 : 0);
    }
    for (const auto& [type, state] : component.conditions) {
      if (state.first != "True" && state.first != "False") continue;
      add(conditions, {{"name", label(name)}, {"condition", label(type)}, {"reason", label(state.second)}},
          state.first == "True" ? 1 : 0);
    }
    for (const auto& [type, number] : component.transitions) {
      if (number > 0) {
        add(transitions, {{"name", label(name)}, {"condition", label(type)}}, static_cast<double>(number));
      }
    }
  }
  families_.set("cluster_operator_up", "Whether a component of the cluster is available", up);
  families_.set("cluster_operator_conditions",
                "Conditions of components, 1 for True and 0 for False; `version` is the cluster as a whole",
                conditions);
  families_.set("cluster_operator_condition_transitions",
                "How often a condition of a component has changed since the operator started", transitions);
}

void StatusMetrics::record_risks(const RiskStatus& status, bool accept_risks) {
  // Among risks with one name the gravest counts.
  constexpr std::array<std::string_view, 4> words{"does not match", "waiting", "failed", "matches"};
  const auto gravity = [&](const KnownRisk& one) { return std::ranges::find(words, one.word()); };
  std::map<std::string, KnownRisk> by_name;
  for (KnownRisk& one : known_risks(status)) {
    if (by_name.size() >= max_series) break;
    const auto [known, is_new] = by_name.try_emplace(label(one.risk->name), one);
    if (!is_new && gravity(one) > gravity(known->second)) known->second = std::move(one);
  }
  std::vector<Sample> verdicts, applies, last, next, places;
  for (const auto& [name, one] : by_name) {
    const risk::RiskVerdict& verdict = *one.verdict;
    add(verdicts, {{"risk", name}, {"verdict", std::string(one.word())}}, 1);
    if (verdict.last) add(last, {{"risk", name}}, seconds(verdict.last));
    if (verdict.next) add(next, {{"risk", name}}, seconds(verdict.next));
    if (verdict.place) add(places, {{"risk", name}}, static_cast<double>(*verdict.place));
    if (!accept_risks) continue;
    const bool matches = verdict.outcome == risk::Outcome::matches;
    const bool failed = verdict.outcome == risk::Outcome::failed;
    add(applies,
        {{"condition", "Applies"},
         {"risk", name},
         {"reason", failed    ? "EvaluationFailed"
                    : matches ? "Match"
                              : "NotMatch"}},
        failed    ? -1
        : matches ? 1
                  : 0);
  }
  families_.set("fairway_operator_risk_verdict", "What the evaluation of a risk came to", verdicts);
  families_.set("fairway_operator_risk_evaluated_timestamp_seconds", "When a risk was evaluated", last);
  families_.set("fairway_operator_risk_next_evaluation_timestamp_seconds",
                "When a risk may be evaluated (again) at the earliest", next);
  families_.set("fairway_operator_risk_queue_place",
                "The place of a risk among those that wait for their turn", places);
  families_.set("cluster_version_risk_conditions",
                "Conditions of risks: 1 for True, 0 for False and -1 for Unknown", applies);
}

}  // namespace fairway::operators
