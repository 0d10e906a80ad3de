// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/apply_document.h"

#include <utility>

#include "base/text.h"
#include "k8s/documents.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {

k8s::StatusResult<json::Value> read_apply_document(Call& call) {
  auto documents = k8s::read_documents(call.http.body, k8s::DuplicateKeys::last_wins);
  if (!documents) {
    return std::unexpected(k8s::answer::bad_request("error decoding YAML: " + documents.error().message));
  }
  if (documents->size() != 1 || !documents->front().value.is_object()) {
    return std::unexpected(k8s::answer::bad_request("error decoding YAML: the body must be one object"));
  }
  call.duplicate_keys = std::move(documents->front().duplicate_keys);
  return std::move(documents->front().value);
}

k8s::StatusResult<void> check_apply_keys(Call& call, k8s::FieldValidation validation) {
  call.warnings.clear();  // of an attempt before
  if (call.duplicate_keys.empty() || validation == k8s::FieldValidation::ignore) return {};
  if (validation != k8s::FieldValidation::strict) {
    call.warnings = call.duplicate_keys;
    return {};
  }
  return std::unexpected(k8s::answer::bad_request(
      "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  " +
      join(call.duplicate_keys, "\n  ")));
}

}  // namespace fairway::apiserver::rest
