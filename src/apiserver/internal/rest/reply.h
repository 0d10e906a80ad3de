// SPDX-License-Identifier: Apache-2.0

// Replies.
#pragma once

#include <memory>
#include <string>

#include "apiserver/internal/rest/call.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

/// Returns a JSON body: indented if the client asks for it, in YAML or protobuf if it prefers that,
/// compressed if it is large and the client takes gzip.
http::Response reply_json(const Call& call, int status, http::Bytes body);
/// Returns what a form has made, an object or a list, as `reply_json` does, or in protobuf.
http::Response reply_in_form(const Call& call, const watch::ObjectForm& form, http::Bytes body);
/// Returns an object in the client's form.
k8s::StatusResult<http::Response> reply_object(const Call& call, const storage::RecordPtr& record);
/// Returns the result of a write: 201 if it created the object.
k8s::StatusResult<http::Response> reply_outcome(const Call& call, const objects::Outcome& outcome);
/// Returns a Status with its code, and with Retry-After if the Status has it.
http::Response reply_status(const k8s::Status& status);

}  // namespace fairway::apiserver::rest
