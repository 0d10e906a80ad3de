// SPDX-License-Identifier: Apache-2.0

// Lists of the status, which take no more than so many bytes: what they show comes from objects that others
// write.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "base/json.h"

namespace fairway::operators {

/// Largest sizes of what the status shows, in bytes: of a name, version or image, and of a message.
inline constexpr std::size_t max_name = 512, max_message = 2'048;

/// Returns a list of `to_json(item)` for each item, up to the first with which its text would be longer than
/// `bytes`. That one and those behind it are added to `left_out`.
template <class Items, class ToJson>
json::Array bounded_list(const Items& items, ToJson to_json, std::size_t bytes, std::size_t& left_out) {
  json::Array list;
  for (const auto& item : items) {
    json::Value one(to_json(item));
    const std::size_t size = json::to_text(one).size() + 1;
    if (size > bytes) break;
    bytes -= size;
    list.push_back(std::move(one));
  }
  left_out += static_cast<std::size_t>(std::size(items)) - list.size();
  return list;
}

}  // namespace fairway::operators
