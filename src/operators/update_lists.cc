// SPDX-License-Identifier: Apache-2.0

#include "operators/update_lists.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/cut_text.h"
#include "base/semver.h"
#include "base/text.h"
#include "k8s/set_condition.h"
#include "openshift/unlisted_updates.h"
#include "operators/internal/censor.h"

namespace fairway::operators {
namespace {

using risk::Outcome;
using risk::RiskVerdict;
using risk::UpdateCondition;

/// Limits of the message about parts that are left out: entries and bytes.
constexpr std::size_t max_named = 50, max_named_bytes = 8'192;
/// Bytes that the API server adds for each risk in a list that is a map: the managers of its fields.
constexpr std::size_t managed_bytes = 512;
/// Bytes reserved for conditions that are not there yet.
constexpr std::size_t reserved_bytes = 50'000;
constexpr std::size_t room_step = 50'000;
/// Bytes of the message of an update that is not listed.
constexpr std::size_t max_unlisted_message = 1'024;

const json::Object* find_by(const json::Array* list, std::string_view key, std::string_view value) {
  if (list == nullptr) return nullptr;
  for (const json::Value& item : *list) {
    if (json::find_string(item, key) == value) return item.if_object();
  }
  return nullptr;
}

const json::Array* list_of(const json::Object* object, std::string_view key) {
  if (object == nullptr) return nullptr;
  const json::Value* value = object->if_contains(key);
  return value == nullptr ? nullptr : value->if_array();
}

k8s::ConditionStatus status_of(const UpdateCondition& condition) {
  switch (condition.status) {
    case risk::Status::is_true:
      return k8s::ConditionStatus::is_true;
    case risk::Status::is_false:
      return k8s::ConditionStatus::is_false;
    case risk::Status::unknown:
      break;
  }
  return k8s::ConditionStatus::unknown;
}

/// Adds a condition to a list that is written anew. `before` has the previous conditions of the same object.
void add_condition(json::Array& conditions, std::string_view type, const UpdateCondition& now,
                   const json::Array* before, WallTime time) {
  // It begins with its previous status, which decides about its time.
  if (const json::Object* old = find_by(before, "type", type)) {
    const k8s::Condition view(*old);
    conditions.push_back(json::Object{{"type", type},
                                      {"status", view.text("status")},
                                      {"lastTransitionTime", view.text("lastTransitionTime")}});
  }
  // The reason may be a risk's name, which may be longer than a reason may be.
  const std::string_view reason =
      now.reason.size() <= max_condition_reason ? std::string_view(now.reason) : "ExposedToRisks";
  k8s::set_condition(conditions, type, status_of(now), reason, cut_text(now.message, max_condition_message),
                     time, k8s::EmptyTexts::written);
}

/// Returns the previous conditional update to this release, by image, else by version; nullptr: there is
/// none.
const json::Object* update_before(const json::Array* updates, const ListedRelease& release) {
  if (updates == nullptr) return nullptr;
  const json::Object* same_version = nullptr;
  for (const json::Value& item : *updates) {
    const json::Object* update = item.if_object();
    if (update == nullptr) continue;
    const openshift::ConditionalUpdate view(*update);
    if (view.release().image() == release.image && view.release().version() == release.version) return update;
    if (view.release().version() == release.version) same_version = update;
  }
  return same_version;
}

/// Returns the condition Applies of a risk. If it could not be evaluated, the message is that of
/// `Recommended`.
UpdateCondition applies(const graph::Risk& risk, const RiskVerdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::matches:
      return {risk::Status::is_true, "Match", ""};
    case Outcome::does_not_match:
      return {risk::Status::is_false, "NotMatch", ""};
    case Outcome::failed:
      break;
  }
  return {risk::Status::unknown, "EvaluationFailed",
          risk::recommended(std::span(&risk, 1), std::span(&verdict, 1)).message};
}

/// Returns `Recommended` when risks that match may be accepted. As in the cluster-version operator, the
/// reason is `MultipleReasons` if an accepted risk comes after another reason.
UpdateCondition recommended_with(std::span<const graph::Risk> risks, const risk::UpdateVerdict& verdict,
                                 const std::set<std::string, std::less<>>& accepted) {
  std::vector<graph::Risk> other_risks;
  std::vector<RiskVerdict> other_verdicts;
  bool has_reason = false, accepted_behind_it = false;
  for (std::size_t i = 0; i < risks.size(); ++i) {
    if (verdict.risks[i].outcome == Outcome::matches && accepted.contains(risks[i].name)) {
      accepted_behind_it = accepted_behind_it || has_reason;
      continue;
    }
    has_reason = has_reason || verdict.risks[i].outcome != Outcome::does_not_match;
    other_risks.push_back(risks[i]);
    other_verdicts.push_back(verdict.risks[i]);
  }
  if (other_risks.size() == risks.size()) return verdict.recommended;
  if (!other_risks.empty()) {
    UpdateCondition others = risk::recommended(other_risks, other_verdicts);
    if (others.status != risk::Status::is_true) {
      if (accepted_behind_it) others.reason = "MultipleReasons";
      return others;
    }
  }
  return {risk::Status::is_true, "AllExposedRisksAccepted",
          "The update is recommended, because either risk does not apply to this cluster or it is accepted "
          "by cluster admins."};
}

/// Returns the size of a JSON text as an API server in Go stores it: its JSON escapes the special characters
/// of HTML, and two line separators of Unicode.
std::size_t stored_bytes(std::string_view text) {
  std::size_t bytes = text.size() + 5 * static_cast<std::size_t>(std::ranges::count_if(
                                            text, [](char c) { return c == '<' || c == '>' || c == '&'; }));
  for (const std::string_view line_end : {"\xe2\x80\xa8", "\xe2\x80\xa9"}) {
    for (std::size_t at = text.find(line_end); at != std::string_view::npos; at = text.find(line_end, at + 3))
      bytes += 3;
  }
  return bytes;
}

class Writer {
 public:
  Writer(openshift::ClusterVersion& cluster, const UpdateInputs& inputs)
      : cluster_(cluster),
        in_(inputs),
        definition_(inputs.definition == nullptr ? *ServedDefinition::own() : *inputs.definition) {
    if (!in_.accept_risks) return;
    for (const k8s::View& risk : cluster.items("spec.desiredUpdate.acceptRisks"))
      accepted_.emplace(risk.text("name"));
  }

