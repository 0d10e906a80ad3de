#include "apiserver/access/internal/client_certificate.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace fairway::apiserver::access {
namespace {

/// The end of the part that begins at `begin`: the next separator that is not escaped.
std::size_t end_of_part(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == ',' || text[at] == '+') {
      return at;
    }
  }
  return text.size();
}

std::string unescaped(std::string_view text) {
  std::string value;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      value += text[at];
      continue;
    }
    if (at + 2 < text.size()) {
      int byte = 0;
      const char* digits = text.data() + at + 1;
      const auto [end, error] = std::from_chars(digits, digits + 2, byte, 16);
      if (error == std::errc{} && end == digits + 2) {
        value += static_cast<char>(byte);
        at += 2;
        continue;
      }
    }
    value += text[++at];
  }
  return value;
}

}  // namespace

std::optional<User> user_of_subject(std::string_view subject) {
  User user;
  for (std::size_t begin = 0; begin < subject.size();) {
    const std::size_t end = end_of_part(subject, begin);
    const std::string_view part = subject.substr(begin, end - begin);
    if (part.starts_with("CN=")) {
      user.name = unescaped(part.substr(3));
    } else if (part.starts_with("O=")) {
      user.groups.push_back(unescaped(part.substr(2)));
    }
    begin = end + 1;
  }
  if (user.name.empty()) return std::nullopt;
  // RFC 2253 writes the subject backwards.
  std::ranges::reverse(user.groups);
  user.groups.emplace_back(authenticated_group);
  return user;
}

}  // namespace fairway::apiserver::access
