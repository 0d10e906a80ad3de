// SPDX-License-Identifier: Apache-2.0

// One entry of the audit log.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/audit_level.h"
#include "apiserver/internal/access/attributes.h"
#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/access/user.h"
#include "apiserver/internal/resources/served_resource.h"
#include "base/clock.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::audit {

/// A request and its answer.
struct AuditEvent {
  const http::Request& request;
  WallTime received{}, completed{};
  std::string id;
  /// User of the request; without a name: nobody was authenticated.
  access::User user;
  std::optional<access::User> impersonated;
  /// Verb of the constrained impersonation that was allowed; else empty.
  std::string constraint;
  /// Attributes of the request; without a verb: the path could not be read.
  access::Attributes attributes;
  /// The resource that the path names; null: there is none, or the request did not get that far.
  resources::ServedResourcePtr resource = {};
  /// Decision of the authorization; none: the request did not get that far.
  std::optional<access::Decision> decision;
  /// Annotations of the admission; the first one of a key counts.
  std::vector<std::pair<std::string, std::string>> annotations = {};
  int code = 0;
  /// True if the reply goes on: a watch.
  bool is_stream = false;
  /// Status of an error reply; else null.
  const k8s::Status* failure = nullptr;
};

/// Returns an Event of audit.k8s.io/v1 as one line of JSON, without the line break. At the level of requests
/// it has the body where its kind is certain (`logged_body`); otherwise, and for parts that were taken out,
/// an annotation says what is left out and why. The error of a request is not quoted where it may quote
/// something that is left out.
std::string to_line(const AuditEvent& event, AuditLevel level);

}  // namespace fairway::apiserver::audit
