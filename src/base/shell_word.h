// SPDX-License-Identifier: Apache-2.0

// Texts in scripts of sh.
#pragma once

#include <string>
#include <string_view>

namespace fairway {

/// Returns the text in single quotes, as one word of sh whatever it holds but a NUL.
std::string shell_word(std::string_view text);

}  // namespace fairway
