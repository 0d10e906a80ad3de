// SPDX-License-Identifier: Apache-2.0

// TLS 1.3 with a pre-shared key, for both ends.
#pragma once

#include "http/shared_key.h"

struct ssl_ctx_st;
struct ssl_st;

namespace fairway::http {

/// Makes all sessions of the context use the key, and nothing else. Errors: OpenSSL refuses the settings.
Result<void> use_shared_key(ssl_ctx_st* context, SharedKey key);

/// Returns whether the context has a shared key.
bool has_shared_key(const ssl_st* session);

}  // namespace fairway::http
