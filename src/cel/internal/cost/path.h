// SPDX-License-Identifier: Apache-2.0

// Places in the schema under a rule, as the estimate of Kubernetes keeps them.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

namespace fairway::cel {

/// Steps of a path other than names of variables and fields.
inline constexpr std::string_view items_step = "@items", indices_step = "@indices", keys_step = "@keys",
                                  values_step = "@values";

/// Path from a variable to the type of a value; empty for a value that has no place in the schema.
///
/// Its steps lie in storage that paths share and that doubles when it is full. The first path that is
/// extended beyond the used part writes into the room that is left, and so does the second, which changes the
/// last step of the first: cel-go's paths are Go's slices. Rules are accepted and refused by what comes of
/// that, and so it is kept.
class Path {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::string_view operator[](std::size_t index) const { return (*steps_)[index]; }

  /// Returns this path and one more step, whose text has to outlive all paths.
  Path extended(std::string_view step) const {
    Path made = *this;
    if (!steps_ || size_ == steps_->size()) {
      made.steps_ = std::make_shared<std::vector<std::string_view>>(size_ == 0 ? 1 : 2 * size_);
      for (std::size_t i = 0; i < size_; ++i) (*made.steps_)[i] = (*steps_)[i];
    }
    (*made.steps_)[made.size_++] = step;
    return made;
  }

  /// Returns an equal path with storage of its own.
  Path detached() const {
    Path made = *this;
    if (steps_)
      made.steps_ = std::make_shared<std::vector<std::string_view>>(
          steps_->begin(), std::next(steps_->begin(), static_cast<std::ptrdiff_t>(size_)));
    return made;
  }

 private:
  std::shared_ptr<std::vector<std::string_view>> steps_;
  std::size_t size_ = 0;
};

}  // namespace fairway::cel
