// SPDX-License-Identifier: Apache-2.0

// Many hostnames, asked which have names in common with another: the time is by the labels of that one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fairway::gateway {

/// An index of hostnames and the numbers of their owners. Two hostnames overlap if they have an
/// `intersection`.
class HostnameIndex {
 public:
  /// Announces a hostname that `first` will be called with. Required for each wildcard, before the first
  /// `add`: certificates have thousands of names, and only those below such a wildcard are indexed by it.
  void expect(std::string_view hostname);
  void add(std::string_view hostname, std::size_t owner);
  /// Returns the least owner, other than `except`, of a hostname that overlaps with this one.
  std::optional<std::size_t> first(std::string_view hostname,
                                   std::optional<std::size_t> except = std::nullopt) const;

 private:
  /// The two least owners, from which the least one other than a given one is known.
  struct Least {
    std::optional<std::size_t> least, second;
    void add(std::size_t owner);
    std::optional<std::size_t> but(std::optional<std::size_t> except) const;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Owners = std::unordered_map<std::string, Least, Hash, std::equal_to<>>;

  Owners exact_;
  /// Owners by the part after the "*": of the wildcards themselves, and of the hostnames below wildcards that
  /// are expected.
  Owners wildcards_, below_;
  Least all_;
};

}  // namespace fairway::gateway
