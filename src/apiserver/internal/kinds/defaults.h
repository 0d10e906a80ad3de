// The defaults of built-in kinds.
#pragma once

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver {

/// Fills in what a real server fills in when it reads an object, and gives it in the form of `read_typed`.
/// `document` is such a form already. Objects within lists get theirs too. Doing it again changes nothing.
///
/// Not filled in: requests and limits of a whole Pod (`spec.resources`), which follow from those of its
/// containers, and what other parts of a server assign (cluster IPs, node ports, tolerations).
Result<json::Value> apply_defaults(const json::Value& document, const MessageType& type);

}  // namespace fairway::apiserver
