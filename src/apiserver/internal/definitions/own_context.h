// SPDX-License-Identifier: Apache-2.0

// The user and field manager of the server's own writes to definitions.
#pragma once

#include <string>

#include "apiserver/internal/objects/objects.h"

namespace fairway::apiserver::definitions {

inline objects::WriteContext own_context() {
  return {.user = {.name = "system:apiserver", .groups = {std::string(access::masters_group)}},
          .field_manager = "kube-apiserver"};
}

}  // namespace fairway::apiserver::definitions
