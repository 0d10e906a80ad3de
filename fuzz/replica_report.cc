// SPDX-License-Identifier: Apache-2.0

// Reports of replicas: nothing crashes, and what is read is written and read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gateway/internal/replicas/replica_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway::gateway;
  const auto report = read_replica_report({reinterpret_cast<const char*>(data), size});
  if (!report) {
    if (report.error().message.empty()) std::abort();
    return 0;
  }
  const auto again = read_replica_report(to_text(*report));
  if (!again || *again != *report) std::abort();
  const auto known = with_changes({}, *report);
  if (difference(known, known) != ReplicaReport{.has_envoys = known.has_envoys}) std::abort();
  return 0;
}
