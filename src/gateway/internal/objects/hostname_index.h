// Many hostnames, asked which have names in common with another: the time is by the labels of that one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fairway::gateway {

/// Hostnames and who has them, by numbers; what two have in common is that of `intersection`.
class HostnameIndex {
 public:
  /// Has to be told of each wildcard that `first` will be asked about, before the first `add`: certificates
  /// have thousands of names, of which only those below such a one are kept apart.
  void expect(std::string_view hostname);
  void add(std::string_view hostname, std::size_t owner);
  /// The least owner but `except` of a hostname that has names in common with this one.
  std::optional<std::size_t> first(std::string_view hostname,
                                   std::optional<std::size_t> except = std::nullopt) const;

 private:
  /// Two are enough to know the least that is not a third.
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
  /// By what follows the "*": of the wildcards themselves, and of what is below those that are expected.
  Owners wildcards_, below_;
  Least all_;
};

}  // namespace fairway::gateway
