// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/message_type.h"

#include <algorithm>

namespace fairway::apiserver::kinds {

const Field* MessageType::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(by_name_, name, {}, &Field::name);
  return found != by_name_.end() && (*found)->name == name ? *found : nullptr;
}

const Field* MessageType::find(std::uint32_t number) const {
  const auto found = std::ranges::lower_bound(by_number_, number, {}, &Field::number);
  return found != by_number_.end() && (*found)->number == number ? *found : nullptr;
}

}  // namespace fairway::apiserver::kinds
