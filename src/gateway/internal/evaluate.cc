#include "gateway/internal/evaluate.h"

#include "gateway/internal/gateways.h"
#include "gateway/internal/policies.h"
#include "gateway/internal/routes.h"

namespace fairway::gateway {

std::vector<Report> evaluate(const Objects& objects, const Surroundings& surroundings) {
  GatewayStates gateways = read_gateways(objects, surroundings);
  const auto routes = attach_routes(objects, gateways);
  std::vector<Report> reports;
  report_gateways(gateways, reports);
  report_routes(objects, routes, reports);
  report_policies(objects, routes, reports);
  return reports;
}

}  // namespace fairway::gateway
