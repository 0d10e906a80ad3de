// SPDX-License-Identifier: Apache-2.0

// JSON documents as YAML text.
#pragma once

#include <string>

#include "base/json.h"

namespace fairway {

/// Returns YAML in block style, in the order of the keys. Texts that YAML could read as something else are in
/// double quotes.
std::string to_yaml(const json::Value& value);

}  // namespace fairway