  payload::UnlistedUpdates write() {
    // A copy, as the writes below move the original.
    if (const json::Value* before = cluster_.find("status.conditionalUpdates"))
      if (before->is_array()) before_ = before->as_array();
    write_desired();
    if (in_.available != nullptr) {
      for (const ListedRelease& release : in_.available->unconditional) available_.push_back(&release);
      for (std::size_t i = 0; i < in_.available->updates.size(); ++i) judge(i);
    }
    const std::size_t others = bytes_of_others();
    room_ = others < max_object_bytes ? max_object_bytes - others : 0;
    // In steps: the writes here change the size of the rest, and the next write should list the same.
    room_ -= room_ % room_step;
    write_available();
    room_ = std::min(room_, max_conditional_bytes);
    for (std::size_t i = 0; i < recommended_.size(); ++i) {
      if (!add_conditional(i)) keep_unlisted(i);
    }
    if (in_.available != nullptr)
      for (const std::string& problem : in_.available->problems) left_out_.push_back(problem);
    write_list(conditional_list, std::move(conditional_));
    write_list(risk_list, std::move(all_risks_));
    for (std::string& gone : definition_.fit(cluster_)) left_out_.push_back(std::move(gone));
    write_unlisted();
    write_conditions();
    // What is said of what is left out, too.
    definition_.fit(cluster_);
    return std::move(unlisted_);
  }

 private:
  bool is_being_asked() const { return in_.retrieved.status == k8s::ConditionStatus::unknown; }

