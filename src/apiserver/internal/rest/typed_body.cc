// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/typed_body.h"

#include <algorithm>
#include <set>

#include "apiserver/internal/kinds/defaults.h"
#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/strict_fields.h"
#include "apiserver/internal/kinds/typed_object.h"
#include "apiserver/internal/rest/body.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/equality.h"
#include "k8s/wire/field_error.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {

namespace {

/// Number of errors that Kubernetes's JSON reader names at most.
constexpr std::size_t most_errors = 100;

Result<void> read_built_in(k8s::Dynamic& object, const kinds::MessageType& type) {
  const json::Value* entries = object.find("metadata.managedFields");
  // An empty list asks for them to be forgotten; typed objects do not have it.
  const bool is_reset = entries != nullptr && entries->is_array() && entries->get_array().empty();
  auto typed = kinds::read_typed(json::Value(object.json()), type);
  if (!typed) return fail(typed.error());
  auto made = kinds::apply_defaults(*typed, type);
  if (!made) return fail(made.error());
  object = k8s::Dynamic(std::move(made->get_object()));
  if (is_reset) object.set("metadata.managedFields", json::Value(json::Array{}));
  return {};
}

Result<std::vector<std::string>> read_built_in_fields(k8s::Dynamic& object, const k8s::GroupVersionKind& kind,
                                                      std::string_view text) {
  const kinds::MessageType* type = kinds::Kinds::find(kind);
  if (type == nullptr) return std::vector<std::string>{};
  if (auto read = read_built_in(object, *type); !read) return fail(read.error());
  return text.empty() ? std::vector<std::string>{} : kinds::strict_field_errors(text, *type);
}

/// Checks the types of a custom resource's metadata, the only part whose types the server itself knows.
Result<void> check_metadata_types(const k8s::Dynamic& object) {
  const json::Value* metadata = object.find("metadata");
  if (metadata == nullptr) return {};
  if (auto read = kinds::read_typed(*metadata, *kinds::Kinds::message("meta/v1", "ObjectMeta")); !read) {
    return fail(read.error());
  }
  return {};
}

void append(std::vector<std::string>& errors, const std::vector<std::string>& further) {
  for (const std::string& error : further) {
    if (errors.size() < most_errors) errors.push_back(error);
  }
}

/// Reads the fields, and warns of errors in them or refuses the request. `errors`: those known already.
Result<void> read(Call& call, k8s::Dynamic& object, const k8s::GroupVersionKind& kind, std::string_view text,
                  k8s::FieldValidation validation, const std::vector<std::string>& keys,
                  std::vector<std::string> errors = {}) {
  const auto found = read_fields(*call.resource, kind, object, text);
  if (!found) return fail(found.error());
  append(errors, *found);
  if (validation == k8s::FieldValidation::ignore || (keys.empty() && errors.empty())) return {};
  if (validation == k8s::FieldValidation::strict) {
    std::vector<std::string> all;
    if (!keys.empty()) all.push_back("yaml: unmarshal errors:\n  " + join(keys, "\n  "));
    append(all, errors);
    return fail(ErrorCode::invalid, "strict decoding error: " + join(all, ", "));
  }
  append(call.warnings, keys);
  append(call.warnings, errors);
  return {};
}

/// Removes duplicate owners, with a warning. `when`: " after mutating admission happens", for a patch.
void drop_duplicate_owners(Call& call, k8s::Dynamic& object, std::string_view when) {
  const json::Value* found = object.find("metadata.ownerReferences");
  const json::Array* owners = found != nullptr ? found->if_array() : nullptr;
  if (owners == nullptr || owners->size() < 2) return;
  json::Array kept;
  std::vector<std::string> duplicates;
  std::set<std::string, std::less<>> uids;
  for (const json::Value& owner : *owners) {
    const std::string uid(json::find_string(owner, "uid").value_or(""));
    const bool is_new = uids.insert(uid).second;
    // Most differ in their uid, and are not compared.
    if (is_new || std::ranges::none_of(kept, [&](const json::Value& one) {
          return k8s::equal_with_null_as_absent(one, owner);
        })) {
      kept.push_back(owner);
    } else {
      duplicates.push_back(uid);
    }
  }
  if (duplicates.empty()) return;
  call.warnings.push_back(".metadata.ownerReferences contains duplicate entries" + std::string(when) +
                          "; API server dedups owner references in 1.20+, and may reject such requests as "
                          "early as 1.24; please fix your requests; duplicate UID(s) observed: " +
                          join(duplicates, ", "));
  object.set("metadata.ownerReferences", json::Value(std::move(kept)));
}

}  // namespace

Result<std::vector<std::string>> read_fields(const resources::ServedResource& resource, k8s::Dynamic& object,
                                             std::string_view text, schema::Nulls nulls) {
  std::vector<std::string> errors;
  if (resource.is_custom) {
    if (auto fits = check_metadata_types(object); !fits) return fail(fits.error());
    errors = kinds::duplicate_field_errors(text);
    for (const std::string& path : resource.strategy->read(object, nulls)) {
      if (errors.size() < most_errors) errors.push_back("unknown field \"" + path + '"');
    }
    return errors;
  }
  return read_built_in_fields(object, resource.kind, text);
}

Result<std::vector<std::string>> read_fields(const resources::ServedResource& resource,
                                             const k8s::GroupVersionKind& kind, k8s::Dynamic& object,
                                             std::string_view text) {
  return kind == resource.kind ? read_fields(resource, object, text)
                               : read_built_in_fields(object, kind, text);
}

k8s::StatusResult<void> make_typed(Call& call, k8s::Dynamic& object, k8s::FieldValidation validation) {
  return make_typed(call, object, call.resource->kind, validation);
}

k8s::StatusResult<void> make_typed(Call& call, k8s::Dynamic& object, const k8s::GroupVersionKind& kind,
                                   k8s::FieldValidation validation) {
  const auto format = body_format(call, kind);
  if (!format) return std::unexpected(format.error());
  std::string of_yaml;
  std::string_view text;
  if (validation != k8s::FieldValidation::ignore) {
    if (*format == BodyFormat::yaml) of_yaml = json::to_text(object.json());
    if (*format != BodyFormat::protobuf) text = *format == BodyFormat::json ? call.http.body : of_yaml;
  }
  const auto done = read(call, object, kind, text, validation, call.duplicate_keys);
  if (done) drop_duplicate_owners(call, object, "");
  if (done) return {};
  return std::unexpected(k8s::answer::bad_request(kind.kind + " in version " + quote(kind.version) +
                                                  " cannot be handled as a " + kind.kind + ": " +
                                                  done.error().message));
}

k8s::StatusResult<void> make_patched_typed(Call& call, k8s::Dynamic& object, k8s::FieldValidation validation,
                                           const std::vector<std::string>& of_patch) {
  return make_patched_typed(call, object, call.resource->kind, validation, of_patch);
}

k8s::StatusResult<void> make_patched_typed(Call& call, k8s::Dynamic& object,
                                           const k8s::GroupVersionKind& kind, k8s::FieldValidation validation,
                                           const std::vector<std::string>& of_patch) {
  const std::string text = json::to_text(object.json());
  const bool is_checked = validation != k8s::FieldValidation::ignore;
  const auto done =
      read(call, object, kind, is_checked ? text : std::string_view{}, validation, {}, of_patch);
  if (done) drop_duplicate_owners(call, object, " after mutating admission happens");
  if (done) return {};
  return std::unexpected(k8s::answer::invalid(
      {}, "", {k8s::FieldError::invalid("patch", json::Value(text), done.error().message)}));
}

}  // namespace fairway::apiserver::rest
