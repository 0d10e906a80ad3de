// SPDX-License-Identifier: Apache-2.0

// Controllers that run in the server itself. Beside a real API server they are other programs.
#pragma once

#include <stop_token>
#include <string>

#include "apiserver/internal/controllers/change_feed.h"
#include "apiserver/internal/controllers/flow_schema_status.h"
#include "apiserver/internal/controllers/garbage_collector.h"
#include "apiserver/internal/controllers/namespace_controller.h"
#include "apiserver/internal/controllers/quota_status.h"
#include "apiserver/internal/controllers/role_aggregation.h"
#include "apiserver/internal/controllers/token_secrets.h"

namespace fairway::apiserver::controllers {

/// Controllers that run; the others are left to a kube-controller-manager.
struct ControllerOptions {
  bool garbage_collector = true, namespaces = true, namespace_defaults = true, role_aggregation = true,
       token_secrets = true, quota_status = true;
};

class Controllers {
 public:
  /// Starts the controllers. `authority` (PEM) is published in each namespace. `tokens` null: Secrets are
  /// given none. All must outlive this.
  Controllers(objects::Objects& objects, ControllerOptions options, const std::string& authority,
              const access::Tokens* tokens = nullptr);

 private:
  void observe(const Observed& observed);
  void resync(const std::string& resource);
  WorkLeft work(const std::stop_token& stop);

  ControllerOptions options_;
  GarbageCollector collector_;
  NamespaceController namespaces_;
  NamespaceDefaults defaults_;
  RoleAggregation roles_;
  TokenSecrets secrets_;
  QuotaStatus quotas_;
  /// Part of kube-apiserver, and so never left to others.
  FlowSchemaStatus flow_schemas_;
  /// The feed of changes. It is the last member, as its thread uses the others.
  ChangeFeed feed_;
};

}  // namespace fairway::apiserver::controllers
