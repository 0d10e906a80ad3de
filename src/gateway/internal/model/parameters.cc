// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/parameters.h"

namespace fairway::gateway {

void Parameters::inherit(const Parameters& of_class) {
  if (!service) service = of_class.service;
  if (!connections) connections = of_class.connections;
  if (names_access_log) return;
  names_access_log = of_class.names_access_log;
  access_log = of_class.access_log;
}

}  // namespace fairway::gateway
