// SPDX-License-Identifier: Apache-2.0

// Expected texts of recorded cases in `history[].acceptedRisks`, in the words of the enhancement.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace fairway::testing {

/// Returns the text with the enhancement's sentence on an update that is not recommended, or whose
/// recommendation is unknown, in place of the recorded one. `reason` is that of the update's condition
/// Recommended.
inline std::string accepted_in_words_of_enhancement(std::string said, const std::string& from,
                                                    const std::string& to, const std::string& reason) {
  const std::string begin = "Precondition \"ClusterVersionRecommendedUpdate\" failed because of \"" + reason +
                            "\": Update from " + from + " to " + to + " is ";
  const std::string words = "Updating from " + from + " to " + to +
                            " is supported, but not recommended for this cluster.\n\nReason: " + reason;
  for (const auto& [recorded, ours] :
       {std::pair(begin + "not recommended:", words),
        std::pair(begin + "Recommended=Unknown: " + reason + ": ", words + "\n\n")}) {
    if (const auto at = said.find(recorded); at != std::string::npos)
      return said.replace(at, recorded.size(), ours);
  }
  return said;
}

/// Returns the text without the line on a release that is not signed: recorded cases require no signatures,
/// nor does the program with --allow-unsigned-releases.
inline std::string without_unsigned(std::string said) {
  constexpr std::string_view end = "with --allow-unsigned-releases";
  const auto at = said.find(end);
  if (!said.starts_with("Target release version=") || at == std::string::npos) return said;
  return said.substr(std::min(said.size(), at + end.size() + 1));
}

}  // namespace fairway::testing
