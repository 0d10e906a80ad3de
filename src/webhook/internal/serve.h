// SPDX-License-Identifier: Apache-2.0

// The HTTP server of handlers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "webhook/handler.h"

namespace fairway::webhook {

/// Serves handlers as `listen` does, also those that need a guard: the caller has checked that it registers
/// it (`check_guards`).
Result<std::unique_ptr<http::Server>> serve_guarded(const http::ServerOptions& options,
                                                    const std::vector<Handler>& handlers, http::Router router,
                                                    std::function<std::optional<std::string>()> not_ready);

}  // namespace fairway::webhook
