// SPDX-License-Identifier: Apache-2.0

// What registries and signature stores answer, and auth files: reading them never crashes, and what is read
// is usable.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "oci/internal/auth.h"
#include "oci/manifest.h"
#include "oci/registry.h"
#include "oci/signature.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway::oci;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto* type : {"", media_type::docker_manifest, media_type::docker_list, media_type::oci_manifest,
                           media_type::oci_index}) {
    const auto manifest = parse_manifest(text, type);
    if (!manifest) continue;
    for (const auto& entry : manifest->manifests) {
      if (!is_digest(entry.digest)) std::abort();
    }
    for (const auto& layer : manifest->layers) {
      if (!is_digest(layer.digest)) std::abort();
    }
    if (manifest->is_index() ? !manifest->layers.empty() : !is_digest(manifest->config.digest)) std::abort();
    if (architectures(*manifest).empty() && representative(*manifest) != nullptr &&
        representative(*manifest)->platform.has_value()) {
      std::abort();
    }
  }
  static_cast<void>(parse_config(text));
  if (const auto file = AuthFile::parse(text, "fuzz")) static_cast<void>(file->find("quay.io:443", "a/b/c"));
  static_cast<void>(parse_challenges(text));
  if (const auto reference = Reference::parse(text)) {
    // What was read is read the same again.
    const auto again = Reference::parse(reference->to_string());
    if (!again || again->to_string() != reference->to_string()) std::abort();
  }
  static_cast<void>(read_signature_content(text, "sha256:" + std::string(64, 'a')));
  return 0;
}
