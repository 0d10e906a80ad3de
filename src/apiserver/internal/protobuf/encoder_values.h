// SPDX-License-Identifier: Apache-2.0

// Values on the wire that have no table of fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"
#include "base/protobuf_wire.h"

namespace fairway::apiserver::protobuf {

/// Appends the tag of a field.
void append_tag(std::string& out, std::uint32_t number, wire::Type type);
/// Appends a number as a varint, with its tag.
void append_varint_field(std::string& out, std::uint32_t number, std::uint64_t value);

/// Appends a boolean, a number, a text or bytes with its tag; null is zero. Returns what is wrong with the
/// value; empty if nothing is.
std::string_view append_scalar(std::string& out, std::uint32_t number, kinds::FieldType type,
                               const json::Value& value);
/// Appends the content of a quantity, time, duration, number or string, list of strings, or of embedded
/// JSON: a message without the tag and length; null is Go's zero value. Returns what is wrong with the value;
/// empty if nothing is.
std::string_view append_content(std::string& out, kinds::FieldType type, const json::Value& value);

}  // namespace fairway::apiserver::protobuf
