// SPDX-License-Identifier: Apache-2.0

// Tables of the members of a custom kind, against which the compiler checks the paths of views.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::cli {

/// Returns a C++ header with a `k8s::openapi::Definition` for each version of each CustomResourceDefinition
/// in a YAML or JSON text, `crd::widget_v1` for the kind Widget in v1, made of its schema. `file` is the name
/// of the text in the header's first line and in errors. Other objects in the text are left out. Errors: a
/// text that cannot be parsed; no definition in it; a version without a schema, or with a type
/// that there is not; a kind or a version whose name is no part of a C++ name; the same kind and version
/// twice. They name the line.
Result<std::string> definition_tables(std::string_view text, std::string_view file);

}  // namespace fairway::cli
