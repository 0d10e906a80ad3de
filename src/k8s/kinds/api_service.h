// SPDX-License-Identifier: Apache-2.0

// APIServices: API groups that another server serves.
#pragma once

#include <string_view>

#include "k8s/internal/kinds/openapi_apiregistration.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

class APIService : public Checked<Dynamic, openapi::api_service> {
 public:
  static constexpr Resource resource{"apiregistration.k8s.io", "v1", "APIService", "apiservices",
                                     Scope::cluster};
  using Checked::Checked;

  std::string_view group() const { return text("spec.group"); }
  std::string_view version() const { return text("spec.version"); }
  /// The Service of the other server; empty if kube-apiserver serves the group itself.
  std::string_view service_name() const { return text("spec.service.name"); }
  std::string_view service_namespace() const { return text("spec.service.namespace"); }
  bool is_available() const { return condition_is_true("Available"); }
};

}  // namespace fairway::k8s