  /// Writes `status.desired`; the image's own metadata take precedence.
  void write_desired() {
    ListedRelease desired = in_.current;
    // The service's data, kept while it does not answer.
    const openshift::ReleaseView before = cluster_.desired();
    desired.multi =
        desired.multi || (before.text("architecture") == "Multi" && before.image() == desired.image);
    if (in_.available != nullptr) {
      const ListedRelease& known = in_.available->current;
      if (desired.url.empty()) desired.url = known.url;
      if (desired.channels.empty()) desired.channels = known.channels;
      desired.multi = desired.multi || (known.multi && known.image == desired.image);
    } else if (in_.elsewhere) {
      if (desired.url.empty()) desired.url = in_.elsewhere->url;
      if (desired.channels.empty()) desired.channels = in_.elsewhere->channels;
    } else if ((in_.searching || (in_.keep_desired && (in_.retrieved.may_pass() || is_being_asked()))) &&
               before.image() == desired.image) {
      if (desired.url.empty()) desired.url = before.url();
      if (desired.channels.empty())
        for (const std::string_view channel : before.channels()) desired.channels.emplace_back(channel);
    }
    cluster_.set("status.desired", writable_desired(desired).to_json());
    cluster_.set("status.observedGeneration", cluster_.generation());
    if (!cluster_.find_text("status.versionHash")) cluster_.set("status.versionHash", "");
  }

  /// Judges whether an update is recommended, by all of its risks, listed or not.
  void judge(std::size_t i) {
    recommended_.push_back(recommended_with(in_.available->updates[i].risks, in_.verdicts[i], accepted_));
    if (recommended_.back().status == risk::Status::is_true) available_.push_back(&in_.available->targets[i]);
  }

  /// Returns the size of the object without the lists of updates.
  std::size_t bytes_of_others() const {
    std::size_t bytes = reserved_bytes;
    for (const auto& [key, value] : cluster_.json()) {
      if (key != "status" || !value.is_object()) {
        bytes += stored_bytes(json::to_text(value));
        continue;
      }
      for (const auto& [name, part] : value.as_object()) {
        if (name != "availableUpdates" && name != "conditionalUpdates" && name != "conditionalUpdateRisks")
          bytes += name.size() + stored_bytes(json::to_text(part));
      }
    }
    return bytes;
  }

  /// Returns whether there was room for it, and something that can be written.
  bool add_conditional(std::size_t i) {
    const risk::ConditionalUpdate& update = in_.available->updates[i];
    const std::string name = printable(in_.available->targets[i].version, 80);
    if (const std::size_t most = definition_.max_items(conditional_list); conditional_.size() >= most) {
      left_out_.push_back("the update to " + name +
                          (most == 0 ? ": the definition of ClusterVersion takes none"
                                     : ": there are more than can be listed"));
      return false;
    }
    const auto target = writable_release(in_.available->targets[i], left_out_);
    if (!target) return false;
    const std::vector<graph::Risk> risks =
        writable_risks(update.risks, name, *in_.registry, definition_, left_out_);
    if (risks.empty()) return false;
    json::Object written = conditional_update(update, *target, in_.verdicts[i], recommended_[i], risks);
    if (const std::string why = definition_.refusal(conditional_list, written); !why.empty()) {
      left_out_.push_back("the update to " + name + ": it cannot be listed: " + printable(why, 300));
      return false;
    }
    std::size_t size = stored_bytes(json::to_text(written));
    const auto new_risks = in_.accept_risks ? unlisted(written) : std::vector<const json::Object*>();
    for (const json::Object* risk : new_risks) size += stored_bytes(json::to_text(*risk)) + managed_bytes;
    if (size > room_) {
      left_out_.push_back("the update to " + name + ": there is more about it than can be listed");
      return false;
    }
    room_ -= size;
    for (const json::Object* risk : new_risks) {
      if (all_risks_.size() >= definition_.max_items(risk_list)) break;
      names_.emplace(risk->at("name").as_string());
      json::Object one = *risk;
      if (definition_.refusal(risk_list, one).empty()) all_risks_.push_back(std::move(one));
    }
    conditional_.push_back(std::move(written));
    return true;
  }

  void keep_unlisted(std::size_t i) {
    json::Object update{{"release", in_.available->targets[i].to_json()}};
    add_condition(update["conditions"].emplace_array(), "Recommended", recommended_[i], nullptr, in_.now);
    unlisted_.conditional.push_back(std::move(update));
  }

  /// Returns the risks of an update that are not yet in the list of all risks. Each name is in that list
  /// once, from the highest target that has it.
  std::vector<const json::Object*> unlisted(const json::Object& update) const {
    std::vector<const json::Object*> risks;
    for (const json::Value& risk : update.at("risks").as_array()) {
      if (!names_.contains(std::string(risk.as_object().at("name").as_string())))
        risks.push_back(&risk.as_object());
    }
    return risks;
  }

