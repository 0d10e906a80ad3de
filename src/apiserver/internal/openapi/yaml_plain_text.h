// SPDX-License-Identifier: Apache-2.0

// Texts that YAML takes for something else.
#pragma once

#include <string_view>

namespace fairway::apiserver::openapi {

/// Returns whether Go's yaml.v3 reads a text without quotes as a text: not as null, a boolean, a number or a
/// time.
bool is_plain_text(std::string_view text);

}  // namespace fairway::apiserver::openapi
