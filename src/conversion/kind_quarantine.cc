// SPDX-License-Identifier: Apache-2.0

// Kinds whose objects are quarantined: what API servers are answered.
#include <algorithm>
#include <utility>

#include "base/cut_text.h"
#include "base/text.h"
#include "conversion/internal/conversion_trace.h"
#include "conversion/internal/quarantine_state.h"
#include "conversion/internal/quarantined_object.h"
#include "conversion/kind_converters.h"
#include "k8s/group_version.h"
#include "k8s/quarantine.h"

namespace fairway::conversion {

KindConverters& KindConverters::quarantine(bool enabled) {
  quarantines_ = enabled;
  prepared_ = false;
  return *this;
}

Result<void> KindConverters::prepare_quarantine(const k8s::CustomResourceDefinition* definition) {
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::invalid, name() + " cannot be quarantined: " + why);
  };
  scaled_resource_.clear();
  if (definition == nullptr) {
    if (!quarantines_) return {};
    return refused(
        "its definition is not given, by which a validating webhook is registered that guards it; give "
        "prepare() the definition");
  }
  QuarantineFacts facts(*definition);
  if (!quarantines_) {
    // The marks are checked all the same: another release, or replica, may quarantine the kind.
    quarantine_state_->replace(std::move(facts));
    return {};
  }
  if (facts.storage.empty()) return refused("its definition has no version with storage: true");
  if (!facts.obstacle.empty()) return refused(facts.obstacle);
  scaled_resource_ = facts.scaled_resource;
  quarantine_state_->replace(std::move(facts));
  return {};
}

void KindConverters::learn_definition(const k8s::CustomResourceDefinition& on_server) const {
  if (prepared_) quarantine_state_->learn(on_server, quarantines_);
}

void KindConverters::set_guard(bool effective, SteadyTime until) const {
  quarantine_state_->set_guard(effective, until);
}

bool KindConverters::expire_guard(SteadyTime now) const {
  return quarantine_state_->expire_guard(now);
}

bool KindConverters::is_quarantining() const {
  return quarantines_ && quarantine_state_->allows();
}

/// Returns whether an object has no content but what its definition may have given it.
bool KindConverters::has_original_only(const k8s::Dynamic& object) const {
  return k8s::is_quarantined(object) && quarantine_state_->facts()->content_of(object) != OwnContent::there;
}

bool KindConverters::is_served_without_content(const k8s::Dynamic& object) const {
  return k8s::is_quarantined(object) && is_without_content(object) && restore_original(object).has_value();
}

std::optional<k8s::Dynamic> KindConverters::original_in_file(const k8s::Dynamic& object) const {
  if (!quarantines_ || !has_original_only(object)) return std::nullopt;
  auto original = restore_original(object);
  if (!original) return std::nullopt;
  return *std::move(original);
}

/// Returns the original of an object that was quarantined; nothing if it was not. Anybody may have written
/// the annotations while nobody guarded them, so they count only if the original does not convert to the
/// version of the object. The error is one of the conversion, after which that is not known.
Result<std::optional<k8s::Dynamic>> KindConverters::quarantined_original(const k8s::Dynamic& object) const {
  if (!has_original_only(object)) return std::nullopt;
  auto original = restore_original(object);
  const auto own = k8s::GroupVersion::parse(object.api_version());
  if (!original || !own || original->api_version() == object.api_version()) return std::nullopt;
  if (!has_steps_for(*original, own->version)) return std::nullopt;
  const auto converted = convert(*original, own->version);
  if (converted) return std::nullopt;
  if (converted.error().code != ErrorCode::invalid) return fail(converted.error());
  return *std::move(original);
}

/// Returns whether an object gets as far as the first step of its conversion.
bool KindConverters::has_steps_for(const k8s::Dynamic& object, std::string_view version) const {
  const auto own = k8s::GroupVersion::parse(object.api_version());
  const json::Value* metadata = object.json().if_contains("metadata");
  return prepared_ && own && own->group == group_ && own->version != version && find_version(own->version) &&
         find_version(version) && metadata != nullptr && metadata->is_object();
}

