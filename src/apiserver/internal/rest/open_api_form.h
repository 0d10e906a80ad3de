// SPDX-License-Identifier: Apache-2.0

// The form in which a client takes an OpenAPI document.
#pragma once

#include <optional>
#include <string_view>

#include "apiserver/internal/openapi/dialect.h"

namespace fairway::apiserver::rest {

enum class OpenApiForm { json, protobuf };

/// Returns the form that an Accept header prefers, by kube-apiserver's rules: the first clause that fits
/// counts, also with a weight of 0, and JSON is before protobuf. An empty header takes JSON. std::nullopt:
/// answer 406.
std::optional<OpenApiForm> choose_open_api_form(std::string_view accept, openapi::Dialect dialect);

/// Returns the media type of a form.
std::string_view media_type_of(OpenApiForm form, openapi::Dialect dialect);

}  // namespace fairway::apiserver::rest
