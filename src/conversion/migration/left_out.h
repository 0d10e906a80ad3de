// SPDX-License-Identifier: Apache-2.0

// The objects that a migration could not write, by cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/object.h"

namespace fairway::conversion {

/// Objects that were left out for one cause.
struct LeftOutCause {
  /// The error without the name of the object, so that objects with the same fault have the same cause.
  std::string cause = {};
  std::int64_t count = 0;
  /// "namespace/name" of the objects, in the order in which they were met; bounded, so that there may be
  /// fewer than `count`.
  std::vector<std::string> objects = {};

  friend bool operator==(const LeftOutCause&, const LeftOutCause&) = default;
};

/// The objects of a kind that were left out. Bounded: a status in the cluster has to hold it.
class LeftOut {
 public:
  /// Limits on the names and on the causes that are kept, and on one cause in bytes. Objects beyond them are
  /// counted, those of further causes under `other_causes`, with the first of them as an example.
  static constexpr std::size_t most_names = 1'000, most_causes = 50, longest_cause = 1'000;
  static constexpr std::string_view other_causes = "other causes";

  /// Adds an object. `error` is the server's message, in which the object may be named.
  void add(const k8s::Key& key, std::string_view error);
  /// Adds objects as they were kept.
  void add(LeftOutCause cause);
  void clear() { causes_.clear(); }

  bool empty() const { return causes_.empty(); }
  /// The number of objects.
  std::int64_t count() const;
  /// Returns whether each of them is named.
  bool names_all() const;
  /// The causes, in the order in which they were met.
  const std::vector<LeftOutCause>& causes() const { return causes_; }
  /// The causes, that of most objects first.
  std::vector<LeftOutCause> by_count() const;
  /// The keys of those that are named.
  std::vector<k8s::Key> keys() const;
  /// The text for a message: "3 objects were left out, by 2 causes: a/b, a/c: CAUSE (2 objects); ...".
  std::string summary() const;

  friend bool operator==(const LeftOut&, const LeftOut&) = default;

 private:
  std::size_t names() const;
  LeftOutCause& group(std::string_view cause);

  std::vector<LeftOutCause> causes_;
};

}  // namespace fairway::conversion
