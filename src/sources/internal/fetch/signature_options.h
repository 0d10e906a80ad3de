// SPDX-License-Identifier: Apache-2.0

// --public-keys and --signature-store, as the sources that read images understand them.
#pragma once

#include <memory>

#include "oci/signature_store.h"
#include "sources/source.h"

namespace fairway::sources {

/// Opens the store that `options` name; null if no signatures are required (no public keys). Keys without a
/// store are an error; `transport` has the settings of an http(s) store.
Result<std::unique_ptr<oci::SignatureStore>> open_signature_store(const Options& options,
                                                                  const oci::TransportOptions& transport);

}  // namespace fairway::sources
