// SPDX-License-Identifier: Apache-2.0

// Reasons for a reconcile, for the log.
#pragma once

#include <string>
#include <utility>

namespace fairway::kube {

/// Reasons why an object is queued: the text of one, and the number of the others. Empty, and without cost,
/// where nobody reads them.
class Reasons {
 public:
  Reasons() = default;
  explicit Reasons(std::string text) : text_(std::move(text)) {}

  /// Adds later reasons, which led to the same reconcile.
  void add(const Reasons& later);
  /// Puts other reasons in front, because they decide when the reconcile is.
  void put_in_front(Reasons deciding);
  /// Returns "Widget a/b has changed, and 2 more"; empty if there is none.
  std::string text() const;

 private:
  std::string text_;
  int others_ = 0;
};

}  // namespace fairway::kube
