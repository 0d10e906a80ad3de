// SPDX-License-Identifier: Apache-2.0

// One replica of a conversion webhook, as a process of its own that can be killed.
#pragma once

#include <string>
#include <vector>

namespace fairway::conformance {

/// A `WebhookHost` of the Gizmos behind a service, until SIGTERM: then it drains, and ends with 0. It prints
/// "serves PORT" on standard output when it serves, and "drained REQUESTS" at its end, with the number of its
/// requests.
///
/// `arguments`: kubeconfig, namespace of the Secret, address of the service.
int run_webhook_replica(const std::vector<std::string>& arguments);

}  // namespace fairway::conformance
