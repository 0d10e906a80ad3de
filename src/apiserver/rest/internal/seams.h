// Where parts of the server attach that are not about REST itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "apiserver/access/internal/policy.h"
#include "apiserver/access/internal/user.h"
#include "apiserver/objects/internal/objects.h"
#include "apiserver/resources/internal/served_resource.h"
#include "http/message.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver {

/// Empty functions: the server does without.
struct Seams {
  /// The user of a request; an error (401) for credentials that are wrong, and for none. Default: the client
  /// certificate.
  std::function<k8s::StatusResult<access::User>(const http::Request& request)> authenticate;
  /// Whether a request is allowed; the reason of a refusal may be empty. Default: members of system:masters
  /// may do everything, others nothing.
  std::function<access::Decision(const access::User& user, const access::Attributes& attributes)> authorize;
  /// Server-side apply: the live object (null: there is none) with the document applied. Default: 415.
  std::function<k8s::StatusResult<k8s::Dynamic>(const ServedResource& resource, Part part,
                                                const k8s::Dynamic* live, const k8s::Dynamic& document,
                                                const k8s::ApplyOptions& options)>
      apply;
};

}  // namespace fairway::apiserver
