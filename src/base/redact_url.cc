// SPDX-License-Identifier: Apache-2.0

#include "base/redact_url.h"

#include <algorithm>
#include <cstddef>

#include "base/redact.h"
#include "base/text.h"

namespace fairway {

namespace {

constexpr std::string_view blanks = " \t\r\n\f\v";

/// Returns the size of "https://" at the beginning; 0: the text does not begin with a scheme and two slashes.
std::size_t size_of_scheme(std::string_view url) {
  constexpr std::string_view end = "://";
  const std::size_t scheme =
      url.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
  return scheme != 0 && scheme != std::string_view::npos && url.substr(scheme).starts_with(end)
             ? scheme + end.size()
             : 0;
}

}  // namespace

std::string redact_url(std::string_view url) {
  url = trim(url);
  // No URL has any: what stands before the host, and behind the path, is not to be told from what is secret.
  if (url.find_first_of(blanks) != std::string_view::npos &&
      url.find_first_of("@?#") != std::string_view::npos) {
    if (url.contains('@')) url.remove_prefix(url.rfind('@') + 1);
    if (const std::size_t end = std::min(url.find_first_of(blanks), url.find_first_of("?#"));
        end != std::string_view::npos)
      return redact_url(url.substr(0, end)) + " " + std::string(redacted_value);
  }
  const std::size_t scheme = size_of_scheme(url);
  const std::size_t begin = std::min(url.find_first_not_of('/', scheme), url.size());
  if (scheme > 0 && begin == scheme) return redact_urls(url);
  // It begins, behind slashes, where a reference without a scheme does: with who asks, and the host.
  constexpr std::string_view reference = "//";
  return std::string(url.substr(0, begin)) +
         redact_urls(std::string(reference) + std::string(url.substr(begin))).substr(reference.size());
}

}  // namespace fairway
