// Keeps secrets that URLs carry out of everything that is shown: problems, logs, /readyz, messages.
#pragma once

#include <string>
#include <string_view>

namespace fairway {

/// Stands where a value was.
inline constexpr std::string_view redacted_value = "REDACTED";

/// A text with what may be secret in its URLs left out: what stands before an `@` of the authority, and every
/// value of a query (`?private_token=...`, presigned URLs), relative references included. `channel` and
/// `arch`, by which update services are asked, keep theirs. What begins like a URL and is cut off is treated
/// alike.
std::string redact_urls(std::string_view text);

}  // namespace fairway
