// SPDX-License-Identifier: Apache-2.0

// Error texts about CEL expressions, in the words of Kubernetes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fairway::validation_rules {

/// Returns an error in a source as cel-go shows it: with the line, and a mark below the place. `offset` is in
/// bytes.
std::string issue_text(std::string_view source, std::uint32_t offset, std::string_view message);

/// Returns `text` without the white space around it.
std::string_view trimmed(std::string_view text);

/// Returns "estimated rule cost exceeds budget by factor of 1.5x (try ...)".
std::string cost_text(std::string_view name, std::uint64_t cost, std::uint64_t limit);

}  // namespace fairway::validation_rules
