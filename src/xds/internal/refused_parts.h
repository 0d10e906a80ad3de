// What Envoys have refused below a resource, for the streams to come.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace fairway::xds {

/// Parts by their ids (`RoutePart::id`), with Envoy's words. Of those that are noted the last thousand.
class RefusedParts {
 public:
  void note(const std::string& id, const std::string& words);
  /// std::nullopt: it is not known.
  std::optional<std::string> words(const std::string& id) const;
  bool empty() const { return words_.empty(); }

 private:
  std::map<std::string, std::string> words_;
  /// The oldest first.
  std::deque<std::string> order_;
};

/// What one client refuses, whichever of its resources it is in, beside what any client has refused.
class ClientParts {
 public:
  /// `of_all`: of all clients; what this one refuses is added.
  explicit ClientParts(std::shared_ptr<RefusedParts> of_all) : of_all_(std::move(of_all)) {}

  void note_refused(const std::string& id, const std::string& words);
  /// It takes what another has refused.
  void note_taken(const std::string& id);

  /// The client's own words; std::nullopt: it is not known to refuse it.
  std::optional<std::string> words(const std::string& id) const { return own_.words(id); }
  /// Those of any client, where this one is not known to take it.
  std::optional<std::string> words_of_any(const std::string& id) const;
  bool empty() const { return own_.empty() && of_all_->empty(); }
  /// Another number after each `note_refused` that says something new.
  std::uint64_t revision() const { return revision_; }

 private:
  const std::shared_ptr<RefusedParts> of_all_;
  RefusedParts own_;
  std::set<std::string> taken_;
  std::uint64_t revision_ = 0;
};

}  // namespace fairway::xds