Result<ConvertedObject> KindConverters::answer(k8s::Dynamic object, std::string_view version) const {
  const auto as_it_converts = [&](k8s::Dynamic whole) -> Result<ConvertedObject> {
    auto converted = convert(std::move(whole), version);
    if (!converted) return fail(std::move(converted.error()));
    return ConvertedObject{*std::move(converted), std::nullopt};
  };
  if (!quarantines_ || !has_steps_for(object, version)) return as_it_converts(std::move(object));
  // Content counts, although it may be defaults of a definition not seen: beside it the marks are annotations
  // like any other, and both come back from a round trip.
  if (k8s::is_quarantined(object) && is_without_content(object)) {
    if (cannot_judge_original(object)) return stay_quarantined(object, version);
    auto original = quarantined_original(object);
    if (!original) return fail(std::move(original.error()));
    if (*original) {
      object = **std::move(original);
      // Whoever may write an object could write its status so.
      if (quarantine_state_->facts()->status_is_subresource) object.erase("status");
      if (object.api_version() == group_ + "/" + std::string(version))
        return ConvertedObject{std::move(object), std::nullopt};
    }
  }
  if (!is_quarantining()) return as_it_converts(std::move(object));
  k8s::Dynamic original(json::Object(object.json(), object.json().storage()));
  auto converted = convert(std::move(object), version);
  if (converted) return ConvertedObject{*std::move(converted), std::nullopt};
  // Of other errors the object is not the cause.
  if (converted.error().code != ErrorCode::invalid) return fail(std::move(converted.error()));
  if (is_served_without_content(original)) return stay_quarantined(original, version);
  return quarantine_failed(std::move(original), version);
}

/// Returns whether the original of an object cannot be compared with it: it is of the object's own version,
/// or of one that the program no longer has.
bool KindConverters::cannot_judge_original(const k8s::Dynamic& object) const {
  const auto original = restore_original(object);
  const auto own = k8s::GroupVersion::parse(object.api_version());
  return original && own && !has_steps_for(*original, own->version);
}

/// Returns an object without content in another version, with its marks as they are. Nothing is converted:
/// what steps make of an empty object is no content of it.
Result<ConvertedObject> KindConverters::stay_quarantined(const k8s::Dynamic& object,
                                                         std::string_view version) const {
  k8s::Dynamic made;
  made.set("apiVersion", group_ + "/" + std::string(version));
  made.set("kind", kind_);
  made.json()["metadata"] = *object.find("metadata");
  auto reason = read_reason(object);
  if (!reason) return fail(std::move(reason.error()));
  return ConvertedObject{std::move(made), *std::move(reason)};
}

/// Quarantines an object whose conversion has failed. It is converted once more, for the step and the values.
Result<ConvertedObject> KindConverters::quarantine_failed(k8s::Dynamic original,
                                                          std::string_view version) const {
  Trace trace{.keeps_objects = true};
  // On the heap, and not in the memory of the review, so that it is free again after this.
  auto again = convert(k8s::Dynamic(json::Object(original.json(), json::Storage{})), version, &trace);
  if (again) return ConvertedObject{*std::move(again), std::nullopt};
  if (again.error().code != ErrorCode::invalid) return fail(std::move(again.error()));
  const auto stored = k8s::GroupVersion::parse(original.api_version());
  const std::string why = with_values(trace.seen, std::move(trace.cause)).message;
  // People read it in a terminal.
  QuarantineReason reason{.why = cut_text(printable(why, longest_reason), longest_reason),
                          .step = std::move(trace.step),
                          .stored_version = stored ? stored->version : ""};
  auto made = make_quarantined(std::move(original), group_ + "/" + std::string(version), reason);
  if (made) return ConvertedObject{*std::move(made), std::move(reason)};
  Error error = std::move(again.error());
  error.message += "; and it cannot be quarantined: " + made.error().message;
  return fail(std::move(error));
}

}  // namespace fairway::conversion
