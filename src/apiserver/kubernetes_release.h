// SPDX-License-Identifier: Apache-2.0

// The release of Kubernetes that the API server stands for.
#pragma once

#include <string_view>

namespace fairway::apiserver {

/// The release of Kubernetes whose kinds, defaults, roles and flags are known here. `./dev kinds` moves it.
inline constexpr std::string_view kubernetes_release = "1.37.2";

/// Its first two numbers: "1.37".
inline constexpr std::string_view kubernetes_minor_release =
    kubernetes_release.substr(0, kubernetes_release.rfind('.'));

}  // namespace fairway::apiserver
