// SPDX-License-Identifier: Apache-2.0

// The architecture that this program runs on.
#pragma once

#include <string>
#include <string_view>

namespace fairway::operators {

/// Returns the release images' name of the architecture that `uname` calls `machine`: "amd64" for "x86_64",
/// "arm64" for "aarch64"; others are unchanged ("ppc64le", "s390x").
std::string architecture_of(std::string_view machine);
/// Returns the architecture of this machine, as OpenShift's operator gets it from Go's GOARCH. Empty:
/// unknown.
std::string own_architecture();

}  // namespace fairway::operators
