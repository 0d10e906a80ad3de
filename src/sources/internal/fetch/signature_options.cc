// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/signature_options.h"

namespace fairway::sources {

Result<std::unique_ptr<oci::SignatureStore>> open_signature_store(const Options& options,
                                                                  const oci::TransportOptions& transport) {
  if (options.access.public_keys_directory.empty()) return nullptr;
  if (options.access.signature_store.empty()) {
    return fail(ErrorCode::invalid,
                "--public-keys asks for signed images: say with --signature-store where the signatures are");
  }
  return oci::SignatureStore::create(options.access.signature_store, transport);
}

}  // namespace fairway::sources
