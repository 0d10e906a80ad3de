// SPDX-License-Identifier: Apache-2.0

// JSON documents as YAML text.
#pragma once

#include <string>

#include "base/json.h"

namespace fairway {

/// Order of the members of objects: that of the document, or by the bytes of their names.
enum class KeyOrder { as_given, sorted };

/// Returns YAML in block style. Texts that YAML could read as something else are in double quotes, with
/// characters escaped that YAML does not take as they are.
std::string to_yaml(const json::Value& value, KeyOrder order = KeyOrder::as_given);

}  // namespace fairway
