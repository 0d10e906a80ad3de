// SPDX-License-Identifier: Apache-2.0

// Whatever the file: no crash, and an error names the file.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/client/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  if (size > 65'536) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto parsed = kube::parse_kubeconfig(text, "/folder/config");
  if (!parsed) {
    if (parsed.error().message.find("/folder/config") == std::string::npos) std::abort();
    return 0;
  }
  kube::Kubeconfig twice = *parsed;
  kube::merge(twice, *parsed);
  if (twice.clusters.size() != parsed->clusters.size() || twice.users.size() != parsed->users.size())
    std::abort();
  if (!kube::resolve(*parsed)) return 0;
  for (const auto& [name, context] : parsed->contexts) {
    const auto config = kube::resolve(*parsed, {.context = name});
    if (config && config->server.empty()) std::abort();
  }
  return 0;
}
