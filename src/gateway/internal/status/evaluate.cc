// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/evaluate.h"

#include "gateway/internal/attachment/endpoints.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/routes.h"
#include "gateway/internal/status/gateway_reports.h"
#include "gateway/internal/status/policy_reports.h"
#include "gateway/internal/status/route_reports.h"

namespace fairway::gateway {

std::vector<Report> evaluate(const Objects& objects, const PassContext& context) {
  GatewayStates gateways = read_gateways(objects, context);
  RouteFactsCache facts;
  const auto routes = attach_routes(objects, gateways, facts);
  const Answers all_acknowledged;
  std::vector<Report> reports;
  report_gateways(gateways, all_acknowledged, reports);
  RouteReportCache().report(objects, routes, all_acknowledged,
                            EndpointCache().left_out(objects, gateways.endpoints), reports);
  report_policies(objects, routes, reports);
  return reports;
}

}  // namespace fairway::gateway
