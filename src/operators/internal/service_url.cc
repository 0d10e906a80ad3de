// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/service_url.h"

#include <algorithm>

#include "base/quoted_text.h"
#include "base/redact_url.h"

namespace fairway::operators {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Returns the error of the first invalid escape; empty: there is none.
std::string bad_escape(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2]))
      return "invalid URL escape " + quote(text.substr(i, 3));
    i += 2;
  }
  return {};
}

bool is_port(std::string_view port) {
  return port.empty() || (port.front() == ':' && std::ranges::all_of(port.substr(1), is_digit));
}

/// Returns the error of a host with its port; empty: it is valid.
std::string bad_host(std::string_view host) {
  std::size_t port = host.rfind(':');
  if (host.starts_with('[')) {
    const std::size_t end = host.rfind(']');
    if (end == host.npos) return "missing ']' in host";
    port = end + 1;
  }
  const std::string_view behind = port < host.size() ? host.substr(port) : std::string_view();
  if (!is_port(behind)) return "invalid port " + quote(behind) + " after host";
  constexpr std::string_view others = "!$&'()*+,;=:[]<>\"-_.~%";
  for (std::size_t i = 0; i < host.size(); ++i) {
    const char c = host[i];
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    if (ascii && !is_digit(c) && !is_letter(c) && !others.contains(c))
      return "invalid character " + quote(host.substr(i, 1)) + " in host name";
    // Only what is not ASCII may be escaped in a name.
    if (c == '%' && !host.starts_with('[') && i + 1 < host.size() && is_digit(host[i + 1]) &&
        host[i + 1] < '8' && host.substr(i, 3) != "%25")
      return "invalid URL escape " + quote(host.substr(i, 3));
  }
  return bad_escape(host);
}

bool is_userinfo(std::string_view text) {
  constexpr std::string_view others = "-._:~!$&'()*+,;=%@";
  return std::ranges::all_of(text, [&](char c) { return is_letter(c) || is_digit(c) || others.contains(c); });
}

/// Returns the error of the part before "?" and "#"; empty: it is valid.
std::string bad_part(std::string_view url) {
  std::size_t scheme = 0;
  while (scheme < url.size() &&
         (is_letter(url[scheme]) ||
          (scheme > 0 && (is_digit(url[scheme]) || std::string_view("+-.").contains(url[scheme])))))
    ++scheme;
  const bool has_scheme = scheme < url.size() && url[scheme] == ':';
  if (has_scheme && scheme == 0) return "missing protocol scheme";
  std::string_view rest = has_scheme ? url.substr(scheme + 1) : url;
  if (!rest.starts_with('/')) {
    // An opaque URL, as "mailto:a", may be anything.
    if (has_scheme) return {};
    if (rest.substr(0, rest.find('/')).contains(':')) return "first path segment in URL cannot contain colon";
  }
  if (rest.starts_with("//") && (has_scheme || !rest.starts_with("///"))) {
    std::string_view authority = rest.substr(2, rest.find('/', 2) - 2);
    rest.remove_prefix(2 + authority.size());
    if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
      if (std::string bad = bad_host(authority.substr(at + 1)); !bad.empty()) return bad;
      if (!is_userinfo(authority.substr(0, at))) return "net/url: invalid userinfo";
      if (std::string bad = bad_escape(authority.substr(0, at)); !bad.empty()) return bad;
    } else if (std::string bad = bad_host(authority); !bad.empty()) {
      return bad;
    }
  }
  return bad_escape(rest);
}

}  // namespace

std::string refusal_of_go(std::string_view url) {
  const std::string_view without_fragment = url.substr(0, url.find('#'));
  const bool control = std::ranges::any_of(
      without_fragment, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
  std::string bad = control ? "net/url: invalid control character in URL"
                            : bad_part(without_fragment.substr(0, without_fragment.find('?')));
  if (bad.empty() && without_fragment.size() < url.size())
    bad = bad_escape(url.substr(without_fragment.size() + 1));
  return bad.empty() ? bad : "parse " + quote(redact_url(url)) + ": " + bad;
}

}  // namespace fairway::operators
