// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/syntax/quoted.h"

namespace fairway::cel {

void append_quoted(std::string& out, std::string_view text, bool bytes) {
  static constexpr char hex[] = "0123456789abcdef";
  out += bytes ? "b\"" : "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f || (bytes && byte >= 0x80)) {
      out += "\\x";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace fairway::cel
