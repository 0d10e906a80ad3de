// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/cause_text.h"

#include "base/text.h"

namespace fairway::conversion {

namespace {

/// Bytes of an error that are read.
constexpr std::size_t longest_error = std::size_t{16} << 10;

/// Removes " NAME" wherever `behind` follows it.
void remove_all(std::string& text, const std::string& name, std::string_view behind) {
  const std::string part = " " + name;
  for (std::size_t at = text.find(part + std::string(behind)); at != std::string::npos;
       at = text.find(part + std::string(behind), at))
    text.erase(at, part.size());
}

/// Removes each `begin` and what follows it up to and including `end`.
void remove_fields(std::string& text, std::string_view begin, std::string_view end) {
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    const std::size_t stop = text.find(end, at + begin.size());
    if (stop == std::string::npos) return;
    text.erase(at, stop + end.size() - at);
  }
}

}  // namespace

std::string cause_of(const k8s::Key& key, std::string_view error, std::size_t limit) {
  // Each removal moves what is behind it: an error as long as an answer may be would take minutes.
  std::string cause(error.substr(0, longest_error));
  remove_fields(cause, "object not decodable revision=", ": ");
  remove_fields(cause, "Key: /registry/", ", ");
  remove_fields(cause, "ResourceVersion: ", ", ");
  remove_all(cause, "\"" + key.name + "\"", "");
  remove_all(cause, key.to_string(), ":");
  return printable(cause, limit);
}

}  // namespace fairway::conversion
