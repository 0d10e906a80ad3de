// SPDX-License-Identifier: Apache-2.0

// Defaults and status of a CustomResourceDefinition, set before it is validated.
#pragma once

#include "base/json.h"

namespace fairway::apiserver::definitions {

/// Sets `names.singular`, `names.listKind`, `conversion` and the port of its Service where they are absent.
void fill_in_definition_defaults(json::Object& definition);

/// Gives a new definition the server's own status, with the storage version as the only stored one.
void prepare_definition_create(json::Object& definition);

/// Keeps the status in an update by the main resource, and adds a new storage version to the stored ones.
void prepare_definition_update(json::Object& definition, const json::Object& old);

}  // namespace fairway::apiserver::definitions
