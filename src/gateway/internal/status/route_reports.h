// SPDX-License-Identifier: Apache-2.0

// The statuses of routes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "gateway/internal/attachment/endpoints.h"
#include "gateway/internal/model/answers.h"
#include "gateway/internal/model/route.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/status/report.h"

namespace fairway::gateway {

/// The reports on routes, kept from pass to pass: most do not change.
class RouteReportCache {
 public:
  /// Adds the reports on all routes, including those that are not attached to anything any more. `routes` are
  /// the attached routes of `objects`, in their order.
  void report(const Objects& objects, const std::deque<RouteState>& routes, const Answers& answers,
              const std::shared_ptr<const LeftOutEndpoints>& left_out, std::vector<Report>& reports);

 private:
  /// The entries of a route, and all that they were made from.
  struct Cached {
    RouteKind kind = RouteKind::http;
    /// The route, held so that no other object is at its address.
    std::shared_ptr<const k8s::Dynamic> route = {};
    std::shared_ptr<const RouteFacts> facts = {};
    std::uint64_t revision = 0;
    std::shared_ptr<const LeftOutEndpoints> left_out_by = {};
    std::string left_out = {};
    bool is_refused = false;
    /// Text with all facts about its parents that the entries are made from. Equal texts have equal entries.
    std::string words = {};
    std::shared_ptr<const std::vector<EntryReport>> entries = {};
  };
  /// Makes `cache_` have one entry for each of these routes, in the order of kind and name.
  void align(const std::deque<RouteState>& routes);
  static void judge(const Objects& objects, const RouteState& route, const Answers& answers,
                    const std::shared_ptr<const LeftOutEndpoints>& left_out, Cached& cached);

  std::vector<Cached> cache_;
};

}  // namespace fairway::gateway
