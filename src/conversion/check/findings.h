// SPDX-License-Identifier: Apache-2.0

// The findings of a check of a conversion, by cause.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/object.h"

namespace fairway::conversion {

enum class FindingKind {
  fails,    ///< the object cannot be converted, or not back
  loses,    ///< a member does not come back from a round trip
  changes,  ///< a member comes back with another value, or was not there before
  refused,  ///< the schema of the new version refuses the converted object
};

/// Returns the kind's name in JSON: "fails", "loses", "changes", "refused".
std::string_view to_string(FindingKind kind);

/// A finding about one object.
struct Finding {
  FindingKind kind = FindingKind::fails;
  /// The cause without what is the object's own, so that objects with the same fault have the same.
  std::string cause = {};
  /// The field, as "spec.ports[0].port"; empty: none is known.
  std::string path = {};
  /// The object's own part, such as both values; may be empty.
  std::string detail = {};

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// An object as an example of a cause.
struct FindingExample {
  /// "namespace/name".
  std::string object = {};
  std::string path = {}, detail = {};

  friend bool operator==(const FindingExample&, const FindingExample&) = default;
};

/// Objects with the same finding.
struct FindingCause {
  FindingKind kind = FindingKind::fails;
  std::string cause = {};
  /// Number of objects.
  std::int64_t count = 0;
  /// The first of them.
  std::vector<FindingExample> examples = {};
};

/// The findings about all objects of a check. Bounded in memory: further causes are counted under
/// `other_causes`.
class Findings {
 public:
  /// Limits on the causes of each kind of finding that are kept, and on one cause and one detail in bytes.
  static constexpr std::size_t most_causes = 100, longest_text = 1'000;
  static constexpr std::string_view other_causes = "other causes";

  /// Keeps up to `most_examples` objects of a cause.
  explicit Findings(std::size_t most_examples) : most_examples_(most_examples) {}

  /// Adds a checked object with its findings, which may be none. Of several with the same cause the first one
  /// counts.
  void add(const k8s::Key& key, const std::vector<Finding>& findings);

  /// Number of objects that were checked, of those with a finding, and of those with one of a kind.
  std::int64_t objects() const { return objects_; }
  std::int64_t faulty_objects() const { return faulty_objects_; }
  std::int64_t count(FindingKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  /// The causes, by kind, and of each kind that of most objects first.
  std::vector<FindingCause> causes() const;

 private:
  FindingCause& group(FindingKind kind, std::string_view cause);

  std::size_t most_examples_;
  std::int64_t objects_ = 0, faulty_objects_ = 0;
  std::array<std::int64_t, 4> counts_ = {};
  std::vector<FindingCause> causes_;
};

}  // namespace fairway::conversion
