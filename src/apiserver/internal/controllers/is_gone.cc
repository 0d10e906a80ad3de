// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/is_gone.h"

namespace fairway::apiserver::controllers {

bool is_gone(const k8s::Status& status) {
  return status.is_failure(k8s::reason::not_found) || status.is_failure(k8s::reason::conflict);
}

}  // namespace fairway::apiserver::controllers
