// SPDX-License-Identifier: Apache-2.0

#include "k8s/kinds/node.h"

namespace fairway::k8s {

std::string_view Node::address(std::string_view type) const {
  for (const NodeAddress& one : addresses()) {
    if (one.type() == type) return one.address();
  }
  return {};
}

}  // namespace fairway::k8s
