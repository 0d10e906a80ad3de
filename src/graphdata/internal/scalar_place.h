// SPDX-License-Identifier: Apache-2.0

// The place of a byte of a YAML scalar in its file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"
#include "graph/problem.h"

namespace fairway::graphdata {

/// A text in which places are looked up, each from the beginning of its line or from the last one in that
/// line.
class IndexedText {
 public:
  explicit IndexedText(std::string_view text);

  std::string_view text() const { return text_; }
  /// Returns the byte offset of a place of the text; the text's end for a place after it.
  std::size_t offset_of(yaml::Mark mark);

 private:
  std::string_view text_;
  std::vector<std::size_t> lines_;  ///< offset at which each line begins
  yaml::Mark last_;
  std::size_t last_offset_ = 0;
};

/// Returns the line and column (both from 1; columns count characters) of byte `offset` of `node.scalar`,
/// where `text` is the whole file: block scalars, folded lines and quotes are followed, so that an error
/// inside a query can be located. An offset at or after the scalar's end gives the place after its last
/// visible character.
graph::Place place_in_scalar(const std::string& file, IndexedText& text, const yaml::Node& node,
                             std::size_t offset);

}  // namespace fairway::graphdata
