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

/// The reports on routes, from pass to pass: most say the same.
class RouteReportCache {
 public:
  /// Adds the reports on all routes, also on those that are attached to nothing any more. `routes` are those
  /// of `objects` that are attached, in their order.
  void report(const Objects& objects, const std::deque<RouteState>& routes, const Answers& answers,
              const std::shared_ptr<const LeftOutEndpoints>& left_out, std::vector<Report>& reports);

 private:
  /// The entries of a route, and all that they were made of.
  struct Known {
    RouteKind kind = RouteKind::http;
    /// Held, so that no other object is at its address.
    std::shared_ptr<const k8s::Dynamic> route = {};
    std::shared_ptr<const RouteFacts> facts = {};
    std::uint64_t revision = 0;
    std::shared_ptr<const LeftOutEndpoints> left_out_by = {};
    std::string left_out = {};
    bool is_refused = false;
    /// All that entries say of its parents: entries of the same words are the same.
    std::string words = {};
    std::shared_ptr<const std::vector<EntryReport>> entries = {};
  };
  /// Makes `known_` have one for each of these routes, by kind and name.
  void align(const std::deque<RouteState>& routes);
  static void judge(const Objects& objects, const RouteState& route, const Answers& answers,
                    const std::shared_ptr<const LeftOutEndpoints>& left_out, Known& known);

  std::vector<Known> known_;
};

}  // namespace fairway::gateway
