// The architecture that this program runs on.
#pragma once

#include <string>
#include <string_view>

namespace fairway::operators {

/// As release images call what `uname` calls `machine`: "amd64" of "x86_64", "arm64" of "aarch64", others as
/// they are ("ppc64le", "s390x").
std::string architecture_of(std::string_view machine);
/// That of this machine, as Go's GOARCH is to OpenShift's operator. Empty: the system does not say.
std::string own_architecture();

}  // namespace fairway::operators
