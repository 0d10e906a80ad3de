// SPDX-License-Identifier: Apache-2.0

// Rights as expressions ask for them: the variable `authorizer`.
#pragma once

#include <string>
#include <string_view>

#include "cel/values/scratch.h"
#include "cel/values/value.h"

namespace fairway::cel {

/// Answers the checks of expressions.
class Authorizer {
 public:
  /// A check. Its texts are valid during the call only.
  struct Question {
    /// ServiceAccount to check; without a name it is the user of the request.
    std::string_view account_namespace = {}, account_name = {};
    std::string_view verb = {};
    /// Path, set for paths that are not resources.
    std::string_view path = {};
    std::string_view group = {}, resource = {}, subresource = {}, namespace_name = {}, name = {};
  };
  struct Answer {
    bool allowed = false;
    std::string reason = {};
  };

  virtual ~Authorizer() = default;
  virtual Answer decide(const Question& question) const = 0;
};

/// A resource, and maybe one object of it.
struct AuthorizedResource {
  std::string_view group = {}, resource = {}, subresource = {}, namespace_name = {}, name = {};
};

/// Returns `authorizer`, and a check of a resource (`authorizer.requestResource`). Both refer to the
/// authorizer and to the texts; they are errors if there is no room.
/// Rules: k8s.io/apiserver/pkg/cel/library/authz.go.
Value authorizer_value(const Authorizer& authorizer, Scratch& scratch);
Value resource_check_value(const Authorizer& authorizer, const AuthorizedResource& resource,
                           Scratch& scratch);
/// Returns the types of the two.
const TypePtr& authorizer_type();
const TypePtr& resource_check_type();

}  // namespace fairway::cel
