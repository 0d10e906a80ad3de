// SPDX-License-Identifier: Apache-2.0

// The place where the body of a reply goes: the caller's function, or the reply itself.
#pragma once

#include <cstddef>

#include "http/client.h"
#include "http/internal/client/reply_parser.h"

namespace fairway::http {

/// Makes the sink for the body of a reply whose status is known. It counts in `received`, and all three live
/// as long as it.
ReplyParser::Sink make_sink(const Call& call, Reply& reply, std::size_t& received);

/// Unpacks a body that was compressed for the call. Errors: `too_large`; `unavailable` for one that is
/// broken.
Result<void> decompress(const Call& call, Reply& reply);

}  // namespace fairway::http
