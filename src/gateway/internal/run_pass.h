// SPDX-License-Identifier: Apache-2.0

// Passes, with the Envoys that they are about.
#pragma once

#include <memory>

#include "gateway/internal/model/probe.h"
#include "gateway/internal/pass.h"
#include "gateway/internal/status/envoys.h"

namespace fairway::gateway {

/// The state that passes leave to the next one.
struct Memory {
  Previous previous = {};
  PassCache cache = {};
};

/// Makes Envoys serve the configuration of the objects, and reports. Without `probes` nothing is known to be
/// Ready.
std::unique_ptr<Pass> run_pass(PassInput input, Memory& memory, Envoys& envoys, Probes* probes = nullptr);

/// Reports on the objects of the last pass again, after new answers of Envoys or probes alone. nullptr: a
/// status says Ready=True, or Envoys ask for routes that they have not been given, and a whole pass is due.
std::unique_ptr<Pass> run_pass_again(const Pass& last, Memory& memory, const Envoys& envoys,
                                     Probes* probes = nullptr);

}  // namespace fairway::gateway
