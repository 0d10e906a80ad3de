// SPDX-License-Identifier: Apache-2.0

// The objects that a pass has left out, kept in the status of their definition for the next run.
#pragma once

#include "base/clock.h"
#include "conversion/migration/migration.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::conversion {

/// The condition of a definition that has them.
inline constexpr const char* left_out_condition = "conversion.fairway.dev/ObjectsLeftOut";

/// Takes over what an earlier pass over all objects has left out, if it was of the same generation of the
/// definition, and with it the same storage version: then all other objects are stored in that version.
void read_left_out_record(const k8s::CustomResourceDefinition& definition, KindProgress& progress);
/// Sets the condition, or removes it if nothing was left out. Returns whether that changes the definition.
/// Nothing is kept if `progress` does not name all that is left, or if the names are too long together.
bool write_left_out_record(k8s::CustomResourceDefinition& definition, const KindProgress& progress,
                           WallTime now);

}  // namespace fairway::conversion
