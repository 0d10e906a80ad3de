// SPDX-License-Identifier: Apache-2.0

#include "base/shell_word.h"

namespace fairway {

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

}  // namespace fairway
