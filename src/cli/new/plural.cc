// SPDX-License-Identifier: Apache-2.0

#include "cli/new/plural.h"

namespace fairway::cli {

std::string plural_of(std::string_view word) {
  const std::string text(word);
  for (const std::string_view ending : {"s", "x", "z", "ch", "sh"}) {
    if (word.ends_with(ending)) return text + "es";
  }
  const bool consonant_before_end =
      word.size() > 1 && std::string_view("aeiou").find(word[word.size() - 2]) == std::string_view::npos;
  if (word.ends_with('y') && consonant_before_end) return text.substr(0, text.size() - 1) + "ies";
  return text + "s";
}

}  // namespace fairway::cli
