// SPDX-License-Identifier: Apache-2.0

// The whole of the HTTP API: from a request to a response.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "apiserver/internal/audit/audit_log.h"
#include "apiserver/internal/discovery/discovery_documents.h"
#include "apiserver/internal/openapi/documents.h"
#include "apiserver/internal/rest/call.h"
#include "apiserver/internal/rest/extensions.h"
#include "apiserver/internal/rest/request_metrics.h"
#include "apiserver/internal/rest/test_faults.h"
#include "http/flow.h"
#include "http/message.h"

namespace fairway::apiserver::rest {

/// Authenticates and authorizes a request, and passes it to its verb. Safe from all threads.
class Api {
 public:
  /// Makes the API. `objects` and `watches` must outlive it.
  Api(objects::Objects& objects, watch::WatchHub& watches, Extensions extensions);

  http::Response handle(const http::Request& request);
  /// Sets the source of the counts of the server's levels, for metrics. Requests may already be served.
  void set_flows(std::function<std::vector<http::FlowCounts>()> flows);
  /// Returns the reply to a request that the HTTP server itself refuses.
  static http::Response refuse(int status, std::string_view why);

 private:
  /// Answers a request. Facts about it are recorded in `event`.
  k8s::StatusResult<http::Response> answer(const http::Request& request, audit::AuditEvent& event);
  /// Returns the user who sends a request, or whom they impersonate.
  k8s::StatusResult<access::User> user_of(const http::Request& request, audit::AuditEvent& event) const;
  k8s::StatusResult<http::Response> answer_resource(const http::Request& request, const access::User& user,
                                                    const access::RequestInfo& info,
                                                    audit::AuditEvent& event);
  k8s::StatusResult<http::Response> answer_discovery(const http::Request& request, const k8s::ApiPath& path);
  k8s::StatusResult<http::Response> answer_other(const http::Request& request);
  /// Answers a request that only tests send; none where these are not served.
  std::optional<k8s::StatusResult<http::Response>> answer_for_tests(const http::Request& request);
  std::optional<http::Response> answer_open(const http::Request& request);
  k8s::StatusResult<void> authorize(const access::User& user, audit::AuditEvent& event) const;
  http::Response answer_metrics();

  objects::Objects& objects_;
  Extensions extensions_;
  Services services_;
  discovery::DiscoveryDocuments discovery_;
  openapi::Documents open_api_;
  RequestMetrics metrics_;
  std::unique_ptr<TestFaults> faults_;  ///< null: none
  std::mutex mutex_;
  std::function<std::vector<http::FlowCounts>()> flows_;  ///< guarded by `mutex_`
};

}  // namespace fairway::apiserver::rest
