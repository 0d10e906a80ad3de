// SPDX-License-Identifier: Apache-2.0

// An operator at work.
#pragma once

#include "program/internal/options.h"
#include "program/operator.h"

namespace fairway::program {

/// Runs the parts that the operator has until SIGTERM or SIGINT; returns the exit code.
int operate(const Operator& parts, const Options& options);

}  // namespace fairway::program
