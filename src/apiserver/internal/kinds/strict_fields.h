// What fieldValidation reports of objects of built-in kinds: unknown and duplicate fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/kinds/message_type.h"

namespace fairway::apiserver {

/// The strict errors of a document, as the API server words them, in the order of the text: `unknown field
/// "spec.x"`, `duplicate field "spec.containers[0].name"`. Each is named once, and no more than 100. What is
/// any JSON to the type is not looked into. Text that is not JSON has those that stand before the mistake.
/// With fieldValidation Strict the reply is 400 "strict decoding error: " and the errors, separated by ", ";
/// with Warn each is a warning.
std::vector<std::string> strict_field_errors(std::string_view text, const MessageType& type);

/// The same of a document of which no fields are known, wherever in it: only duplicates.
std::vector<std::string> duplicate_field_errors(std::string_view text);

}  // namespace fairway::apiserver
