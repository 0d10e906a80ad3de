// SPDX-License-Identifier: Apache-2.0

#include "http/url.h"

#include <algorithm>
#include <array>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <boost/url/url_view.hpp>
#include <charconv>
#include <vector>

#include "base/redact_url.h"
#include "base/text.h"

namespace fairway::http {
namespace {

/// Escapes characters that people and servers write into URLs although RFC 3986 forbids them (spaces,
/// non-ASCII, quotes, braces), as browsers do. Control characters stay, and fail to parse.
std::string escape_stray(std::string_view text) {
  constexpr std::string_view stray = " \"<>\\^`{|}";
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80 || stray.find(c) != std::string_view::npos) {
      escaped += percent_encode({&c, 1});
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::uint16_t default_port(std::string_view scheme) {
  if (scheme == "https") return 443;
  if (scheme == "http") return 80;
  return 0;
}

std::unexpected<Error> broken(std::string_view text, std::string_view why) {
  return fail(ErrorCode::invalid,
              "reading the URL \"" + printable(redact_url(text)) + "\": " + std::string(why));
}

/// Boost.URL 1.81 ends an authority at the first byte that cannot be in a port and reads the rest as a path:
/// "http://host:8x/" has the path "x/". After an authority a path is empty or begins with "/" (RFC 3986,
/// section 3.3).
bool has_whole_authority(const boost::urls::url_view_base& view) {
  const std::string_view path(view.encoded_path().data(), view.encoded_path().size());
  return !view.has_authority() || path.empty() || path.front() == '/';
}

Result<Url> from_view(const boost::urls::url_view& view, std::string_view text) {
  if (!has_whole_authority(view)) return broken(text, "the port is not a number from 1 to 65535");
  Url url;
  if (!view.has_scheme() || !view.has_authority()) {
    return broken(text, "it has no scheme and host, as in https://host/path");
  }
  url.scheme = to_lower(std::string_view(view.scheme().data(), view.scheme().size()));
  url.host = to_lower(view.host_address());
  if (url.host.empty()) return broken(text, "the host is missing");
  // The host goes into Host headers, proxies' request lines and name look-ups.
  // Decoding may have brought in what delimits a URL, such as "]": only what a name or an address is made of
  // may stand.
  const std::string_view of_hosts = view.host_type() == boost::urls::host_type::ipv6
                                        ? "0123456789abcdef:."
                                        : "abcdefghijklmnopqrstuvwxyz0123456789-._~";
  if (url.host.find_first_not_of(of_hosts) != std::string::npos) {
    return broken(text, "the host has characters that no host name has");
  }
  url.userinfo = view.userinfo();
  url.port = default_port(url.scheme);
  if (view.has_port() && !view.port().empty()) {
    // Boost.URL 1.81's own port_number() wraps around.
    const char* end = view.port().data() + view.port().size();
    const auto [last, error] = std::from_chars(view.port().data(), end, url.port);
    if (error != std::errc() || last != end || url.port == 0) {
      return broken(text, "the port is not a number from 1 to 65535");
    }
  }
  url.path = std::string(view.encoded_path());
  if (url.path.empty()) url.path = "/";
  url.query = std::string(view.encoded_query());
  url.fragment = std::string(view.encoded_fragment());
  return url;
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  const std::string escaped = escape_stray(trim(text));
  const auto view = boost::urls::parse_uri(escaped);
  if (!view) {
    return broken(text, view.error().message() + "; a URL looks like https://host/path?query");
  }
  return from_view(*view, text);
}

std::string Url::to_string() const {
  std::string text = scheme + "://";
  if (const std::string user = userinfo.substr(0, userinfo.find(':')); !user.empty()) {
    text += percent_encode(user) + "@";
  }
  text += authority() + target();
  if (!fragment.empty()) text += "#" + fragment;
  return text;
}

std::string Url::authority() const {
  std::string text = host.find(':') != std::string::npos ? "[" + host + "]" : host;
  if (port != 0 && port != default_port(scheme)) text += ":" + std::to_string(port);
  return text;
}

std::string Url::target() const {
  return query.empty() ? path : path + "?" + query;
}

Result<Url> resolve(const Url& base, std::string_view reference) {
  const std::string escaped = escape_stray(trim(reference));
  const auto relative = boost::urls::parse_uri_reference(escaped);
  if (!relative) return broken(reference, relative.error().message());
  if (!has_whole_authority(*relative)) return broken(reference, "the port is not a number from 1 to 65535");
  const std::string base_text = base.scheme + "://" + base.authority() + base.target();
  const auto base_view = boost::urls::parse_uri(base_text);
  if (!base_view) return broken(base_text, base_view.error().message());
  boost::urls::url whole;
  if (const auto done = boost::urls::resolve(*base_view, *relative, whole); !done) {
    return broken(reference, done.error().message());
  }
  return from_view(whole, reference);
}

std::string clean_path(std::string_view path) {
  const std::string decoded = percent_decode(path).value_or(std::string(path));
  std::vector<std::string_view> steps;
  for (const std::string_view step : split(decoded, '/')) {
    if (step.empty() || step == ".") continue;
    if (step != "..") {
      steps.push_back(step);
    } else if (!steps.empty()) {
      steps.pop_back();
    }
  }
  std::string cleaned;
  for (const std::string_view step : steps) cleaned += "/" + percent_encode(step, "$&+,:;=@");
  return cleaned.empty() ? "/" : cleaned;
}

}  // namespace fairway::http
