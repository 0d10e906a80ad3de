// Which names a CustomResourceDefinition gets, and its conditions.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace fairway::apiserver::definitions {

/// Updates `status.acceptedNames` and the conditions NamesAccepted and Established of a definition. `others`
/// are all other definitions of its group, with the names that they have been given. A name that another one
/// has is not given, and says so in NamesAccepted; the name given before stays. A definition that was
/// established stays so, and a new one is established once all names are its own, if the CA bundle of its
/// conversion webhook can be read. Conditions that stay as
/// they are keep their time. True if the status has changed.
/// Rules: k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go, and
/// pkg/controller/establish/establishing_controller.go.
bool accept_names(json::Object& definition, const std::vector<const json::Object*>& others, WallTime now);

}  // namespace fairway::apiserver::definitions
