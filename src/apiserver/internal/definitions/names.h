// SPDX-License-Identifier: Apache-2.0

// The accepted names of a CustomResourceDefinition, and its conditions.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace fairway::apiserver::definitions {

/// Updates `status.acceptedNames` and the conditions NamesAccepted and Established of a definition. `others`
/// are all other definitions of its group, with their accepted names. A name that another definition has is
/// not accepted, which NamesAccepted says; the name accepted before stays. An established definition stays
/// so. A new one is established once all its names are accepted, if the CA bundle of its conversion webhook
/// can be read. Conditions that do not change keep their time. Returns whether the status has changed.
/// Rules: k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go, and
/// pkg/controller/establish/establishing_controller.go.
bool accept_names(json::Object& definition, const std::vector<const json::Object*>& others, WallTime now);

}  // namespace fairway::apiserver::definitions
