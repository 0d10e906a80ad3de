// SPDX-License-Identifier: Apache-2.0

#include "base/random.h"

#include <memory>
#include <random>

namespace fairway {

Random system_random() {
  return [engine = std::make_shared<std::mt19937_64>(std::random_device{}())] {
    return std::uniform_real_distribution<double>(0, 1)(*engine);
  };
}

}  // namespace fairway
