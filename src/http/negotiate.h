// SPDX-License-Identifier: Apache-2.0

// Content negotiation: Accept, Accept-Encoding and If-None-Match (RFC 9110, sections 12.5 and 13.1).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::http {

/// The index in `supported` ("type/subtype", preferred first) of the type that best matches an Accept header:
/// highest q, then the most specific range, then the order of `supported`. An absent or empty header selects
/// the first of them. Malformed ranges and parameters are ignored; a header without any valid range matches
/// nothing. `*` alone means `*/*`. std::nullopt: answer 406.
std::optional<std::size_t> choose_media_type(std::optional<std::string_view> accept,
                                             std::span<const std::string_view> supported);

/// Returns whether to send gzip: its q (or that of `*`) is above 0 and not below that of identity.
bool accepts_gzip(std::string_view accept_encoding);

/// Returns whether a reply without any content coding may be sent: not where `identity;q=0`, or `*;q=0`
/// without identity, forbids it.
bool accepts_identity(std::string_view accept_encoding);

/// Returns whether an If-None-Match header names `etag` (quotes included) by weak comparison, or is `*`.
bool etag_matches(std::string_view if_none_match, std::string_view etag);

}  // namespace fairway::http
