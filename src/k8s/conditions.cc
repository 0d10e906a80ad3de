// SPDX-License-Identifier: Apache-2.0

#include "k8s/conditions.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text.h"
#include "base/utf8_prefix.h"
#include "k8s/names.h"

namespace fairway::k8s {

namespace {

/// Maximum length of a message that the API accepts. A truncated message is better than a status that cannot
/// be written.
constexpr std::size_t max_message = 32'768;

std::string fitting_message(std::string_view message) {
  if (!is_utf8(message)) return printable(message, max_message - 3);
  if (message.size() <= max_message) return std::string(message);
  return std::string(utf8_prefix(message, max_message - 3)) + "…";
}

const json::Object* find_entry(const json::Array& list, std::string_view type) {
  for (const json::Value& value : list) {
    const json::Object* object = value.if_object();
    if (object != nullptr && Condition(*object).type() == type) return object;
  }
  return nullptr;
}

/// Members that identify an item of a list in a status.
constexpr std::array identifying{"parentRef", "ancestorRef", "controllerName", "name"};

json::Object identity_of(const json::Object& item) {
  json::Object identity;
  for (const std::string_view member : identifying) {
    if (const json::Value* value = item.if_contains(member)) identity[member] = *value;
  }
  return identity;
}

[[noreturn]] void fault(std::string_view type, std::string_view what) {
  throw std::logic_error("condition " + std::string(type) + ": " + std::string(what));
}

}  // namespace

Conditions::Conditions(Dynamic& object, std::string_view items, std::size_t index,
                       const ConditionPolicy& policy, const Clock& clock)
    : object_(object), items_(items), index_(index), policy_(policy), clock_(clock) {
  if (!items_.empty()) identity_ = identity_of(item());
  before_ = list();
  for (json::Value& value : list()) {
    if (json::Object* entry = value.if_object();
        entry != nullptr && Condition(*entry).text("status").empty()) {
      Editor(*entry).set("status", to_string(ConditionStatus::unknown));
    }
  }
  for (const ConditionType& type : policy_.types) {
    const auto there = find(type.name);
    if (type.presence == Presence::while_true && there && !there->is_true()) remove(type.name);
    if (type.presence == Presence::always && !there) {
      set(type.name, ConditionStatus::unknown, policy_.undecided_reason, policy_.undecided_message);
    }
  }
}

// Found anew each time: whatever is appended to a list beside it may move all of its items.
json::Array& Conditions::list() const {
  if (items_.empty()) return object_.array("status.conditions");
  return Editor(item()).array("conditions");
}

json::Object& Conditions::item() const {
  json::Array& items = object_.array(items_);
  const auto is_it = [&](const json::Value& value) {
    const json::Object* one = value.if_object();
    return one != nullptr && identity_of(*one) == identity_;
  };
  if (!identity_.empty() && (index_ >= items.size() || !is_it(items[index_]))) {
    const auto found = std::ranges::find_if(items, is_it);
    if (found != items.end()) return found->get_object();
    throw std::out_of_range("conditions of " + items_ + "[" + std::to_string(index_) + "]: the item " +
                            printable(json::to_text(identity_), 200) + " is not in the list any more");
  }
  if (index_ >= items.size()) {
    throw std::out_of_range("conditions of " + items_ + "[" + std::to_string(index_) + "]: the list has " +
                            std::to_string(items.size()) + " items");
  }
  if (!items[index_].is_object()) items[index_] = json::Object{};
  return items[index_].get_object();
}

bool Conditions::is_newer(const Condition& condition) const {
  return policy_.observed_generation && condition.observed_generation().value_or(0) > object_.generation();
}

bool Conditions::is_outdated() const {
  for (const json::Value& value : list()) {
    if (const json::Object* entry = value.if_object(); entry != nullptr && is_newer(Condition(*entry)))
      return true;
  }
  return false;
}

void Conditions::set_true(std::string_view type, std::string_view reason, std::string_view message) {
  set(type, ConditionStatus::is_true, reason, message);
}

void Conditions::set_false(std::string_view type, std::string_view reason, std::string_view message) {
  if (type_of(type).presence == Presence::while_true) return remove(type);
  set(type, ConditionStatus::is_false, reason, message);
}

void Conditions::unknown(std::string_view type, std::string_view reason, std::string_view message) {
  if (type_of(type).presence == Presence::while_true) {
    fault(type, "it is only there while true; leave it as it is where that is not known");
  }
  set(type, ConditionStatus::unknown, reason, message);
}

void Conditions::error(std::string_view type, const std::optional<ConditionError>& problem) {
  if (!problem) return clear(type);
  error(type, problem->reason, problem->message);
}

void Conditions::error(std::string_view type, std::string_view reason, std::string_view message) {
  const ConditionType declared = type_of(type);
  if (policy_.find(type) != nullptr && declared.polarity == Polarity::positive) {
    fault(type, "it is positive: set_false says that something is wrong");
  }
  set(type, ConditionStatus::is_true, reason, message);
}

void Conditions::clear(std::string_view type) {
  const ConditionType declared = type_of(type);
  if (declared.presence != Presence::always) return remove(type);
  if (declared.polarity == Polarity::positive) fault(type, "it must always be there");
  if (policy_.reason_required) fault(type, "it must always be there, and with a reason: set_false says so");
  set(type, ConditionStatus::is_false, {}, {});
}

std::optional<Condition> Conditions::find(std::string_view type) const {
  const json::Object* object = entry(type);
  return object != nullptr ? std::optional<Condition>(*object) : std::nullopt;
}

bool Conditions::is_true(std::string_view type) const {
  const auto condition = find(type);
  return condition && condition->is_true();
}

bool Conditions::changed() const {
  return !same_conditions(before_, list());
}

ConditionType Conditions::type_of(std::string_view type) const {
  if (const ConditionType* declared = policy_.find(type); declared != nullptr) return *declared;
  if (type.find('/') == std::string_view::npos || !check_qualified_name(type).empty()) {
    fault(type,
          "the policy does not name it; types of one's own have a domain before them: example.com/Type");
  }
  return {std::string(type), Polarity::positive, Presence::when_decided};
}

json::Object* Conditions::entry(std::string_view type) const {
  return const_cast<json::Object*>(find_entry(list(), type));
}

void Conditions::remove(std::string_view type) {
  json::Array& conditions = list();
  for (auto at = conditions.begin(); at != conditions.end();) {
    const json::Object* object = at->if_object();
    const bool goes = object != nullptr && Condition(*object).type() == type && !is_newer(Condition(*object));
    at = goes ? conditions.erase(at) : at + 1;
  }
}

void Conditions::set(std::string_view type, ConditionStatus status, std::string_view reason,
                     std::string_view message) {
  type_of(type);  // throws where there is no such type
  if (policy_.reason_required && !is_condition_reason(reason)) {
    fault(type, "'" + printable(reason, 100) + "' is no reason; give one such as BackendNotFound");
  }
  // The texts may be those of a condition of this very list, which is about to move.
  const std::string name(type), new_reason(reason), new_message = fitting_message(message);
  json::Object* object = entry(name);
  if (object == nullptr) {
    object = &list().emplace_back(json::Object{}).get_object();
    Editor(*object).set("type", name);
  }
  Editor condition(*object);
  const Condition current(*object);
  if (is_newer(current)) return;
  const bool stays = condition.has("status") && current.status() == status && current.last_transition();
  condition.set("status", to_string(status));
  if (policy_.observed_generation) {
    condition.set("observedGeneration", object_.generation());
  } else {
    condition.erase("observedGeneration");
  }
  if (!stays) {
    // There and back again is no transition: only the last word of a round is written.
    const json::Object* before = find_entry(before_, name);
    if (before != nullptr && Condition(*before).status() == status && Condition(*before).last_transition()) {
      condition.set("lastTransitionTime", Condition(*before).text("lastTransitionTime"));
    } else {
      condition.set_time("lastTransitionTime", clock_.now());
    }
  }
  set_text(condition, "reason", new_reason);
  set_text(condition, "message", new_message);
}

void Conditions::set_text(Editor& condition, std::string_view field, const std::string& text) const {
  if (text.empty() && !policy_.reason_required) {
    condition.erase(field);
  } else {
    condition.set(field, text);
  }
}

}  // namespace fairway::k8s
