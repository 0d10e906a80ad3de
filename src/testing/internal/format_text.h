// SPDX-License-Identifier: Apache-2.0

// Random texts of the formats of schemas.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "testing/internal/pattern_text.h"

namespace fairway::testing {

/// Returns a text of a format that Kubernetes checks; std::nullopt: it checks none of this name.
/// Rules: k8s.io/kube-openapi/pkg/validation/strfmt.
std::optional<std::string> text_of_format(std::string_view format, const Below& below);

}  // namespace fairway::testing
