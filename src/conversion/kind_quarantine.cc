// SPDX-License-Identifier: Apache-2.0

// Kinds whose objects are quarantined: what API servers are answered, and which writes are accepted.
#include <algorithm>
#include <utility>

#include "conversion/internal/conversion_trace.h"
#include "conversion/internal/quarantined_object.h"
#include "conversion/kind_converters.h"
#include "k8s/equality.h"
#include "k8s/group_version.h"
#include "k8s/quarantine.h"
#include "schema/defaults.h"

namespace fairway::conversion {

namespace {

/// Returns whether an object has one of the two annotations.
bool is_marked(const k8s::Dynamic& object) {
  return k8s::is_quarantined(object) || object.annotations().contains(k8s::original_annotation);
}

std::string marks() {
  return std::string(k8s::quarantined_annotation) + " and " + std::string(k8s::original_annotation);
}

/// The end of a refusal: what is accepted.
std::string ways_out() {
  return "; delete it, or replace it by a whole object that converts, without the annotations " + marks() +
         " (kubectl replace -f FILE)";
}

/// Returns why an object is quarantined, for a message.
std::string reason_of(const k8s::Dynamic& object) {
  const auto reason = read_reason(object);
  if (!reason) return "for a reason that cannot be read";
  return "as it does not convert (" + reason->step + "): " + reason->why;
}

/// Members of metadata that a write of finalizers changes besides them.
bool is_bookkeeping(std::string_view member) {
  return member == "finalizers" || member == "managedFields" || member == "resourceVersion" ||
         member == "generation";
}

json::Object settled_metadata(const k8s::Dynamic& object) {
  json::Object settled;
  const json::Value* metadata = object.find("metadata");
  if (metadata == nullptr || !metadata->is_object()) return settled;
  for (const auto& member : metadata->get_object()) {
    if (!is_bookkeeping(member.key())) settled.emplace(member.key(), member.value());
  }
  return settled;
}

/// Returns whether finalizers went, and none came.
bool finalizers_went(const k8s::Dynamic& object, const k8s::Dynamic& old) {
  const auto left = object.finalizers();
  return left.size() < old.finalizers().size() &&
         std::ranges::all_of(left, [&](std::string_view one) { return old.has_finalizer(one); });
}

json::Object without_metadata(const k8s::Dynamic& object) {
  json::Object content = object.json();
  content.erase("metadata");
  return content;
}

}  // namespace

KindConverters& KindConverters::quarantine() {
  quarantines_ = true;
  prepared_ = false;
  return *this;
}

Result<void> KindConverters::prepare_quarantine(const k8s::CustomResourceDefinition* definition) {
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::invalid, name() + " cannot be quarantined: " + why);
  };
  if (definition == nullptr) {
    return refused(
        "its definition is not given, by which a validating webhook is registered that guards it; give "
        "prepare() the definition");
  }
  defined_storage_ = definition->storage_version();
  if (defined_storage_.empty()) return refused("its definition has no version with storage: true");
  default_contents_.clear();
  scaled_resource_.clear();
  for (const k8s::CustomResourceVersion& version : definition->versions()) {
    if (version.has_scale()) scaled_resource_ = definition->plural();
    json::Object defaults;
    if (const json::Object* known = schema(version.name())) {
      // Too many defaults are refused when an object is written.
      [[maybe_unused]] const auto filled = schema::fill_in_defaults(defaults, *known);
      for (const char* member : {"apiVersion", "kind", "metadata"}) defaults.erase(member);
    }
    default_contents_[std::string(version.name())] = std::move(defaults);
  }
  return {};
}

bool KindConverters::is_without_content(const k8s::Dynamic& object) const {
  const std::string_view api_version = object.api_version();
  const auto found = default_contents_.find(api_version.substr(api_version.find('/') + 1));
  return has_no_content(object, found != default_contents_.end() ? found->second : json::Object{});
}

/// Returns whether an object's annotation may be used: it has nothing of its own besides.
bool KindConverters::has_original_only(const k8s::Dynamic& object) const {
  return k8s::is_quarantined(object) && is_without_content(object);
}

