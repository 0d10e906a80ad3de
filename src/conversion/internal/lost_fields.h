// SPDX-License-Identifier: Apache-2.0

// Fields that another version does not have: found, kept as text, and restored.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "schema/validator.h"

namespace fairway::conversion {

/// The annotation in which fields travel: "conversion.fairway.dev/widgets.example.com".
std::string lost_fields_annotation(std::string_view group);

/// All annotations of an object together may have this many bytes, keys and values (the API server's limit).
inline constexpr std::size_t max_annotation_bytes = 256 * 1024;

/// Finds the fields of an object that are lost by converting it and converting it back: `own` is the object,
/// `back` the result. `schema` (may be nullptr) is that of the object's own version and says which keys
/// identify the items of a list; without them it is `name`, if each item has one of its own. apiVersion, kind
/// and metadata are left out.
///
/// The result has an entry for each field that came back differently, by its path in `own`:
///   {"value": V}               it did not come back
///   {"value": V, "base": B}    it came back as B, which says less than V
///   {"base": B}                it was absent, and came back as B
///   {"value": V, "base": B, "absent": true}  as B or not at all, depending on a default
///   {..., "base": B, "plainBase": P}  as B, or as P if no default was filled in
///   {"value": V, "at": N}      an item of a list that came back without it; it was the Nth
/// A long B or P is given by its digest, as "baseDigest" or "plainBaseDigest". A list whose items cannot be
/// identified is one field if items are missing; otherwise each of its items is a field.
json::Object find_lost_fields(const json::Object& own, const json::Object& back, const json::Object* schema);

/// Adds the fields that are lost when defaults are filled in before an object is converted back to those that
/// are lost without defaults: API servers fill them in when they read an object of theirs, and when one is
/// written, but not when they convert one.
void add_lost_to_defaults(json::Object& lost, json::Object with_defaults);

/// The rule for fields at and below `status`. Anybody who may write an object may write its annotations, but
/// if status is a subresource, writing it takes a right of its own.
enum class LostStatus { dropped, restored };

/// Puts fields back into an object that was converted to the version they were lost from. The object's own
/// value wins: a field comes back only if it is absent or, if it had a base, if it still equals the base, so
/// that it was not changed meanwhile. A field whose parent was removed is not restored.
///
/// The API server has validated the version that was written, not the restored fields. With a `validator`
/// (may be nullptr) of the version that the fields belong to, values that it rejects stay lost, and so does a
/// change that would remove a required field.
void restore_lost_fields(json::Object& object, const json::Object& lost, const schema::Validator* validator,
                         LostStatus status);

/// The fields that an object carries for versions: version -> entries as above.
class LostFields {
 public:
  LostFields() = default;
  /// Reads the annotation. An error if it is not what `to_text` writes: it was edited.
  static Result<LostFields> parse(std::string_view text);
  std::string to_text() const;
  bool empty() const { return versions_.empty(); }
  /// Returns the entries of each version that are at or below `status`.
  json::Object of_status() const;

  /// Takes the entries of a version out; an empty object if there are none.
  json::Object take(std::string_view version);
  /// Sets the entries of a version, in place of earlier ones.
  void put(std::string_view version, json::Object lost);

 private:
  json::Object versions_;
};

}  // namespace fairway::conversion
