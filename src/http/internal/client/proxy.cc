// SPDX-License-Identifier: Apache-2.0

#include "http/internal/client/proxy.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/text.h"

namespace fairway::http {
namespace {

/// An IP address as 16 bytes; IPv4 is mapped into IPv6.
using Address = std::array<unsigned char, 16>;

std::optional<Address> read_address(const std::string& text) {
  Address address{};
  if (::inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) != 1) return std::nullopt;
  address[10] = address[11] = 0xff;
  std::memcpy(address.data() + 12, &v4, 4);
  return address;
}

bool is_loopback(const Address& address) {
  constexpr Address v6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  constexpr Address v4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127};
  return address == v6 || std::equal(v4.begin(), v4.begin() + 13, address.begin());
}

bool in_range(const Address& address, const std::string& range) {
  const auto slash = range.find('/');
  if (slash == std::string::npos) return false;
  const std::string base_text = range.substr(0, slash);
  const auto base = read_address(base_text);
  unsigned bits = 0;
  const char* end = range.data() + range.size();
  const auto [last, error] = std::from_chars(range.data() + slash + 1, end, bits);
  if (!base || error != std::errc() || last != end) return false;
  if (base_text.find(':') == std::string::npos) bits += 96;
  if (bits > 128) return false;
  for (unsigned i = 0; i < bits; ++i) {
    const unsigned mask = 0x80U >> (i % 8);
    if ((address[i / 8] & mask) != ((*base)[i / 8] & mask)) return false;
  }
  return true;
}

/// `where` says where the text stands, for errors.
Result<std::optional<Url>> read_proxy(std::string_view where, std::string_view text) {
  text = trim(text);
  if (text.empty()) return std::nullopt;
  const bool has_scheme = text.find("://") != std::string_view::npos;
  auto url = Url::parse(has_scheme ? std::string(text) : "http://" + std::string(text));
  if (!url) return fail(url.error().within("reading the proxy" + std::string(where)));
  if (url->scheme != "http") {
    return fail(ErrorCode::unsupported, "reading the proxy" + std::string(where) + ": " + url->to_string() +
                                            " is no http:// proxy, and no other kind is spoken to");
  }
  return *url;
}

std::string environment(const char* upper, const char* lower) {
  for (const char* name : {upper, lower}) {
    // Nothing here changes the environment after start.
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

}  // namespace

Result<ProxyRules> ProxyRules::make(std::string_view http_proxy, std::string_view https_proxy,
                                    std::string_view no_proxy) {
  ProxyRules rules;
  auto http = read_proxy(" in HTTP_PROXY", http_proxy);
  if (!http) return fail(http.error());
  rules.http_ = std::move(*http);
  auto https = read_proxy(" in HTTPS_PROXY", https_proxy);
  if (!https) return fail(https.error());
  rules.https_ = std::move(*https);
  for (const std::string_view entry : split(no_proxy, ',')) {
    if (!trim(entry).empty()) rules.direct_.push_back(to_lower(trim(entry)));
  }
  return rules;
}

Result<ProxyRules> ProxyRules::always(std::string_view proxy) {
  ProxyRules rules;
  auto url = read_proxy("", proxy);
  if (!url) return fail(url.error());
  rules.always_ = std::move(*url);
  return rules;
}

Result<ProxyRules> ProxyRules::from_environment() {
  return make(environment("HTTP_PROXY", "http_proxy"), environment("HTTPS_PROXY", "https_proxy"),
              environment("NO_PROXY", "no_proxy"));
}

std::optional<Url> ProxyRules::proxy_for(const Url& url) const {
  if (always_) return always_;
  const std::optional<Url>& proxy = url.scheme == "https" ? https_ : http_;
  if (!proxy || is_direct(to_lower(url.host), url.port)) return std::nullopt;
  return proxy;
}

bool ProxyRules::is_direct(const std::string& host, std::uint16_t port) const {
  const auto address = read_address(host);
  if (host == "localhost" || (address && is_loopback(*address))) return true;
  for (const std::string& entry : direct_) {
    if (entry == "*") return true;
    if (address && in_range(*address, entry)) return true;
    std::string name = entry;
    // "[::1]:80", "[::1]", "name:80", but not "::1", whose colons are its own.
    const auto colon = name.rfind(':');
    if (colon != std::string::npos && (name.find(':') == colon || name[colon - 1] == ']')) {
      if (name.substr(colon + 1) != std::to_string(port)) continue;
      name.resize(colon);
    }
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    if (address) {
      if (read_address(name) == address) return true;
      continue;
    }
    if (name.starts_with("*.")) name.erase(0, 1);
    if (name.empty()) continue;
    if (name.starts_with('.') ? host.ends_with(name) : host == name || host.ends_with("." + name))
      return true;
  }
  return false;
}

}  // namespace fairway::http
