// SPDX-License-Identifier: Apache-2.0

// One URL without its secrets, as a setting has it.
#pragma once

#include <string>
#include <string_view>

namespace fairway {

/// Returns a URL without what may be secret, as `redact_urls` does. Its scheme may be missing:
/// "user:password@host/path" is redacted, too.
std::string redact_url(std::string_view url);

}  // namespace fairway
