// SPDX-License-Identifier: Apache-2.0

#include "operators/definitions.h"

#include "channels.yaml.h"
#include "clusteroperators.yaml.h"
#include "clusterversions.yaml.h"
#include "conversion-crd.yaml.h"

namespace fairway::operators {

std::string definitions() {
  return std::string(clusterversions_yaml) + "---\n" + channels_yaml + "---\n" + clusteroperators_yaml +
         "---\n" + conversions_yaml;
}

}  // namespace fairway::operators
