// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/tracing.h"

#include "http/url.h"

namespace fairway::gateway {

Result<Tracing> Tracing::parse(std::string_view endpoint, double sampling) {
  const std::string given(endpoint);
  auto url = http::Url::parse(endpoint);
  if (!url) return fail(url.error());
  if (url->scheme != "http")
    return fail(ErrorCode::invalid,
                given + ": Envoys send spans over http:// alone, to a collector near them");
  if (!url->userinfo.empty() || !url->query.empty() || !url->fragment.empty())
    return fail(ErrorCode::invalid, given + " has more than a host, a port and a path");
  if (!(sampling >= 0 && sampling <= 100))
    return fail(ErrorCode::invalid, "the share of requests that are traced is 0 to 100 (percent)");
  while (url->path.ends_with('/')) url->path.pop_back();
  return Tracing{
      .host = url->host, .port = url->port, .path = url->path + "/v1/traces", .sampling = sampling};
}

}  // namespace fairway::gateway
