// SPDX-License-Identifier: Apache-2.0

// Reading a schema's keywords. What has the wrong type reads as absent.
#pragma once

#include <string_view>

#include "base/json.h"

namespace fairway::schema::internal {

const json::Object* object_at(const json::Object& schema, std::string_view key);
const json::Array* array_at(const json::Object& schema, std::string_view key);
/// Returns whether a keyword is present and true.
bool flag_at(const json::Object& schema, std::string_view key);
/// A keyword's text; empty if there is none.
std::string_view text_at(const json::Object& schema, std::string_view key);
/// The schema of a member by its own name.
const json::Object* property_of(const json::Object& schema, std::string_view name);
/// The default; nullptr if there is none, or if it is null.
const json::Value* default_of(const json::Object& schema);

bool keeps_unknown(const json::Object& schema);
bool is_embedded(const json::Object& schema);
/// Returns whether the name is apiVersion, kind or metadata.
bool is_header(std::string_view name);

}  // namespace fairway::schema::internal
