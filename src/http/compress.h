// SPDX-License-Identifier: Apache-2.0

// gzip of whole texts, for bodies that are compressed once and served often.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::http {

/// Compresses a text with gzip (level 1 to 12). The result is deterministic: no time stamp, no file name.
std::string gzip(std::string_view text, int level = 6);
/// Decompresses; more than `limit` bytes or a corrupt stream is an error.
Result<std::string> gunzip(std::string_view bytes, std::size_t limit = std::size_t{1} << 30);

}  // namespace fairway::http
