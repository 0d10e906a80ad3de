// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/answer.h"

#include <exception>

#include "base/log.h"
#include "base/text.h"
#include "http/internal/server/worker.h"

namespace fairway::http {
namespace {

template <class Function, class... Arguments>
Response run(const RouteTable& routes, const Function& function, const Arguments&... arguments) {
  try {
    return function(arguments...);
  } catch (const std::exception& fault) {
    log::error("a request handler threw", {{"what", fault.what()}});
  } catch (...) {
    log::error("a request handler threw something that is no exception");
  }
  try {
    return routes.refusal(500, "Internal server error.");
  } catch (...) {
    return Response::text(500, "Internal server error.\n");
  }
}

Answer refused(const RouteTable& routes, int status, std::string_view why, std::string_view field = {},
               std::string value = {}) {
  return {.response = make_refusal(routes, status, why, field, std::move(value)), .refused = true};
}

}  // namespace

Response run_handler(const RouteTable& routes, const Handler& handler, const Request& request) {
  return run(routes, handler, request);
}

Response make_refusal(const RouteTable& routes, int status, std::string_view why, std::string_view field,
                      std::string value) {
  Response response = run(routes, routes.refusal, status, why);
  if (!field.empty()) response.headers.add(std::string(field), std::move(value));
  return response;
}

Answer answer_to(const ServerState& state, const Request& request, const AddressKey& address, SteadyTime now,
                 bool body_refused) {
  const RouteTable& routes = *state.routes;
  if (state.rate_limit && !state.rate_limit->admit(address, now)) {
    return refused(routes, 429, "Too many requests come from this address.", "Retry-After", "1");
  }
  const RouteTable::Entry* entry = routes.find(request.path);
  if (entry == nullptr) {
    if (request.path == "*")
      return {.response = run(routes, routes.options, request, std::string_view("GET, HEAD, OPTIONS"))};
    return {.response = run(routes, routes.fallback, request)};
  }
  if (const RouteTable::Route* route = RouteTable::find(*entry, request.method)) {
    if (body_refused) {
      return refused(routes, 413,
                     "This path takes no body with the method " + std::string(request.method) + ".");
    }
    if (route->blocking) return {.blocking = route};
    return {.response = run(routes, route->handler, request)};
  }
  if (request.method == "OPTIONS")
    return {.response = run(routes, routes.options, request, std::string_view(entry->allow))};
  return refused(routes, 405, "This path does not allow the method " + printable(request.method, 32) + ".",
                 "Allow", entry->allow);
}

Flow flow_of(const RouteTable& routes, const Request& request) {
  if (!routes.flow_of) return {};
  try {
    return routes.flow_of(request);
  } catch (const std::exception& fault) {
    log::error("the choice of a request's flow threw", {{"what", fault.what()}});
  }
  return {.level = SIZE_MAX, .key = {}, .context = nullptr};
}

bool is_ours(std::string_view name) {
  switch (name.size()) {
    case 4:
      return equals_ignoring_case(name, "Date");
    case 10:
      return equals_ignoring_case(name, "Connection");
    case 14:
      return equals_ignoring_case(name, "Content-Length");
    case 17:
      return equals_ignoring_case(name, "Transfer-Encoding");
    default:
      return false;
  }
}

}  // namespace fairway::http
