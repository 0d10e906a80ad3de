// SPDX-License-Identifier: Apache-2.0

// Rules of RBAC, beside the attributes of a request.
#pragma once

#include "apiserver/internal/access/attributes.h"
#include "k8s/rbac_comparison.h"
#include "k8s/rbac_rule.h"

namespace fairway::apiserver::access {

using Rule = k8s::RbacRule;
using k8s::missing_rules;

/// Returns whether a rule allows what a request asks for.
inline bool allows(const Rule& rule, const Attributes& attributes) {
  if (!attributes.is_resource) return rule.allows_path(attributes.verb, attributes.path);
  return rule.allows_resource(attributes.verb, attributes.group, attributes.combined_resource(),
                              attributes.name);
}

}  // namespace fairway::apiserver::access
