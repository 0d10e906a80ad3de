// SPDX-License-Identifier: Apache-2.0

// Descriptions of channels that have none in graph data (--channel-descriptions).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace fairway::updateservice {

/// An ordered list of name patterns and texts.
class ChannelDescriptions {
 public:
  /// Parses YAML or JSON: one mapping of shell-style name patterns to texts. Errors name file and line.
  static Result<ChannelDescriptions> parse(std::string_view text, const std::string& source);
  static Result<ChannelDescriptions> load(const std::string& file);

  /// Returns the text of the first pattern that matches; "" if none does.
  std::string_view find(std::string_view channel) const;
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace fairway::updateservice
