// What the server sets in a CustomResourceDefinition before it is validated.
#pragma once

#include "base/json.h"

namespace fairway::apiserver::definitions {

/// Sets `names.singular`, `names.listKind`, `conversion` and the port of its Service where they are absent.
void fill_in_definition_defaults(json::Object& definition);

/// Of a new definition: a status of the server's own, with the storage version as the only stored one.
void prepare_definition_create(json::Object& definition);

/// Of an update by the main resource: the status stays, with a new storage version added to the stored ones.
void prepare_definition_update(json::Object& definition, const json::Object& old);

}  // namespace fairway::apiserver::definitions
