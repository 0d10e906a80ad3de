// SPDX-License-Identifier: Apache-2.0

// Parameters of the API's queries: the last of a repeated key counts, unknown keys are passed over.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairway::updateservice {

/// A query string, still encoded on input. Reading one without escapes allocates nothing; returned texts live
/// as long as the query and its text.
class Query {
 public:
  explicit Query(std::string_view text);
  /// Returns the last value of a key, or nothing.
  std::optional<std::string_view> find(std::string_view key) const;

 private:
  std::string_view text_;
  bool escaped_ = false;
  std::vector<std::pair<std::string, std::string>> decoded_;
};

inline constexpr std::string_view channel_pattern = R"(^[0-9a-z\-\.]+$)";
inline constexpr std::string_view arch_pattern = "^[0-9a-z]+$";
inline constexpr std::string_view default_arch = "amd64";

/// Returns whether a whole text matches `channel_pattern`.
bool is_channel_name(std::string_view text);
/// Returns whether a whole text matches `arch_pattern`.
bool is_arch_name(std::string_view text);

}  // namespace fairway::updateservice
