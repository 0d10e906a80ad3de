// SPDX-License-Identifier: Apache-2.0

// The health of this process, as its service manager is told.
#pragma once

#include <string>

#include "base/result.h"
#include "command_line/service_notifier.h"
#include "kube/controller/manager.h"

namespace fairway::command_line {

/// Returns the health that the server at `url` ("http://127.0.0.1:9080") answers under /readyz and /livez. An
/// answer shows that the server takes connections and that its threads answer, which a call of its functions
/// would not. A server that is busy (429) is alive. `authority`: the CA (PEM) of an https URL, whose
/// certificate is for localhost. Errors: the URL or the CA cannot be read.
Result<ServiceHealth> health_at(const std::string& url, const std::string& authority = {});

/// Returns the health of a manager, which outlives it: by its status port, or without one by its checks.
Result<ServiceHealth> health_of(const kube::Manager& manager);

}  // namespace fairway::command_line
