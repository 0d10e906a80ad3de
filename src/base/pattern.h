// Regular expressions from untrusted input: RE2, linear time for any pattern.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway {

/// A compiled expression. Cheap to copy; safe to use from several threads.
class Pattern {
 public:
  /// Compiles RE2 syntax with at most 1 MiB of program. The error says what is wrong with which part.
  static Result<Pattern> compile(std::string_view text);
  /// Whether it matches anywhere in `subject` (unanchored).
  bool search(std::string_view subject) const;
  /// Whether it matches all of `subject`.
  bool matches(std::string_view subject) const;
  const std::string& text() const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace fairway
