// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/report.h"

namespace fairway::gateway {

namespace {

bool are_equal(const std::shared_ptr<const std::vector<EntryReport>>& a,
               const std::shared_ptr<const std::vector<EntryReport>>& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

bool Report::operator==(const Report& other) const {
  return object == other.object && own == other.own && listeners == other.listeners &&
         attached_sets == other.attached_sets && has_features == other.has_features &&
         addresses == other.addresses && are_equal(parents, other.parents) &&
         are_equal(ancestors, other.ancestors);
}

}  // namespace fairway::gateway
