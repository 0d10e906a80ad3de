// SPDX-License-Identifier: Apache-2.0

#include "k8s/version_priority.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace fairway::k8s {

namespace {

enum class Stage { alpha, beta, general };

struct KubeVersion {
  Stage stage;
  std::int64_t major, minor;
  friend auto operator<=>(const KubeVersion&, const KubeVersion&) = default;
};

/// Takes digits off the front; std::nullopt if there are none or the number does not fit, as in Go.
std::optional<std::int64_t> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

std::optional<KubeVersion> parse(std::string_view text) {
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  const auto major = take_number(text);
  if (!major) return std::nullopt;
  if (text.empty()) return KubeVersion{Stage::general, *major, 0};
  Stage stage = Stage::alpha;
  if (text.starts_with("alpha")) {
    text.remove_prefix(5);
  } else if (text.starts_with("beta")) {
    stage = Stage::beta;
    text.remove_prefix(4);
  } else {
    return std::nullopt;
  }
  const auto minor = take_number(text);
  if (!minor || !text.empty()) return std::nullopt;
  return KubeVersion{stage, *major, *minor};
}

}  // namespace

std::weak_ordering compare_priority(std::string_view a, std::string_view b) {
  const auto first = parse(a), second = parse(b);
  if (first && second) return *first <=> *second;
  if (first.has_value() != second.has_value()) return first.has_value() <=> second.has_value();
  return b <=> a;
}

void sort_by_priority(std::vector<std::string>& versions) {
  std::ranges::stable_sort(
      versions, [](const std::string& a, const std::string& b) { return compare_priority(a, b) > 0; });
}

}  // namespace fairway::k8s
