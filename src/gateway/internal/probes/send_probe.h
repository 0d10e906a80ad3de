// SPDX-License-Identifier: Apache-2.0

// Sends one probe.
#pragma once

#include "base/limits.h"
#include "base/result.h"
#include "gateway/internal/model/probe.h"

namespace fairway::gateway {

/// Sends a probe, and waits for its answer within the limits, which are of the machine's clock. Errors:
/// `unavailable` where nothing or another configuration answers, `deadline_exceeded`, `cancelled`.
Result<void> send_probe(const Probe& probe, const Limits& limits);

}  // namespace fairway::gateway
