// SPDX-License-Identifier: Apache-2.0

// Checks that a body is of the kind that its request takes, and holds no Secret.
#pragma once

#include <string>

#include "apiserver/internal/audit/sent_body.h"
#include "apiserver/internal/resources/served_resource.h"
#include "base/json.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::audit {

/// The kind that a request takes.
struct ExpectedKind {
  const resources::ServedResource& resource;
  /// The kind of the resource or of the subresource, or DeleteOptions.
  k8s::GroupVersionKind kind;
  /// True if bodies may leave kind and version out.
  bool is_optional = false;

  /// The kind as text: "ConfigMap of v1".
  std::string to_string() const { return kind.kind + " of " + kind.api_version(); }
};

/// Returns the reason why it is not certain that a body is of the expected kind and holds no Secret; empty if
/// it is certain. Quotes nothing of the body.
std::string why_uncertain(const SentBody& body, const ExpectedKind& expected);

}  // namespace fairway::apiserver::audit
