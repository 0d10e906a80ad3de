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
/// its number (`%2D`, `\x2d`, `&#45;`). Fixed once made; safe from all threads.
class Withheld {
 public:
  /// Replaces what is hidden.
  static constexpr const char* placeholder = "withheld";

  struct Term {
    std::string text;
    /// False for what every audience may read: a hidden term within it (4.7.1 in 4.7.1-rc.1) is no mention.
    bool hidden = true;
    /// A version is found where it stands as such (4.7.1 is not in 4.7.10), a name anywhere.
    bool is_version = false;
    std::string replacement = placeholder;
  };

  Withheld() = default;
  explicit Withheld(std::vector<Term> terms);

  /// Returns whether there is nothing to hide.
  bool empty() const { return empty_; }
  bool mentions(std::string_view text) const;
  /// The text with each hidden term replaced by its `replacement`; where several terms match, the longest
  /// one counts.
  std::string redact(std::string_view text) const;

 private:
  struct Match;
  /// The longest terms that begin at `begin`.
  Match match(std::string_view text, std::size_t begin) const;
  /// Calls `found(begin, end, term)` for each mention, until it says false.
  template <class Found>
  void each_mention(std::string_view text, const Found& found) const;

  std::vector<Term> terms_;         ///< sorted by their text, which is lower case
  std::array<bool, 256> begins_{};  ///< with which bytes a term may begin
  bool empty_ = true;
};

}  // namespace fairway::graph