  json::Object conditional_update(const risk::ConditionalUpdate& update, const ListedRelease& target,
                                  const risk::UpdateVerdict& verdict, const UpdateCondition& recommended,
                                  const std::vector<graph::Risk>& risks) {
    const json::Object* before = update_before(&before_, target);
    json::Object written;
    written["release"] = target.to_json();
    json::Array& list = written["risks"].emplace_array();
    json::Array names;
    for (const graph::Risk& risk : risks) {
      json::Object one = json_of(risk);
      if (in_.accept_risks) {
        const RiskVerdict& its = verdict_of(update, verdict, risk.name);
        const json::Object* risk_before = find_by(list_of(before, "risks"), "name", risk.name);
        add_condition(one["conditions"].emplace_array(), "Applies", applies(risk, its),
                      list_of(risk_before, "conditions"), in_.now);
        names.emplace_back(risk.name);
      }
      list.push_back(std::move(one));
    }
    if (!names.empty()) {
      written["riskNames"] = std::move(names);
      // The names are in `risks` all the same.
      json::Object with_names = written;
      if (definition_.refusal(conditional_list, with_names).contains("riskNames")) written.erase("riskNames");
    }
    const json::Array* conditions_before = list_of(before, "conditions");
    json::Array& conditions = written["conditions"].emplace_array();
    add_condition(conditions, "Evaluating", verdict.evaluating, conditions_before, in_.now);
    add_condition(conditions, "Recommended", recommended, conditions_before, in_.now);
    return written;
  }

  static json::Object json_of(const graph::Risk& risk) {
    json::Object one;
    one["url"] = risk.url;
    one["name"] = risk.name;
    one["message"] = risk.message;
    one["matchingRules"] = risk.matching_rules;
    return one;
  }

  /// Returns the verdict on a risk. A name occurs once in a list of risks.
  static const RiskVerdict& verdict_of(const risk::ConditionalUpdate& update,
                                       const risk::UpdateVerdict& verdict, const std::string& name) {
    for (std::size_t i = 0; i < update.risks.size(); ++i) {
      if (update.risks[i].name == name) return verdict.risks[i];
    }
    return verdict.risks.front();
  }

