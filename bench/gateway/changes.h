// SPDX-License-Identifier: Apache-2.0

// Routes changed one after the other, under requests.
#pragma once

#include <vector>

#include "cluster.h"
#include "statuses.h"

namespace fairway::bench {

struct Changes {
  /// Milliseconds from the beginning of the PATCH until the new answer came, and until the status was True.
  std::vector<double> to_traffic, to_status;
  /// Changes whose status was True while a request that began later got the old answer.
  int too_early = 0;
  /// Requests without an answer of a backend.
  int failed = 0;
};

/// Returns the route of a change, counted from 1: far from that of the change before.
constexpr int changed_route(int number, int routes) {
  return (number * 7919) % routes;
}

/// Makes `changes` changes of `routes` routes in turn, to the versions from `first` on. During each, a
/// request on a fresh connection goes every 2 ms to the route that is changed.
Changes change_in_turn(Cluster& cluster, Statuses& statuses, int routes, int changes, int first = 1);

}  // namespace fairway::bench
