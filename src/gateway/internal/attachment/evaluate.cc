#include "gateway/internal/attachment/evaluate.h"

#include "gateway/internal/attachment/endpoints.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/policies.h"
#include "gateway/internal/attachment/routes.h"

namespace fairway::gateway {

namespace {

bool are_equal(const std::shared_ptr<const std::vector<EntryReport>>& a,
               const std::shared_ptr<const std::vector<EntryReport>>& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

bool Report::operator==(const Report& other) const {
  return object == other.object && own == other.own && listeners == other.listeners &&
         attached_sets == other.attached_sets && has_features == other.has_features &&
         addresses == other.addresses && are_equal(parents, other.parents) &&
         are_equal(ancestors, other.ancestors);
}

std::vector<Report> evaluate(const Objects& objects, const Surroundings& surroundings) {
  GatewayStates gateways = read_gateways(objects, surroundings);
  KnownRoutes known;
  auto routes = attach_routes(objects, gateways, known);
  note_left_out(objects, KnownEndpoints().left_out(objects, gateways.endpoints), routes);
  std::vector<Report> reports;
  report_gateways(gateways, reports);
  report_routes(objects, routes, known, reports);
  report_policies(objects, routes, reports);
  return reports;
}

}  // namespace fairway::gateway
