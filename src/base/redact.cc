#include "base/redact.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace fairway {
namespace {

/// What ends a URL in prose.
constexpr std::string_view url_ends = " \t\r\n\"'<>`|\\^{}";
constexpr std::array<std::string_view, 2> shown_keys{"channel", "arch"};

bool is_key_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-_.~[]%$+:").find(c) != std::string_view::npos;
}

/// Whether a query with a key stands behind the `?` at `at`.
bool begins_query(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_key_character(text[end])) ++end;
  return end > at + 1 && end < text.size() && text[end] == '=';
}

std::string redact_query(std::string_view query) {
  std::string shown;
  while (true) {
    const std::size_t end = std::min(query.find_first_of("&;"), query.size());
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = pair.find('=');
    const std::string_view key = pair.substr(0, equals);
    if (equals == std::string_view::npos) {
      // A value alone may be a token.
      shown += pair.empty() ? "" : redacted_value;
    } else if (std::ranges::find(shown_keys, key) != shown_keys.end()) {
      shown += pair;
    } else {
      shown += std::string(key) + "=" + std::string(pair.size() > equals + 1 ? redacted_value : "");
    }
    if (end == query.size()) return shown;
    shown += query[end];
    query.remove_prefix(end + 1);
  }
}

}  // namespace

std::string redact_urls(std::string_view text) {
  if (text.find("://") == std::string_view::npos && text.find('?') == std::string_view::npos)
    return std::string(text);
  std::string shown;
  bool in_url = false;  // behind "://", up to what ends a URL
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("://")) {
      shown += "://";
      at += 3;
      in_url = true;
      const std::size_t end = std::min(text.find_first_of("/?#", at), text.size());
      const std::size_t stop = std::min(text.find_first_of(url_ends, at), end);
      const std::size_t user = text.substr(at, stop - at).rfind('@');
      if (user != std::string_view::npos) at += user + 1;
      continue;
    }
    const char c = text[at];
    if (c == '?' && (in_url || begins_query(text, at))) {
      const std::size_t stop = std::min(text.find_first_of(url_ends, at), text.size());
      const std::size_t end = std::min(text.find('#', at), stop);
      std::string_view query = text.substr(at + 1, end - at - 1);
      // Punctuation of the sentence.
      std::size_t size = query.size();
      while (size > 0 && std::string_view(",.:;)").find(query[size - 1]) != std::string_view::npos) --size;
      const std::string_view tail = end == stop ? query.substr(size) : std::string_view{};
      if (end == stop) query = query.substr(0, size);
      shown += "?" + redact_query(query) + std::string(tail);
      at = end;
      continue;
    }
    if (url_ends.find(c) != std::string_view::npos) in_url = false;
    shown += c;
    ++at;
  }
  return shown;
}

}  // namespace fairway
