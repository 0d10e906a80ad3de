// SPDX-License-Identifier: Apache-2.0

// The part of an evaluation that the functions of libraries see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/values/scratch.h"
#include "cel/values/value.h"

namespace re2 {
class RE2;
}

namespace fairway::cel {

/// Compiled patterns that are constants of a program, by the address of their texts.
using Patterns = std::vector<std::pair<const char*, std::unique_ptr<re2::RE2>>>;

/// The memory, the errors and the cost of an evaluation.
class CallContext {
 public:
  CallContext(const Patterns& patterns, Scratch& scratch, std::uint64_t cost_limit)
      : patterns_(patterns), scratch_(scratch), limit_(cost_limit) {}

  Scratch& scratch() { return scratch_; }
  /// Returns an error at the position of the call.
  Value error(std::string_view message);
  Value no_such_overload();
  /// Returns a copy of the text.
  Value string(std::string_view text);
  Value bytes(std::string_view text);
  /// Allocates an array for the items of a list; nullptr, and the evaluation ends, if there is no room.
  Value* items(std::size_t count);
  Value out_of_memory();
  /// Returns the error of an evaluation that costs too much.
  static Value cancelled();
  Value optional_of(const Value& value);
  /// Returns a compiled pattern; a constant is compiled once. nullptr, and an error in `out`, for a wrong
  /// pattern.
  const re2::RE2* pattern(std::string_view text, std::unique_ptr<re2::RE2>& own, Value& out);
  /// Adds to the cost. Ends the evaluation and returns false if it exceeds the limit.
  bool charge(std::uint64_t cost) {
    cost_ += cost;
    if (cost_ > limit_) [[unlikely]]
      return exceed();
    return true;
  }
  /// Returns whether the evaluation has ended: the value is an error that && and || do not absorb.
  bool ended() const { return ended_; }

 protected:
  bool exceed();

  const Patterns& patterns_;
  Scratch& scratch_;
  std::uint64_t cost_ = 0;
  std::uint64_t limit_;
  /// Position of the call in the expression.
  std::uint32_t offset_ = 0;
  bool exceeded_ = false;
  bool ended_ = false;
};

}  // namespace fairway::cel
