// SPDX-License-Identifier: Apache-2.0

// The errors of fieldValidation for objects of built-in kinds: unknown and duplicate fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/kinds/message_type.h"

namespace fairway::apiserver::kinds {

/// Returns the strict errors of a document, as the API server words them, in the order of the text: `unknown
/// field "spec.x"`, `duplicate field "spec.containers[0].name"`. Each is reported once, and at most 100 in
/// all. Values that are any JSON to the type are not looked into. Text that is not JSON has the errors before
/// its fault. With fieldValidation Strict the reply is 400 "strict decoding error: " and the errors,
/// separated by ", "; with Warn each is a warning.
std::vector<std::string> strict_field_errors(std::string_view text, const MessageType& type);

/// Returns the duplicate fields of a document whose fields are not known.
std::vector<std::string> duplicate_field_errors(std::string_view text);

}  // namespace fairway::apiserver::kinds
