// SPDX-License-Identifier: Apache-2.0

// YAML scalars: their values by YAML 1.2's core schema, and the effect of explicit tags.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/yaml.h"

namespace fairway::yaml {

bool is_null_text(std::string_view text);

/// The value of a plain scalar. Error: a number that is out of range, with its text.
std::expected<json::Value, std::string> read_plain(const std::string& text);

/// Applies the explicit tag of a node whose kind, scalar and `plain` are those of the node without the tag;
/// `tag` as libyaml resolves it ("tag:yaml.org,2002:int"). Afterwards a scalar is plain, with a text that has
/// the tag's type in the core schema and in YAML 1.1 alike, or not plain (!!str), or null (!!null). Errors: a
/// tag that has no meaning in the core schema, and a node that does not have the tag's type.
std::expected<void, std::string> apply_tag(Node& node, std::string_view tag);

}  // namespace fairway::yaml
