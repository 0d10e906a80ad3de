// SPDX-License-Identifier: Apache-2.0

// A command line as programs in Go read it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::envtest {

struct GivenFlags {
  /// Values of each flag that was given, in their order; "true" of a bool without one.
  std::map<std::string, std::vector<std::string>, std::less<>> values = {};
  /// Flags that the program does not have, by name, once each.
  std::vector<std::string> unknown = {};
  /// Words that belong to no flag.
  std::vector<std::string> others = {};

  /// Returns the value of a flag, the last one if it was given several times; empty: it was not given.
  std::string value(std::string_view name) const;
  /// Returns the values of a flag that takes a list: those of all times, split at commas, without blanks.
  std::vector<std::string> list(std::string_view name) const;
  /// Returns whether a bool is set; `otherwise` if it was not given, or is neither true nor false.
  bool is_set(std::string_view name, bool otherwise = false) const;
};

/// Reads `--flag value`, `--flag=value`, `--bool`, `--bool=false`, and the same with one dash. `is_bool` says
/// of a name whether it is a bool; std::nullopt: there is no such flag. An unknown one takes the next word
/// for its value, unless that is a flag.
GivenFlags read_flags(std::span<const std::string> words,
                      const std::function<std::optional<bool>(std::string_view name)>& is_bool);

}  // namespace fairway::envtest