/// Returns whether an object gets as far as the first step of its conversion.
bool KindConverters::has_steps_for(const k8s::Dynamic& object, std::string_view version) const {
  const auto own = k8s::GroupVersion::parse(object.api_version());
  const json::Value* metadata = object.json().if_contains("metadata");
  return prepared_ && own && own->group == group_ && own->version != version && find_version(own->version) &&
         find_version(version) && metadata != nullptr && metadata->is_object();
}

Result<ConvertedObject> KindConverters::answer(k8s::Dynamic object, std::string_view version) const {
  if (!quarantines_ || !has_steps_for(object, version)) {
    auto converted = convert(std::move(object), version);
    if (!converted) return fail(std::move(converted.error()));
    return ConvertedObject{*std::move(converted), std::nullopt};
  }
  if (has_original_only(object)) {
    // One that cannot be read was not made here: it is an annotation as any other.
    if (auto original = restore_original(object)) {
      if (original->api_version() == group_ + "/" + std::string(version))
        return ConvertedObject{*std::move(original), std::nullopt};
      object = *std::move(original);
    }
  }
  k8s::Dynamic original(json::Object(object.json(), object.json().storage()));
  if (auto converted = convert(std::move(object), version))
    return ConvertedObject{*std::move(converted), std::nullopt};
  return quarantine_failed(std::move(original), version);
}

/// Quarantines an object whose conversion has failed. It is converted once more, for the step and the values.
Result<ConvertedObject> KindConverters::quarantine_failed(k8s::Dynamic original,
                                                          std::string_view version) const {
  Trace trace{.keeps_objects = true};
  auto again = convert(original, version, &trace);
  if (again) return ConvertedObject{*std::move(again), std::nullopt};
  const auto stored = k8s::GroupVersion::parse(original.api_version());
  QuarantineReason reason{.why = with_values(std::move(trace.seen), std::move(trace.cause)).message,
                          .step = std::move(trace.step),
                          .stored_version = stored ? stored->version : ""};
  auto made = make_quarantined(std::move(original), group_ + "/" + std::string(version), reason);
  if (made) return ConvertedObject{*std::move(made), std::move(reason)};
  Error error = std::move(again.error());
  error.message += "; and it cannot be quarantined: " + made.error().message;
  return fail(std::move(error));
}

Result<void> KindConverters::check_conversions(const k8s::Dynamic& object,
                                               const std::vector<std::string>& versions) const {
  for (const std::string& version : versions) {
    if (auto converted = convert(object, version); !converted)
      return fail(with_values(object, version, std::move(converted.error())));
  }
  return {};
}

/// Returns whether an update of an object that is being deleted removes finalizers, and does nothing else.
bool KindConverters::ends_only(const k8s::Dynamic& object, const k8s::Dynamic& old) const {
  if (!old.is_being_deleted() || !finalizers_went(object, old)) return false;
  if (!k8s::equal(json::Value(settled_metadata(object)), json::Value(settled_metadata(old)))) return false;
  // The server fills in defaults where there is no content.
  if (is_without_content(object) && is_without_content(old)) return true;
  return k8s::equal(json::Value(without_metadata(object)), json::Value(without_metadata(old)));
}

Result<bool> KindConverters::check_quarantine(const k8s::Dynamic& object, const k8s::Dynamic* old) const {
  if (!quarantines_) return false;
  const bool ends = old != nullptr && ends_only(object, *old);
  const bool was_quarantined = old != nullptr && k8s::is_quarantined(*old);
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::forbidden, "the object is quarantined, " + reason_of(*old) + why + ways_out());
  };
  if (is_marked(object)) {
    if (was_quarantined && ends) return true;
    if (was_quarantined) return refused("");
    return fail(ErrorCode::forbidden,
                "the annotations " + marks() + " are set by the conversion webhook alone; leave them out");
  }
  if (was_quarantined) {
    if (is_without_content(object)) return refused("; without its annotations its content would be lost");
    if (const auto whole = check_conversions(object, versions_); !whole)
      return refused("; what is to replace it does not convert either: " + whole.error().message);
    return false;
  }
  if (ends && !check_conversions(object, versions_)) return true;
  if (const auto stored = check_conversions(object, {defined_storage_}); !stored) {
    return fail(stored.error().within("the object cannot be stored in " + defined_storage_));
  }
  return false;
}

}  // namespace fairway::conversion
