// Objects of built-in kinds as a real server reads them: typed, with defaults; unknown fields are reported
// and dropped.
#pragma once

#include <string_view>

#include "apiserver/rest/internal/call.h"
#include "base/result.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver {

/// Gives `object`, which a create or update sent, its form in the store: see `read_typed` and
/// `apply_defaults`. Custom resources stay as they are. Unknown and duplicate fields of a JSON body become
/// warnings of the call or, with Strict, the error. Errors: 400, with the server's words.
k8s::StatusResult<void> make_typed(Call& call, k8s::Dynamic& object, k8s::FieldValidation validation);
/// The same of an object of another built-in kind than the resource's: a TokenRequest.
k8s::StatusResult<void> make_typed(Call& call, k8s::Dynamic& object, const k8s::GroupVersionKind& kind,
                                   k8s::FieldValidation validation);

/// The same of an object that a patch has made. Errors: 422.
k8s::StatusResult<void> make_patched_typed(Call& call, k8s::Dynamic& object, k8s::FieldValidation validation);

}  // namespace fairway::apiserver
