// A key pair in bytes that are new to Envoy.
#pragma once

#include <memory>
#include <string_view>

#include "xds/internal/snapshot.h"

namespace fairway::xds {

/// The same key pair of the same version in other bytes: with a password, which nobody asks for where a key
/// is not encrypted. Envoy notes a hash of each secret before it tries it, and acknowledges one that it has
/// refused when it comes again, to whatever stream. Secrets that are no key pairs stay as they are.
std::shared_ptr<const EncodedResource> salted(const EncodedResource& secret, std::string_view salt);

}  // namespace fairway::xds
