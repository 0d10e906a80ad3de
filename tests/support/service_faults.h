// SPDX-License-Identifier: Apache-2.0

// The faults that services may show that are asked over HTTP.
#pragma once

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "support/fake_service.h"

namespace fairway::testing {

/// Fault of a service: its answer, and the code of the client's error for it.
struct ServiceFault {
  const char* name;
  FakeService::Answer answer;
  ErrorCode code;
};

/// Faults of every service, one of which cuts the connection after `beginning`; and then the service's own.
inline std::vector<ServiceFault> service_faults(std::string beginning, std::vector<ServiceFault> own) {
  using http::Request;
  using http::Response;
  std::vector<ServiceFault> faults = {
      {"Status500", [](const Request&) { return Response::text(500, "oops"); }, ErrorCode::unavailable},
      {"Status404", [](const Request&) { return Response::text(404, "where"); }, ErrorCode::not_found},
      {"Status401", [](const Request&) { return Response::text(401, "who"); }, ErrorCode::unauthenticated},
      {"CutOff", [beginning = std::move(beginning)](const Request&) { return cut_off(beginning); },
       ErrorCode::unavailable},
      {"TooSlow", never, ErrorCode::deadline_exceeded},
      {"EndlessRedirect",
       [](const Request& request) {
         return with_headers(Response::text(302, ""), {{"Location", std::string(request.target)}});
       },
       ErrorCode::unavailable}};
  faults.insert(faults.end(), std::move_iterator(own.begin()), std::move_iterator(own.end()));
  return faults;
}

/// Faults of every service that is asked for a graph, and then its own. Such an answer may be compressed.
inline std::vector<ServiceFault> graph_service_faults(std::vector<ServiceFault> own) {
  using http::Request;
  using http::Response;
  std::vector<ServiceFault> faults = {
      {"BrokenGzip",
       [](const Request&) {
         return with_headers(Response::json(200, "no gzip"), {{"Content-Encoding", "gzip"}});
       },
       ErrorCode::invalid},
      {"UnknownEncoding",
       [](const Request&) { return with_headers(Response::json(200, "?"), {{"Content-Encoding", "br"}}); },
       ErrorCode::unsupported}};
  faults.insert(faults.end(), std::move_iterator(own.begin()), std::move_iterator(own.end()));
  return service_faults("{\"nodes\":[", std::move(faults));
}

}  // namespace fairway::testing
