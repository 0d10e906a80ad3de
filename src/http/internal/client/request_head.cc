// SPDX-License-Identifier: Apache-2.0

#include "http/internal/client/request_head.h"

#include <algorithm>
#include <string_view>

#include "base/redact.h"
#include "base/text.h"
#include "http/credentials.h"
#include "http/internal/wire.h"

namespace fairway::http {
namespace {

bool is_clean(std::string_view text) {
  return std::ranges::none_of(text,
                              [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; });
}

}  // namespace

std::string describe(const Call& call, const Url& url) {
  return call.method + " " + printable(redact_urls(url.to_string()), 300);
}

Result<void> check(const Call& call, const Url& url) {
  std::string why;
  if (url.scheme != "http" && url.scheme != "https") {
    why = "only http and https are supported";
  } else if (url.host.empty() || url.port == 0) {
    why = "the URL has no host or port";
  } else if (!is_clean(url.host) || !is_clean(url.path) || !is_clean(url.query) ||
             !url.path.starts_with('/')) {
    why = "the URL has characters that must be percent-encoded";
  } else if (call.method.empty() || !is_clean(call.method)) {
    why = "the method is invalid";
  } else {
    return {};
  }
  return fail(ErrorCode::invalid, describe(call, url) + ": " + why);
}

std::string make_head(const Call& call, const Url& url, const Headers& headers, const ClientOptions& options,
                      const std::optional<Url>& proxy) {
  const bool absolute = proxy && url.scheme == "http";
  std::string head =
      call.method + " " + (absolute ? "http://" + url.authority() : "") + url.target() + " HTTP/1.1\r\n";
  if (!headers.find("Host")) append_field(head, "Host", url.authority());
  if (!headers.find("User-Agent")) append_field(head, "User-Agent", options.user_agent);
  if (!url.userinfo.empty() && !headers.find("Authorization")) {
    append_field(head, "Authorization", basic_authorization(url.userinfo));
  }
  if (absolute && !proxy->userinfo.empty()) {
    append_field(head, "Proxy-Authorization", basic_authorization(proxy->userinfo));
  }
  if (call.accept_gzip && !call.on_body && !headers.find("Accept-Encoding")) {
    append_field(head, "Accept-Encoding", "gzip");
  }
  for (const auto& [name, value] : headers) {
    // The length is known here, and nothing else says how the body ends.
    if (equals_ignoring_case(name, "Content-Length") || equals_ignoring_case(name, "Transfer-Encoding"))
      continue;
    append_field(head, name, value);
  }
  if (!call.body.empty() || call.method == "POST" || call.method == "PUT" || call.method == "PATCH") {
    append_field(head, "Content-Length", std::to_string(call.body.size()));
  }
  head += "\r\n";
  return head;
}

}  // namespace fairway::http
