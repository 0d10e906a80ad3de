// SPDX-License-Identifier: Apache-2.0

// Keeps secrets that URLs carry out of everything that is shown: problems, logs, /readyz, messages.
#pragma once

#include <string>
#include <string_view>

namespace fairway {

/// The text in place of a value that was left out.
inline constexpr std::string_view redacted_value = "REDACTED";

/// Returns a text without the parts of its URLs that may be secret: the user before an `@` of the authority,
/// and every value of a query (`?private_token=...`, presigned URLs), relative references included. `channel`
/// and `arch`, the parameters of update services, keep their values. A URL that was cut off is treated alike.
std::string redact_urls(std::string_view text);

}  // namespace fairway
