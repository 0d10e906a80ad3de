// Texts that speak of what somebody may not see: whether they do, and what is left of them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::graph {

/// The names and versions that somebody may not read. They are found in any text: in prose, paths and URLs,
/// in upper case, and in regular expressions (`4[.]7[.]1`, `4\.7\.1`). Fixed once made; safe from all
/// threads.
class Withheld {
 public:
  /// What stands where something hidden stood.
  static constexpr const char* stand_in = "withheld";

  struct Term {
    std::string text;
    /// False for what everybody may read: a hidden term within it (4.7.1 in 4.7.1-rc.1) is no mention.
    bool hidden = true;
    /// A version is found where it stands as such (4.7.1 is not in 4.7.10), a name anywhere.
    bool is_version = false;
    std::string told = stand_in;
  };

  Withheld() = default;
  explicit Withheld(std::vector<Term> terms);

  /// Whether there is nothing to hide.
  bool empty() const { return empty_; }
  bool mentions(std::string_view text) const;
  /// The text with what each hidden term's `told` says in its place; the longest term that stands somewhere
  /// counts.
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
