// The place of a byte of a YAML scalar in its file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"
#include "graph/problem.h"

namespace fairway::graphdata {

/// A text in which places are looked up: each from where its line begins, or from the last one in that line.
class IndexedText {
 public:
  explicit IndexedText(std::string_view text);

  std::string_view text() const { return text_; }
  /// The byte where a place of the text lies; its end for a place behind it.
  std::size_t offset_of(yaml::Mark mark);

 private:
  std::string_view text_;
  std::vector<std::size_t> lines_;  ///< where each begins
  yaml::Mark last_;
  std::size_t last_offset_ = 0;
};

/// The line and column (both from 1; columns count characters) of byte `offset` of `node.scalar`, where
/// `text` is the whole file: block scalars, folded lines and quotes are followed, so that an error inside a
/// query can be pointed at. An offset at or behind the scalar's end gives the place behind its last visible
/// character.
graph::Place place_in_scalar(const std::string& file, IndexedText& text, const yaml::Node& node,
                             std::size_t offset);

}  // namespace fairway::graphdata
