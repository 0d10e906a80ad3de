// SPDX-License-Identifier: Apache-2.0

// The defaults of built-in kinds.
#pragma once

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::kinds {

/// Fills in the defaults that a real server fills in when it reads an object, and returns the object in the
/// form of `read_typed`. `document` has that form already. Objects within lists get their defaults too. It is
/// idempotent.
///
/// Not filled in: requests and limits of a whole Pod (`spec.resources`), which follow from those of its
/// containers, and fields that other parts of a server assign (cluster IPs, node ports, tolerations).
Result<json::Value> apply_defaults(const json::Value& document, const MessageType& type);

}  // namespace fairway::apiserver::kinds
