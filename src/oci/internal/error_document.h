// SPDX-License-Identifier: Apache-2.0

// The error message of a registry or its token server.
#pragma once

#include <string>
#include <string_view>

namespace fairway::oci {

/// Returns the first message of the registry protocol's error document (`{"errors": [{"code", "message"}]}`),
/// its URLs redacted. "" for any other body: it is written for people, and may contain anything.
std::string error_text(std::string_view body);

}  // namespace fairway::oci
