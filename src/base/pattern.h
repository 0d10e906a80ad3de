// SPDX-License-Identifier: Apache-2.0

// Regular expressions from untrusted input: RE2, linear time for any pattern.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway {

/// A compiled expression. Cheap to copy; safe to use from several threads.
class Pattern {
 public:
  /// Compiles RE2 syntax with at most 256 KiB of program. The error (`invalid`,
  /// `too_large`) says what is wrong with which part.
  static Result<Pattern> compile(std::string_view text);
  /// Returns whether it matches anywhere in `subject` (unanchored).
  bool search(std::string_view subject) const;
  /// Returns whether it matches all of `subject`.
  bool matches(std::string_view subject) const;
  const std::string& text() const;
  /// The steps of the compiled program: a measure of its memory, and of the longest time a search takes for
  /// each byte.
  std::size_t program_size() const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace fairway