  void write_available() {
    std::vector<std::pair<Version, const ListedRelease*>> sorted;
    for (const ListedRelease* release : available_)
      sorted.emplace_back(Version::parse(release->version).value_or(Version()), release);
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.first > b.first; });
    json::Array list;
    std::set<std::string_view> versions;
    std::size_t left = std::min(room_, max_available_bytes), too_many = 0;
    room_ -= left;
    for (const auto& [version, release] : sorted) {
      if (!versions.insert(release->version).second) continue;
      const auto writable = writable_release(*release, left_out_);
      if (!writable) {
        unlisted_.available.push_back({release->version, release->image});
        continue;
      }
      json::Object written = writable->to_json();
      if (list.size() < definition_.max_items(available_list)) {
        if (const std::string why = definition_.refusal(available_list, written); !why.empty()) {
          left_out_.push_back("release " + printable(release->version, 80) +
                              ": it cannot be listed: " + printable(why, 300));
          unlisted_.available.push_back({release->version, release->image});
          continue;
        }
      }
      const std::size_t size = stored_bytes(json::to_text(written));
      // The highest ones are listed.
      if (size > left || too_many > 0 || list.size() >= definition_.max_items(available_list)) {
        ++too_many;
        unlisted_.available.push_back({release->version, release->image});
        continue;
      }
      left -= size;
      list.push_back(std::move(written));
    }
    room_ += left;
    if (too_many > 0) {
      left_out_.push_back(std::to_string(too_many) +
                          " more updates are recommended than can be listed; those with the highest versions "
                          "are");
    }
    json::Value& member = cluster_.object("status")["availableUpdates"];
    if (list.empty()) {
      member = nullptr;
    } else {
      member = std::move(list);
    }
  }

  void write_list(std::string_view key, json::Array list) {
    if (list.empty()) {
      cluster_.object("status").erase(key);
    } else {
      cluster_.object("status")[key] = std::move(list);
    }
  }

  /// Writes what is not listed, and counts all the same, for whoever asks for it by its version.
  void write_unlisted() {
    std::vector<json::Object> updates;
    for (const payload::UpdateTarget& one : unlisted_.available) {
      updates.push_back(json::Object{
          {"release", json::Object{{"version", one.version}, {"image", one.image}}},
          {"conditions", json::Array{json::Object{{"type", "Recommended"}, {"status", "True"}}}}});
    }
    for (const json::Object& one : unlisted_.conditional) {
      const openshift::ConditionalUpdate update(one);
      const auto recommended = update.condition("Recommended");
      if (!recommended || update.release().image().size() > max_image_bytes) continue;
      updates.push_back(json::Object{
          {"release",
           json::Object{{"version", update.release().version()}, {"image", update.release().image()}}},
          {"conditions",
           json::Array{json::Object{{"type", "Recommended"},
                                    {"status", recommended->text("status")},
                                    {"reason", cut_text(recommended->reason(), max_condition_reason)},
                                    {"message", cut_text(recommended->message(), max_unlisted_message)}}}}});
    }
    if (updates.empty()) {
      remove_condition(cluster_, openshift::unlisted_updates_condition);
      return;
    }
    set_condition(cluster_, openshift::unlisted_updates_condition,
                  {k8s::ConditionStatus::is_true, "NotListed",
                   openshift::unlisted_updates_message(cluster_, updates, max_condition_message)},
                  in_.now);
  }

  void write_conditions() {
    set_condition(cluster_, retrieved_updates, in_.retrieved, in_.now);
    if (in_.stale_since) {
      set_condition(
          cluster_, stale_updates,
          {k8s::ConditionStatus::is_true, "UpdateServiceUnavailable",
           "The updates are those of the last answer of the update service that was of use, which came at " +
               format_time(*in_.stale_since) + ". Without another they are dropped at " +
               format_time(*in_.stale_since + keep_updates) + "."},
          in_.now);
    } else {
      remove_condition(cluster_, stale_updates);
    }
    // A release may be in two lists.
    std::set<std::string> said;
    std::erase_if(left_out_, [&](const std::string& one) { return !said.insert(one).second; });
    if (left_out_.empty()) {
      remove_condition(cluster_, incomplete_updates);
      return;
    }
    std::string message = "Parts of the answer of the update service are not listed here:";
    std::size_t named = 0;
    for (; named < left_out_.size() && named < max_named && message.size() < max_named_bytes; ++named)
      message += "\n* " + printable(left_out_[named], 500);
    if (named < left_out_.size()) message += "\n* and " + std::to_string(left_out_.size() - named) + " more";
    set_condition(cluster_, incomplete_updates, {k8s::ConditionStatus::is_true, "PartsLeftOut", message},
                  in_.now);
  }

  openshift::ClusterVersion& cluster_;
  const UpdateInputs& in_;
  const ServedDefinition& definition_;
  std::set<std::string, std::less<>> accepted_;
  json::Array before_;
  std::vector<const ListedRelease*> available_;
  std::vector<UpdateCondition> recommended_;  ///< for each of the available updates
  json::Array conditional_, all_risks_;
  std::set<std::string> names_;  ///< names in `all_risks_`
  std::vector<std::string> left_out_;
  payload::UnlistedUpdates unlisted_;
  std::size_t room_ = 0;  ///< bytes that remain
};

}  // namespace

payload::UnlistedUpdates write_updates(openshift::ClusterVersion& cluster, const UpdateInputs& inputs) {
  return Writer(cluster, inputs).write();
}

void set_condition(openshift::ClusterVersion& cluster, std::string_view type, const Finding& finding,
                   WallTime now) {
  k8s::set_condition(cluster.array("status.conditions"), type, finding.status,
                     cut_text(finding.reason, max_condition_reason),
                     cut_text(finding.message, max_condition_message), now);
}

bool remove_condition(openshift::ClusterVersion& cluster, std::string_view type) {
  if (!cluster.condition(type)) return false;
  json::Array& list = cluster.array("status.conditions");
  const auto gone = [&](const json::Value& item) { return json::find_string(item, "type") == type; };
  list.erase(std::remove_if(list.begin(), list.end(), gone), list.end());
  return true;
}

}  // namespace fairway::operators
