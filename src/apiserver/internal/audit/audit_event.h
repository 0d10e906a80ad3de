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

namespace fairway::apiserver {

/// A request and its answer.
struct AuditEvent {
  const http::Request& request;
  WallTime received{}, completed{};
  std::string id;
  /// Without a name: nobody was authenticated.
  access::User user;
  std::optional<access::User> impersonated;
  /// The verb of the constrained impersonation that was allowed; else empty.
  std::string constraint;
  /// Without a verb: the path could not be read.
  access::Attributes attributes;
  /// The resource that the path names; null: there is none, or the request did not get that far.
  ServedResourcePtr resource = {};
  /// None: the request did not get that far.
  std::optional<access::Decision> decision;
  /// Of admission; the first one of a key counts.
  std::vector<std::pair<std::string, std::string>> annotations = {};
  int code = 0;
  /// The answer goes on: a watch.
  bool is_stream = false;
  /// Of an error; else null.
  const k8s::Status* failure = nullptr;
};

/// An Event of audit.k8s.io/v1: one line of JSON, without the line break. At the level of requests it has the
/// body where it is certain what that is (`logged_body`); else, and of parts that were taken out, an
/// annotation says what is left out and why. What is wrong with a request is not quoted where that may quote
/// what is left out.
std::string to_line(const AuditEvent& event, AuditLevel level);

}  // namespace fairway::apiserver
