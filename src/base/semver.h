// SPDX-License-Identifier: Apache-2.0

// Semantic versions 2.0.0 (semver.org): how releases are named and ordered.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway {

/// One version. Ordering is SemVer precedence, then the build metadata in byte order, so that the order is
/// total.
class Version {
 public:
  Version() = default;
  /// Reads "4.16.0-rc.1+amd64": no leading "v", no leading zeros, no spaces. The error says what is wrong and
  /// where.
  static Result<Version> parse(std::string_view text);

  std::uint64_t major() const { return major_; }
  std::uint64_t minor() const { return minor_; }
  std::uint64_t patch() const { return patch_; }
  /// "rc.1" of 4.16.0-rc.1, or "".
  const std::string& prerelease() const { return prerelease_; }
  /// "amd64" of 4.16.0+amd64, or "".
  const std::string& build() const { return build_; }
  /// Returns the version with this build metadata instead ("" drops it).
  Version with_build(std::string build) const;
  /// "4.16": the minor version, as in channel names.
  std::string minor_text() const;
  std::string to_string() const;

  friend std::strong_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b) = default;

 private:
  std::uint64_t major_ = 0, minor_ = 0, patch_ = 0;
  std::string prerelease_, build_;
};

/// SemVer precedence alone (build ignored), section 11.
std::strong_ordering compare_precedence(const Version& a, const Version& b);

}  // namespace fairway
