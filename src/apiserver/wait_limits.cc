// SPDX-License-Identifier: Apache-2.0

#include "apiserver/wait_limits.h"

#include <algorithm>

namespace fairway::apiserver {

WaitLimits WaitLimits::of(int total) {
  const int all = std::max(total, 1), quarter = std::max(all / 4, 1), half = std::max(all / 2, 1);
  return {.total = all,
          .reserve = std::min(quarter, all - 1),
          .per_user = quarter,
          .per_namespace = half,
          .per_party = half};
}

}  // namespace fairway::apiserver
