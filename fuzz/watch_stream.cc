// SPDX-License-Identifier: Apache-2.0

// The readers of watches and lists: whole or in pieces, the same bytes give the same objects. The first byte
// chooses the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json_compact.h"
#include "k8s/wire/list.h"
#include "kube/client/watch.h"

namespace {

using namespace fairway;

constexpr std::size_t most_bytes = 4096;

struct Outcome {
  std::string events;
  bool failed = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome watch(std::string_view bytes, std::size_t step) {
  Outcome outcome;
  kube::WatchReader reader(
      [&](const kube::WatchEvent& event) -> Result<void> {
        outcome.events += std::string(k8s::to_string(event.type)) + " " + event.object.to_text() + "\n";
        // What is stored is the same document.
        if (json::to_text(json::compact(event.object.json())) != event.object.to_text()) std::abort();
        return {};
      },
      most_bytes);
  kube::ApiResult<void> result;
  for (std::size_t at = 0; result && at < bytes.size(); at += step)
    result = reader.feed(bytes.substr(at, step));
  if (result) result = reader.finish();
  outcome.failed = !result;
  if (!result && result.error().message.empty()) std::abort();
  return outcome;
}

Outcome list(std::string_view bytes, std::size_t step) {
  Outcome outcome;
  k8s::ListReader reader([&](const k8s::Dynamic& object) -> Result<void> {
    outcome.events += object.to_text() + "\n";
    return {};
  });
  Result<void> result;
  for (std::size_t at = 0; result && at < bytes.size(); at += step)
    result = reader.feed(bytes.substr(at, step));
  outcome.failed = !result || !reader.finish();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t whole = std::max<std::size_t>(bytes.size(), 1), step = data[0] % 64 + 1;
  if (!(watch(bytes, whole) == watch(bytes, step))) std::abort();
  if (!(list(bytes, whole) == list(bytes, step))) std::abort();
  return 0;
}
