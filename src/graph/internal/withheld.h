// SPDX-License-Identifier: Apache-2.0

// Redaction: finds and replaces the names that an audience may not see.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::graph {

/// The names and versions that an audience may not read. They are found in any text: in prose, paths and
/// URLs, in upper case, in regular expressions (`4[.]7[.]1`, `4\.7\.1`), and where a character is written as
/// its number (`%2D`, `\x2d`, `&#45;`). Immutable; safe from all threads.
class Withheld {
 public:
  /// The text that replaces hidden terms.
  static constexpr const char* placeholder = "withheld";

  struct Term {
    std::string text = {};
    /// True if the term is hidden; false for one that every audience may read: a hidden term within it (4.7.1
    /// in 4.7.1-rc.1) is no mention.
    bool hidden = true;
    /// True for a version, which is found only as a whole (4.7.1 is not in 4.7.10); a name is found anywhere.
    bool is_version = false;
    std::string replacement = placeholder;
  };

  Withheld() = default;
  explicit Withheld(std::vector<Term> terms);

  /// Returns whether there is nothing to hide.
  bool empty() const { return empty_; }
  bool mentions(std::string_view text) const;
  /// Returns the text with each hidden term replaced by its `replacement`; if several terms match, the
  /// longest one counts.
  std::string redact(std::string_view text) const;

 private:
  struct Match;
  /// Returns the longest terms that begin at `begin`.
  Match match(std::string_view text, std::size_t begin) const;
  /// Calls `found(begin, end, term)` for each mention, until it returns false.
  template <class Found>
  void each_mention(std::string_view text, const Found& found) const;

  std::vector<Term> terms_;         ///< sorted by their text, which is lower case
  std::array<bool, 256> begins_{};  ///< true for each byte that a term may begin with
  bool empty_ = true;
};

}  // namespace fairway::graph
