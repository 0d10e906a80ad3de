// What Envoys have refused below a resource, for the streams to come.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

namespace fairway::xds {

/// Parts by their ids (`RoutePart::id`), with Envoy's words. Of those that are noted the last thousand.
class RefusedParts {
 public:
  void note(const std::string& id, const std::string& words);
  /// std::nullopt: it is not known.
  std::optional<std::string> words(const std::string& id) const;
  const std::map<std::string, std::string>& all() const { return words_; }

 private:
  std::map<std::string, std::string> words_;
  /// The oldest first.
  std::deque<std::string> order_;
};

}  // namespace fairway::xds
