// SPDX-License-Identifier: Apache-2.0

#include "k8s/members.h"

#include <algorithm>

namespace fairway::k8s {

void erase_members(json::Object& object, const std::function<bool(std::string_view)>& is_gone) {
  const auto gone = [&](const auto& member) { return is_gone(member.key()); };
  if (std::ranges::none_of(object, gone)) return;
  json::Object kept(object.storage());
  kept.reserve(object.size());
  for (auto& member : object) {
    if (!is_gone(member.key())) kept.emplace(member.key(), std::move(member.value()));
  }
  object = std::move(kept);
}

}  // namespace fairway::k8s
