// SPDX-License-Identifier: Apache-2.0

#include "release/contents.h"

namespace fairway::release {

bool is_manifest_file(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

}  // namespace fairway::release
