// SPDX-License-Identifier: Apache-2.0

// Frames of a client of a WebSocket: whole or in pieces, the same bytes give the same answers, which are no
// longer than what they answer. The first byte chooses the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/internal/server/socket_frames.h"

namespace {

using fairway::http::ClientFrames;

struct Outcome {
  std::string answers;
  bool goes_on = true;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome read(std::string_view bytes, std::size_t step) {
  ClientFrames frames;
  Outcome outcome;
  for (std::size_t at = 0; outcome.goes_on && at < bytes.size(); at += step)
    outcome.goes_on = frames.feed(bytes.substr(at, step), outcome.answers);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
  if (!(whole == read(bytes, data[0] % 16 + 1))) std::abort();
  if (whole.answers.size() > bytes.size()) std::abort();
  return 0;
}
