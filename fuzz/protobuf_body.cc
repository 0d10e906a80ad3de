// SPDX-License-Identifier: Apache-2.0

// Whatever the body of a request: no crash, nothing that grows without bounds, and what was read can be
// written as JSON, and as protobuf that is read as the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apiserver/internal/protobuf/answer.h"
#include "apiserver/internal/protobuf/request_body.h"
#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  if (size > 65'536) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (const std::string& body : {std::string(input), std::string("k8s\0", 4) + std::string(input)}) {
    const auto read = apiserver::protobuf::read_protobuf(body, k8s::GroupVersionKind{"", "v1", "Pod"});
    if (!read) {
      if (read.error().message.empty()) std::abort();
      continue;
    }
    const auto again = json::parse(json::to_text(read->document));
    if (!again || !again->is_object()) std::abort();
    const auto message = apiserver::protobuf::to_message(read->document.get_object(), read->kind);
    if (!message) std::abort();
    const auto written = apiserver::protobuf::read_protobuf(
        apiserver::protobuf::enveloped(read->kind, *message), {}, {.depth = 512, .values = 1'000'000});
    if (!written || written->document != read->document) std::abort();
  }
  return 0;
}
