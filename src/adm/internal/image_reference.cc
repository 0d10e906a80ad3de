// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/image_reference.h"

#include <algorithm>

namespace fairway::adm {
namespace {

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_hexadecimal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/// Returns whether a text is a tag: a letter, digit or `_`, then up to 127 of those, `.` and `-` (OCI
/// distribution specification).
bool is_tag(std::string_view text) {
  if (text.empty() || text.size() > 128 || text.front() == '.' || text.front() == '-') return false;
  return std::ranges::all_of(
      text, [](char c) { return is_lower_or_digit(c) || is_upper(c) || c == '_' || c == '.' || c == '-'; });
}

bool is_path(std::string_view text) {
  char before = '/';
  for (const char c : text) {
    const bool separator = c == '.' || c == '_' || c == '-' || c == '/';
    if (!separator && !is_lower_or_digit(c)) return false;
    // A component begins and ends with a letter or digit.
    if (before == '/' && separator) return false;
    if (c == '/' && !is_lower_or_digit(before)) return false;
    before = c;
  }
  return is_lower_or_digit(before);
}

/// Returns the part after the registry: the first component is one if it has a dot or a port, or is
/// localhost.
std::string_view path_of(std::string_view repository) {
  const std::size_t slash = repository.find('/');
  if (slash == repository.npos) return repository;
  const std::string_view first = repository.substr(0, slash);
  return first.contains('.') || first.contains(':') || first == "localhost" ? repository.substr(slash + 1)
                                                                            : repository;
}

}  // namespace

Result<ImageReference> ImageReference::parse(std::string_view text) {
  ImageReference reference;
  if (const std::size_t at = text.find('@'); at != text.npos) {
    reference.digest = text.substr(at + 1);
    text = text.substr(0, at);
    const std::size_t colon = reference.digest.find(':');
    const std::string_view hexadecimal = colon == std::string::npos
                                             ? std::string_view{}
                                             : std::string_view(reference.digest).substr(colon + 1);
    if (colon == 0 || hexadecimal.size() < 32 || !std::ranges::all_of(hexadecimal, is_hexadecimal))
      return fail(ErrorCode::invalid, "invalid reference format");
    if (reference.digest.starts_with("sha256:") && hexadecimal.size() != 64)
      return fail(ErrorCode::invalid, "invalid checksum digest length");
  }
  const std::size_t slash = text.rfind('/');
  const std::size_t colon = text.rfind(':');
  if (colon != text.npos && (slash == text.npos || colon > slash)) {
    reference.tag = text.substr(colon + 1);
    text = text.substr(0, colon);
    if (!is_tag(reference.tag)) return fail(ErrorCode::invalid, "invalid reference format");
  }
  reference.repository = text;
  const std::string_view path = path_of(reference.repository);
  if (std::ranges::any_of(path, is_upper))
    return fail(ErrorCode::invalid, "invalid reference format: repository name must be lowercase");
  if (!is_path(path)) return fail(ErrorCode::invalid, "invalid reference format");
  return reference;
}

}  // namespace fairway::adm
