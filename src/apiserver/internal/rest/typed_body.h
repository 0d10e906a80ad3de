// SPDX-License-Identifier: Apache-2.0

// Objects as a real server reads them: typed or pruned, with defaults; unknown fields are reported and
// dropped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/resources/served_resource.h"
#include "apiserver/internal/rest/call.h"
#include "base/result.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"
#include "schema/defaults.h"

namespace fairway::apiserver::rest {

/// Gives an object its stored form: built-in kinds by `read_typed` and `apply_defaults`, custom resources by
/// their schema. Returns the errors that fieldValidation reports: unknown fields, and the duplicate ones of
/// `text`, the JSON that it was read from. Without a text, the unknown fields of built-in kinds are not
/// reported (protobuf has none, and it saves time if they are not asked for). Errors (`invalid`): the
/// server's words for a value that does not fit the type. `nulls`: for custom resources.
Result<std::vector<std::string>> read_fields(const resources::ServedResource& resource, k8s::Dynamic& object,
                                             std::string_view text,
                                             schema::Nulls nulls = schema::Nulls::removed);

/// Reads the fields of an object of a built-in kind, or of the resource's own kind.
Result<std::vector<std::string>> read_fields(const resources::ServedResource& resource,
                                             const k8s::GroupVersionKind& kind, k8s::Dynamic& object,
                                             std::string_view text);

/// Reads the fields of `object`, which a create or update sent. Unknown and duplicate fields become warnings
/// of the call or, with Strict, the error. Errors: 400, with the server's words.
k8s::StatusResult<void> make_typed(Call& call, k8s::Dynamic& object, k8s::FieldValidation validation);
/// Reads the fields of an object of another built-in kind than the resource's: a TokenRequest.
k8s::StatusResult<void> make_typed(Call& call, k8s::Dynamic& object, const k8s::GroupVersionKind& kind,
                                   k8s::FieldValidation validation);

/// Reads the fields of an object that a patch has made. `of_patch`: the errors of the patch itself. Errors:
/// 422.
k8s::StatusResult<void> make_patched_typed(Call& call, k8s::Dynamic& object, k8s::FieldValidation validation,
                                           const std::vector<std::string>& of_patch);
/// Reads the fields of an object of another built-in kind than the resource's: a Scale.
k8s::StatusResult<void> make_patched_typed(Call& call, k8s::Dynamic& object,
                                           const k8s::GroupVersionKind& kind, k8s::FieldValidation validation,
                                           const std::vector<std::string>& of_patch);

}  // namespace fairway::apiserver::rest
