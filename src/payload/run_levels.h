// SPDX-License-Identifier: Apache-2.0

// The order in which the files of a release are applied, by their names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::payload {

/// "0000_50_dns_02-deployment.yaml": run level "50", component "dns".
struct RunLevel {
  std::string number, component;
  friend bool operator==(const RunLevel&, const RunLevel&) = default;
};

/// Returns the run level of a file's name; std::nullopt for a name that is not of the form
/// 0000_NN_COMPONENT_*.
std::optional<RunLevel> run_level(std::string_view file);

/// Purpose for which a release is applied.
enum class Mode {
  initializing,  ///< installation: unordered
  updating,      ///< ordered by run level
  reconciling,   ///< resync: unordered
};

/// The properties of a manifest that decide about its order.
struct OrderedTask {
  std::string_view file;
  bool is_job = false;  ///< a Job of batch/v1: nothing runs beside it
};

/// Indices of tasks that run one after the other.
using Chain = std::vector<std::size_t>;
/// Chains that run at the same time. The next level begins when all are done.
using Level = std::vector<Chain>;

/// Arranges tasks, which are in the order of their files' names. While updating, the components of a run
/// level run side by side and the files of each in series; successive run levels of one component each form
/// one chain. In the other modes all components of all run levels run side by side. A Job is a level of its
/// own.
std::vector<Level> run_levels(const std::vector<OrderedTask>& tasks, Mode mode);

}  // namespace fairway::payload
