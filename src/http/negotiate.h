// Content negotiation: Accept, Accept-Encoding and If-None-Match (RFC 9110, sections 12.5 and 13.1).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::http {

/// Which of `offers` ("type/subtype", best first) suits an Accept header: highest q, then the most specific
/// range, then the order of the offers. An absent or empty header takes the first offer. Ranges and
/// parameters that cannot be read are passed over; a header of which nothing can be read fits nothing. `*`
/// alone means `*/*`. Nothing: 406.
std::optional<std::size_t> choose_media_type(std::optional<std::string_view> accept,
                                             std::span<const std::string_view> offers);

/// Whether the client prefers gzip to identity (a q above 0, for gzip or `*`, not below identity's).
bool accepts_gzip(std::string_view accept_encoding);

/// Whether an If-None-Match header names `etag` (quotes included) by weak comparison, or is `*`.
bool etag_matches(std::string_view if_none_match, std::string_view etag);

}  // namespace fairway::http
