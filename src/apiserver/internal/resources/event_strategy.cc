// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/event_strategy.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "apiserver/internal/resources/same_value.h"
#include "k8s/names.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;
using Errors = std::vector<FieldError>;

/// Fields of the core group whose name in the other group differs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> renamed{
    {{"involvedObject", "regarding"},
     {"message", "note"},
     {"source", "deprecatedSource"},
     {"firstTimestamp", "deprecatedFirstTimestamp"},
     {"lastTimestamp", "deprecatedLastTimestamp"},
     {"count", "deprecatedCount"},
     {"reportingComponent", "reportingController"}}};

void convert_to(Dynamic& object, const k8s::GroupVersionKind& to) {
  object.set("apiVersion", to.api_version());
  json::Object& members = object.json();
  for (const auto& [core, event] : renamed) {
    const std::string_view from = to.group.empty() ? event : core, name = to.group.empty() ? core : event;
    const auto found = members.find(from);
    if (found == members.end()) continue;
    json::Value value = found->value();
    members.erase(found);
    members.insert_or_assign(name, std::move(value));
  }
}

void check_length(Errors& errors, const Dynamic& event, std::string_view field, std::size_t most) {
  if (event.text(field).size() <= most) return;
  errors.push_back(FieldError::invalid(field, json::Value(""),
                                       "can have at most " + std::to_string(most) + " characters"));
}

/// Checks an Event with an event time, which those of older clients do not have.
void check_timed(Errors& errors, const Dynamic& event, std::string_view controller_name) {
  constexpr std::size_t longest = 128, longest_message = 1024;
  const std::string_view controller = event.text("reportingComponent");
  if (controller.empty()) errors.push_back(FieldError::required(controller_name, ""));
  for (const std::string& fault : k8s::check_qualified_name(controller))
    errors.push_back(FieldError::invalid(controller_name, json::Value(controller), fault));
  if (event.text("reportingInstance").empty())
    errors.push_back(FieldError::required("reportingInstance", ""));
  check_length(errors, event, "reportingInstance", longest);
  for (const std::string_view field : {"action", "reason"}) {
    if (event.text(field).empty()) errors.push_back(FieldError::required(field, ""));
    check_length(errors, event, field, longest);
  }
  check_length(errors, event, "message", longest_message);
}

/// Checks an Event in the form of the core group.
Errors check_event(const Dynamic& event, std::string_view controller_name) {
  Errors errors;
  const std::string_view in = event.namespace_name(), of = event.text("involvedObject.namespace");
  const bool is_timed = event.has("eventTime");
  const bool belongs = !of.empty() ? is_timed || of == in
                       : is_timed  ? in == "default" || in == "kube-system"
                                   : in == "default";
  if (!belongs) {
    errors.push_back(
        FieldError::invalid("involvedObject.namespace", json::Value(of), "does not match event.namespace"));
  }
  if (is_timed) check_timed(errors, event, controller_name);
  return errors;
}

void check_series(Errors& errors, const Dynamic& event) {
  if (!event.has("series")) return;
  if (event.integer("series.count") < 2)
    errors.push_back(FieldError::invalid("series.count", json::Value(""), "should be at least 2"));
  if (!event.has("series.lastObservedTime"))
    errors.push_back(FieldError::required("series.lastObservedTime", ""));
}

void check_new_event(Errors& errors, const Dynamic& event) {
  check_series(errors, event);
  if (!event.has("eventTime")) errors.push_back(FieldError::required("eventTime", ""));
  const std::string type(event.text("type"));
  if (type != "Normal" && type != "Warning")
    errors.push_back(FieldError::invalid("type", json::Value(""), "has invalid value: " + type));
  const auto unset = [&](std::string_view field, bool is_set) {
    if (is_set) errors.push_back(FieldError::invalid(field, json::Value(""), "needs to be unset"));
  };
  for (const std::string_view field : {"firstTimestamp", "lastTimestamp"}) unset(field, event.has(field));
  unset("count", event.integer("count") != 0);
  unset("source", !event.text("source.component").empty() || !event.text("source.host").empty());
}

/// Returns whether a value is the zero value of Go's fields that are no pointers.
bool is_blank(const json::Value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (value->is_string()) return value->get_string().empty();
  if (value->is_int64()) return value->get_int64() == 0;
  const json::Object* object = value->if_object();
  return object != nullptr &&
         std::ranges::all_of(*object, [](const auto& member) { return is_blank(&member.value()); });
}

void check_changed_event(Errors& errors, const Dynamic& event, const Dynamic& old) {
  if (!same_at(event, old, "series")) check_series(errors, event);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> frozen{
      {{"involvedObject", ""},
       {"reason", ""},
       {"message", ""},
       {"source", ""},
       {"firstTimestamp", ""},
       {"lastTimestamp", ""},
       {"count", ""},
       {"type", ""},
       {"eventTime", ""},
       {"action", ""},
       {"related", ""},
       {"reportingComponent", "reportingController"},
       {"reportingInstance", ""}}};
  for (const auto& [field, shown] : frozen) {
    const bool were_blank = is_blank(event.find(field)) && is_blank(old.find(field));
    if (were_blank || same_at(event, old, field)) continue;
    errors.push_back(
        FieldError::invalid(shown.empty() ? field : shown, value_at(event, field), "field is immutable"));
  }
}

class EventStrategy final : public Strategy {
 public:
  explicit EventStrategy(std::string_view group) : is_core_(group.empty()) {}

  k8s::StatusResult<void> convert(Dynamic& object, const k8s::GroupVersionKind& to) const override {
    convert_to(object, to);
    return {};
  }
  Errors validate(const Dynamic& object, const Dynamic* old, Part /*part*/) const override {
    if (is_core_) return check_event(object, "reportingComponent");
    Dynamic event = object;
    convert_to(event, core);
    Errors errors = check_event(event, "reportingController");
    if (old == nullptr) {
      check_new_event(errors, event);
      return errors;
    }
    Dynamic before = *old;
    convert_to(before, core);
    check_changed_event(errors, event, before);
    return errors;
  }

 private:
  static inline const k8s::GroupVersionKind core{"", "v1", "Event"};
  bool is_core_;
};

}  // namespace

std::shared_ptr<const Strategy> event_strategy(std::string_view group) {
  return std::make_shared<EventStrategy>(group);
}

}  // namespace fairway::apiserver::resources
