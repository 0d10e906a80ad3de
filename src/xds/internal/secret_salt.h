// SPDX-License-Identifier: Apache-2.0

// A key pair in bytes that are new to Envoy.
#pragma once

#include <memory>
#include <string_view>

#include "xds/internal/snapshot.h"

namespace fairway::xds {

/// Returns the same key pair with the same version but other bytes: with a password, which is not used if the
/// key is not encrypted. Envoy notes a hash of each secret before it tries it, and acknowledges one that it
/// has refused when it comes again on any stream. Secrets that are no key pairs are returned unchanged.
std::shared_ptr<const EncodedResource> salted(const EncodedResource& secret, std::string_view salt);

}  // namespace fairway::xds
