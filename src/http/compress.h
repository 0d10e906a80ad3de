// gzip of whole texts, for bodies that are made once.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::http {

/// gzip (level 1 to 12), the same bytes for the same text: no time stamp, no name.
std::string gzip(std::string_view text, int level = 6);
/// The text again; more than `limit` bytes or a broken stream is an error.
Result<std::string> gunzip(std::string_view bytes, std::size_t limit = std::size_t{1} << 30);

}  // namespace fairway::http
