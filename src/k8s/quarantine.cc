// SPDX-License-Identifier: Apache-2.0

#include "k8s/quarantine.h"

namespace fairway::k8s {

bool is_quarantined(const View& object) {
  return object.map("metadata.annotations").contains(quarantined_annotation);
}

}  // namespace fairway::k8s
