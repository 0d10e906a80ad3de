// SPDX-License-Identifier: Apache-2.0

// Objects of Gateway API to statuses: nothing crashes, each condition is a line of the table (any other
// throws), and the same objects give the same statuses.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gateway/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto checked = fairway::gateway::check({{"input", text}}, fairway::WallTime{});
  if (!checked) return 0;
  const auto again = fairway::gateway::check({{"input", text}}, fairway::WallTime{});
  if (!again || fairway::json::to_text(again->list) != fairway::json::to_text(checked->list)) std::abort();
  fairway::gateway::condition_rows(checked->list);
  return 0;
}
