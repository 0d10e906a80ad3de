// What a registry or its token server says is wrong.
#pragma once

#include <string>
#include <string_view>

namespace fairway::oci {

/// The first message of the error document of the registry protocol (`{"errors": [{"code", "message"}]}`),
/// its URLs redacted. "" for any other body: it is written for people, and may hold anything.
std::string error_text(std::string_view body);

}  // namespace fairway::oci
