// SPDX-License-Identifier: Apache-2.0

// The flags of kube-apiserver, and what comes of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairway::envtest {

enum class Treatment {
  obeyed,
  accepted,  ///< without effect, where that cannot matter to a test
  warned,    ///< without effect, and said
};

struct Flag {
  std::string name;
  /// True if the flag takes a value only after "=": `--profiling`, `--profiling=false`.
  bool is_bool = false;
  Treatment treatment = Treatment::accepted;
  /// For `warned`: values that say what holds anyway, without a warning.
  std::vector<std::string> usual = {};
  /// For `warned`: what holds instead.
  std::string instead = {};
};

/// Returns all flags of kube-apiserver, in the order of their names (data/kube-apiserver-flags.txt).
const std::vector<Flag>& kube_apiserver_flags();

/// Finds a flag; null if kube-apiserver has none of that name.
const Flag* find_kube_apiserver_flag(std::string_view name);

}  // namespace fairway::envtest
