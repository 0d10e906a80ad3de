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

/// The route of a change, from 1 on: far from the one before.
constexpr int changed_route(int number, int routes) {
  return (number * 7919) % routes;
}

/// So many changes of `routes` routes in turn, to the versions from `first` on. On fresh connections, one
/// every 2 ms, requests go to the route that is changed.
Changes change_in_turn(Cluster& cluster, Statuses& statuses, int routes, int changes, int first = 1);

}  // namespace fairway::bench
