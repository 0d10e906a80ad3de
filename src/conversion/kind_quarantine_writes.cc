// SPDX-License-Identifier: Apache-2.0

// Kinds whose objects are quarantined: which writes are accepted.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "conversion/internal/quarantine_state.h"
#include "conversion/internal/quarantined_object.h"
#include "conversion/kind_converters.h"
#include "k8s/equality.h"
#include "k8s/group_version.h"
#include "k8s/quarantine.h"

namespace fairway::conversion {

namespace {

/// Limits on what a message says of a reason, which may be anybody's.
constexpr std::size_t longest_step = 100, longest_why = 400;

/// Returns whether an object has one of the two annotations.
bool is_marked(const k8s::Dynamic& object) {
  return k8s::is_quarantined(object) || object.annotations().contains(k8s::original_annotation);
}

/// Returns whether two objects have the same marks, or none.
bool has_marks_of(const k8s::Dynamic& object, const k8s::Dynamic& other) {
  return std::ranges::all_of(std::array{k8s::quarantined_annotation, k8s::original_annotation},
                             [&](std::string_view mark) {
                               return object.annotations().find(mark) == other.annotations().find(mark);
                             });
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
  return "as it does not convert (" + printable(reason->step, longest_step) +
         "): " + printable(reason->why, longest_why);
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

std::string version_of(const k8s::Dynamic& object) {
  const std::string_view api_version = object.api_version();
  return std::string(api_version.substr(api_version.find('/') + 1));
}

}  // namespace

bool KindConverters::is_without_content(const k8s::Dynamic& object) const {
  return quarantine_state_->facts()->content_of(object) == OwnContent::none;
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
  const bool is_new_mark = is_marked(object) && (old == nullptr || !has_marks_of(object, *old));
  // Most writes of most kinds.
  if (!quarantines_ && !is_new_mark && (old == nullptr || !is_marked(*old))) return false;
  const bool ends = old != nullptr && ends_only(object, *old);
  if (ends && is_marked(object)) return true;
  // Another release of the program may have quarantined it, for which it does not convert: its original is
  // kept all the same.
  const bool has_original = old != nullptr && has_original_only(*old) && restore_original(*old);
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::forbidden, "the object is quarantined, " + reason_of(*old) + why + ways_out());
  };
  if (has_original && !is_marked(object) && is_without_content(object))
    return refused("; without its annotations its content would be lost");
  bool was_quarantined = false;
  if (has_original) {
    const auto original = quarantined_original(*old);
    if (!original) return fail(original.error().within("converting the object as it is stored"));
    was_quarantined = original->has_value();
  }
  if (was_quarantined) {
    if (is_marked(object)) return refused("");
    if (const auto whole = check_conversions(object, versions_); !whole)
      return refused("; what is to replace it does not convert either: " + whole.error().message);
    return false;
  }
  // Where the kind is not quarantined, marks that are there already hold nobody up.
  if (quarantines_ ? is_marked(object) : is_new_mark) {
    return fail(ErrorCode::forbidden,
                "the annotations " + marks() + " are set by the conversion webhook alone; leave them out");
  }
  if (!quarantines_) return false;
  if (ends && !check_conversions(object, versions_)) return true;
  const std::string storage = quarantine_state_->facts()->storage;
  if (const auto stored = check_conversions(object, {storage}); !stored)
    return fail(stored.error().within("the object cannot be stored in " + storage));
  return false;
}

/// Validates an object that is to replace a quarantined one, whose content in the version of `object` nobody
/// knows: the original takes its place, in a version that both convert to.
Result<void> KindConverters::validate_replacement(const k8s::Dynamic& object,
                                                  const k8s::Dynamic& original) const {
  const std::string version = version_of(object);
  const std::string instead = "; write it in " + version_of(original) +
                              ", in which the original is stored, or delete it and make it anew";
  const auto facts = quarantine_state_->facts();
  const auto found = facts->versions.find(version);
  if (found != facts->versions.end() && found->second.compares_with_old) {
    return fail(ErrorCode::forbidden,
                "the object is quarantined, and cannot be replaced in " + version +
                    ": a rule of the schema of " + version +
                    " compares with the object as it was (oldSelf), which API servers do not have in this "
                    "version" +
                    instead);
  }
  if (auto alone = validate_by_version(object, nullptr); !alone) return alone;
  bool compared = false;
  std::string first;
  for (const auto& [checked, hooks] : hooks_) {
    if (!hooks.validator) continue;
    if (first.empty()) first = checked;
    const auto before = convert(original, checked);
    if (!before) continue;
    const auto after = convert(object, checked);
    if (!after) return fail(after.error());
    if (auto valid = hooks.validator(*after, &*before); !valid) return valid;
    compared = true;
  }
  if (compared || first.empty()) return {};
  return fail(ErrorCode::forbidden,
              "the object is quarantined, and the validator of " + first +
                  " cannot compare it with the original, which does not convert to that version; delete it "
                  "and make it anew");
}

std::vector<std::string> KindConverters::warnings_of(const k8s::Dynamic& object,
                                                     const k8s::Dynamic* old) const {
  if (old == nullptr || is_marked(object) || object.has("status")) return {};
  const auto original = quarantined_original(*old);
  if (!original || !*original || !(*original)->has("status")) return {};
  return {"the status of the quarantined object is not kept; its controller has to write it again"};
}

}  // namespace fairway::conversion
