// SPDX-License-Identifier: Apache-2.0

// One URL without its secrets, as a setting has it.
#pragma once

#include <string>
#include <string_view>

namespace fairway {

/// Returns a URL without what may be secret, as `redact_urls` does, and without blanks around it. It may be
/// wrong: "user:password@host/path" and "http:///user:password@host" are redacted, too.
std::string redact_url(std::string_view url);

}  // namespace fairway
