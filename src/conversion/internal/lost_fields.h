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

/// What of an object is lost by converting it and converting it back: `own` is the object, `back` what came
/// back. `schema` (may be nullptr) is that of the object's own version and says how items of lists are told
/// apart; where it does not, they are by `name`, if each has one of its own. apiVersion, kind and metadata
/// are left out.
///
/// The result has an entry for each field that came back differently, by its path in `own`:
///   {"value": V}               it came back not at all
///   {"value": V, "base": B}    it came back as B, which is less than V said
///   {"base": B}                it was not there, and came back as B
///   {"value": V, "base": B, "absent": true}  as B or not at all: a default makes the difference
///   {..., "base": B, "plainBase": P}  as B, and as P where no default was filled in
///   {"value": V, "at": N}      an item of a list that came back without it; it was the Nth
/// A long B or P is given by its digest, as "baseDigest" or "plainBaseDigest". A list whose items cannot be
/// told apart is a field as a whole where items are gone, and otherwise each of its items is a field.
json::Object find_lost_fields(const json::Object& own, const json::Object& back, const json::Object* schema);

/// Adds what is lost where defaults are filled in before an object is converted back to what is lost where
/// they are not: API servers fill them in when they read an object of theirs, and when one is written, but
/// not when they convert one.
void add_lost_to_defaults(json::Object& lost, json::Object with_defaults);

/// Whether fields at and below `status` are restored. Whoever may write an object may write its annotations,
/// and where status is a subresource, a right of its own is needed to write that.
enum class LostStatus { dropped, restored };

/// Puts fields back into an object that was converted to the version they were lost from. What the object
/// says wins: a field comes back only where it is not there or, if it had a base, where it is still exactly
/// that, so that it was not changed meanwhile. A field whose parent was removed is not restored.
///
/// What comes back was not seen by the API server's validation, which is of the version that was written:
/// with the `validator` (may be nullptr) of the version that the fields are of, what it does not allow stays
/// lost, and so does a change that would take a required field away.
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
  /// Of each version, the entries at and below `status`.
  json::Object of_status() const;

  /// Takes what is carried for a version out; an empty object where there is nothing.
  json::Object take(std::string_view version);
  /// Carries `lost` for a version, in place of what was.
  void put(std::string_view version, json::Object lost);

 private:
  json::Object versions_;
};

}  // namespace fairway::conversion
