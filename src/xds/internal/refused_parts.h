// SPDX-License-Identifier: Apache-2.0

// The parts of resources that Envoys have refused, for the streams to come.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace fairway::xds {

/// Refused parts by their ids (`RoutePart::id`), with Envoy's messages. Only the last thousand are kept.
class RefusedParts {
 public:
  void record(const std::string& id, const std::string& words);
  /// Returns Envoy's message on a part; std::nullopt: it is not known to be refused.
  std::optional<std::string> words(const std::string& id) const;
  bool empty() const { return words_.empty(); }

 private:
  std::map<std::string, std::string> words_;
  /// The ids, the oldest first.
  std::deque<std::string> order_;
};

/// The parts that one client refuses, in any of its resources, and those that any client has refused.
class ClientParts {
 public:
  /// `of_all`: the parts that any client has refused; those of this one are added.
  explicit ClientParts(std::shared_ptr<RefusedParts> of_all) : of_all_(std::move(of_all)) {}

  void record_refused(const std::string& id, const std::string& words);
  /// Records that it accepts a part that another client has refused.
  void record_taken(const std::string& id);

  /// Returns this client's message on a part; std::nullopt: it is not known to refuse it.
  std::optional<std::string> words(const std::string& id) const { return own_.words(id); }
  /// Returns any client's message on a part; std::nullopt: none is known to refuse it, or this one is known
  /// to accept it.
  std::optional<std::string> words_of_any(const std::string& id) const;
  bool empty() const { return own_.empty() && of_all_->empty(); }
  /// Returns a number that changes with each `record_refused` that is new.
  std::uint64_t revision() const { return revision_; }

 private:
  const std::shared_ptr<RefusedParts> of_all_;
  RefusedParts own_;
  std::set<std::string> taken_;
  std::uint64_t revision_ = 0;
};

}  // namespace fairway::xds
