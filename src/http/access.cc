// SPDX-License-Identifier: Apache-2.0

#include "http/access.h"

#include <utility>

#include "base/redact.h"
#include "base/text.h"
#include "http/credentials.h"

namespace fairway::http {

Result<Access> read_access(std::string_view url) {
  auto parsed = Url::parse(url);
  if (!parsed) return fail(parsed.error());
  if (parsed->scheme != "http" && parsed->scheme != "https") {
    return fail(ErrorCode::invalid,
                "the URL's scheme has to be http or https, not " + printable(parsed->scheme));
  }
  Access access;
  if (!parsed->userinfo.empty()) access.authorization = basic_authorization(parsed->userinfo);
  access.fragment = percent_decode(parsed->fragment).value_or(parsed->fragment);
  parsed->userinfo.clear();
  parsed->fragment.clear();
  access.url = std::move(*parsed);
  return access;
}

Error refused(const Call& call, const Reply& reply) {
  std::string text =
      call.method + " " + redact_urls(call.url.to_string()) + ": status " + std::to_string(reply.status);
  // Nothing of its body: that is a text for people, and may hold anything.
  if (reply.status == 401 && reply.url.authority() != call.url.authority()) {
    text += "; that is the answer of " + printable(reply.url.authority()) +
            ", to which it redirects, and which is given no credentials";
    return {ErrorCode::unauthenticated, std::move(text)};
  }
  const bool with_credentials = call.headers.find("Authorization").has_value();
  switch (reply.status) {
    case 401:
      text += with_credentials ? "; the credentials in the URL are not taken"
                               : "; it wants credentials: put USER:PASSWORD@ before the host";
      return {ErrorCode::unauthenticated, std::move(text)};
    case 403:
      text +=
          with_credentials ? "; the credentials in the URL do not open this" : "; it may want credentials";
      return {ErrorCode::forbidden, std::move(text)};
    case 404:
    case 410:
      text += "; is the URL right? Some servers also say so where credentials are missing";
      return {ErrorCode::not_found, std::move(text)};
    default:
      return {ErrorCode::unavailable, std::move(text)};
  }
}

}  // namespace fairway::http
