// Passes, with the Envoys that they are about.
#pragma once

#include <memory>

#include "gateway/internal/model/probe.h"
#include "gateway/internal/pass.h"
#include "gateway/internal/status/envoys.h"

namespace fairway::gateway {

/// All that passes leave to the next.
struct Memory {
  Previous previous = {};
  PassCache cache = {};
};

/// Makes Envoys serve what the objects ask for, and reports. Without `probes` nothing is known to be ready.
std::unique_ptr<Pass> run_pass(PassInput input, Memory& memory, Envoys& envoys, Probes* probes = nullptr);

/// Reports over the objects of the last pass, where only Envoys or probes can have said more. nullptr: Ready
/// is said of something, or Envoys ask for routes that they have not been given, and the whole pass is due.
std::unique_ptr<Pass> run_pass_again(const Pass& last, Memory& memory, const Envoys& envoys,
                                     Probes* probes = nullptr);

}  // namespace fairway::gateway
