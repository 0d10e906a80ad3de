// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/warnings.h"

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "base/quoted_text.h"

namespace fairway::apiserver::rest {
namespace {

constexpr std::size_t most_in_all = 4096, most_of_one = 256, most_headers = 80;

/// A text or its beginning, and the number of its characters.
struct Cut {
  std::string_view text;
  std::size_t characters = 0;
};

Cut cut(std::string_view text, std::size_t most) {
  Cut made;
  std::string_view rest = text;
  for (; !rest.empty() && made.characters < most; ++made.characters)
    rest.remove_prefix(first_rune(rest).width);
  made.text = text.substr(0, text.size() - rest.size());
  return made;
}

/// Returns whether a text is UTF-8 without control characters.
bool fits_header(std::string_view text) {
  constexpr char32_t first_printable = 0x20, last_ascii = 0x7e, first_of_latin = 0xa0, ill_formed = 0xfffd;
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (rune.value < first_printable || (rune.value > last_ascii && rune.value < first_of_latin))
      return false;
    if (rune.value == ill_formed && rune.width == 1) return false;
    text.remove_prefix(rune.width);
  }
  return true;
}

std::string header_of(std::string_view text) {
  std::string header = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') header += '\\';
    header += c;
  }
  return header + '"';
}

/// Returns the headers of texts, each cut after `most` characters; none if `whole` and the texts are too long
/// together.
std::vector<std::string> headers_of(const std::vector<std::string>& warnings, std::size_t most, bool whole) {
  std::vector<std::string> headers;
  std::set<std::string_view> seen;
  std::size_t written = 0;
  for (const std::string& warning : warnings) {
    if (warning.empty() || !seen.insert(warning).second) continue;
    if (headers.size() == most_headers || (!whole && written >= most_in_all)) break;
    const Cut shown = cut(warning, most);
    if (!fits_header(shown.text)) continue;
    written += shown.characters;
    if (whole && written > most_in_all) return {};
    headers.push_back(header_of(shown.text));
  }
  return headers;
}

}  // namespace

void add_warnings(http::Response& response, const std::vector<std::string>& warnings) {
  std::vector<std::string> headers = headers_of(warnings, most_in_all + 1, true);
  if (headers.empty() && !warnings.empty()) headers = headers_of(warnings, most_of_one, false);
  for (std::string& header : headers) response.headers.add("Warning", std::move(header));
}

}  // namespace fairway::apiserver::rest
