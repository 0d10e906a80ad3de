// SPDX-License-Identifier: Apache-2.0

// The request parser: whole or in pieces, the same bytes give the same requests. The first byte chooses the
// pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/internal/server/request_parser.h"

namespace {

using fairway::http::RequestParser;

/// The parsed requests, as text; how far a broken request was read may depend on the pieces and is left out.
struct Outcome {
  std::string requests;
  bool failed = false;
};

Outcome parse(std::string_view bytes, std::size_t step) {
  Outcome outcome;
  RequestParser parser({.head_bytes = 512, .body_bytes = 256});
  // The head must stay where it is: the bytes lie still, and more of them are shown.
  std::size_t begin = 0;
  std::size_t end = std::min(step, bytes.size());
  while (true) {
    std::size_t consumed = 0;
    const auto progress = parser.feed(bytes.substr(begin, end - begin), consumed);
    if (consumed > end - begin) std::abort();
    begin += consumed;
    if (progress == RequestParser::Progress::failed) {
      if (parser.status() < 400 || parser.why().empty()) std::abort();
      outcome.failed = true;
      return outcome;
    }
    if (progress == RequestParser::Progress::complete) {
      const auto& head = parser.head();
      outcome.requests += std::string(head.method) + " " + std::string(head.path) + "?" +
                          std::string(head.query) + (head.keep_alive ? " keep" : " close");
      for (const auto& field : head.fields) {
        outcome.requests += "\n" + std::string(field.name) + ":" + std::string(field.value);
      }
      outcome.requests += "\n\n" + std::string(parser.body()) + "\n";
      if (parser.body().size() > 256) std::abort();
      parser.reset();
    }
    if (progress == RequestParser::Progress::head && begin < end) continue;
    if (progress == RequestParser::Progress::complete && begin < end) continue;
    if (end == bytes.size()) return outcome;
    end = std::min(end + step, bytes.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = parse(bytes, std::max<std::size_t>(bytes.size(), 1));
  const Outcome pieces = parse(bytes, static_cast<std::size_t>(data[0]) % 64 + 1);
  // A fault may be noticed later when the bytes come in pieces, but never as another request.
  if (!whole.failed && (pieces.failed || pieces.requests != whole.requests)) std::abort();
  if (whole.failed && !pieces.requests.starts_with(whole.requests)) std::abort();
  return 0;
}
