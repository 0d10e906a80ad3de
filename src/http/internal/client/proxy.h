// SPDX-License-Identifier: Apache-2.0

// The proxy of a request, by the rules of the environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/url.h"

namespace fairway::http {

/// The rules of the environment variables. HTTP_PROXY and HTTPS_PROXY name one proxy for each scheme;
/// NO_PROXY lists hosts that are reached without one, separated by commas: "*" (all), "example.com" (it and
/// all hosts below it), ".example.com" or "*.example.com" (the hosts below it), an IP address, a CIDR range,
/// each but the range with an optional ":port". localhost and loopback addresses are always reached directly.
class ProxyRules {
 public:
  ProxyRules() = default;
  /// Makes rules. A proxy is a URL, or "host:port" for http. Only HTTP proxies reached without TLS are
  /// supported.
  static Result<ProxyRules> make(std::string_view http_proxy, std::string_view https_proxy,
                                 std::string_view no_proxy);
  /// Makes rules with this proxy for every URL, loopback addresses too.
  static Result<ProxyRules> always(std::string_view proxy);
  /// Reads the environment; the upper-case names win.
  static Result<ProxyRules> from_environment();

  /// The proxy for a URL, or nothing.
  std::optional<Url> proxy_for(const Url& url) const;

 private:
  bool is_direct(const std::string& host, std::uint16_t port) const;

  std::optional<Url> always_, http_, https_;
  std::vector<std::string> direct_;
};

}  // namespace fairway::http
