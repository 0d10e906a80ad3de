// SPDX-License-Identifier: Apache-2.0

// Versions of a kind in the order in which they come about.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::cli {

/// A version by Kubernetes' convention: v1alpha1, v1beta2, v2. They are ordered by age: v1alpha1 < v1beta1 <
/// v1 < v2alpha1. That is not the priority of `k8s::compare_priority`, in which v1 is above v2alpha1.
struct KindVersion {
  enum class Stage { alpha, beta, stable };
  int major = 1;
  Stage stage = Stage::stable;
  /// The number behind "alpha" or "beta"; 0 for a stable version.
  int number = 0;

  /// Returns std::nullopt for any other text.
  static std::optional<KindVersion> parse(std::string_view text);
  std::string to_string() const;
  friend auto operator<=>(const KindVersion&, const KindVersion&) = default;
};

}  // namespace fairway::cli
