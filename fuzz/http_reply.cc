// SPDX-License-Identifier: Apache-2.0

// The reply parser: whole or in pieces, the same bytes give the same reply. The first byte chooses the
// pieces, and whether the request was HEAD.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/internal/client/reply_parser.h"

namespace {

using fairway::http::ReplyParser;

struct Outcome {
  std::string text;
  bool failed = false, complete = false, finished = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome parse(std::string_view bytes, std::size_t step, bool to_head) {
  Outcome outcome;
  ReplyParser parser(to_head);
  std::size_t begin = 0;
  std::size_t end = std::min(step, bytes.size());
  while (!outcome.complete) {
    std::size_t consumed = 0;
    const auto progress = parser.feed(bytes.substr(begin, end - begin), consumed);
    if (consumed > end - begin) std::abort();
    begin += consumed;
    if (!progress) {
      if (progress.error().message.empty()) std::abort();
      outcome.failed = true;
      return outcome;
    }
    if (*progress == ReplyParser::Progress::head) {
      outcome.text += std::to_string(parser.status());
      for (const auto& [name, value] : parser.headers()) outcome.text += "\n" + name + ":" + value;
      outcome.text += "\n\n";
      parser.set_sink([&outcome](std::string_view piece) -> fairway::Result<void> {
        outcome.text += piece;
        return {};
      });
      continue;
    }
    outcome.complete = *progress == ReplyParser::Progress::complete;
    if (outcome.complete || end == bytes.size()) break;
    end = std::min(end + step, bytes.size());
  }
  if (!outcome.complete) outcome.finished = parser.finish().has_value();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool to_head = (data[0] & 0x80U) != 0;
  const Outcome whole = parse(bytes, std::max<std::size_t>(bytes.size(), 1), to_head);
  const Outcome pieces = parse(bytes, static_cast<std::size_t>(data[0]) % 64 + 1, to_head);
  // A fault may be noticed sooner or later, but a reply that is whole one way is the same reply the other
  // way.
  const bool usable = whole.complete || whole.finished || pieces.complete || pieces.finished;
  if (usable && !(whole == pieces)) std::abort();
  return 0;
}
