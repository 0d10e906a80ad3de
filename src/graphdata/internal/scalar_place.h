// The place of a byte of a YAML scalar in its file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/yaml.h"
#include "graph/problem.h"

namespace fairway::graphdata {

/// The line and column (both from 1; columns count characters) of byte `offset` of `node.scalar`, where
/// `text` is the whole file: block scalars, folded lines and quotes are followed, so that an error inside a
/// query can be pointed at. An offset at or behind the scalar's end gives the place behind its last visible
/// character.
graph::Place place_in_scalar(const std::string& file, std::string_view text, const yaml::Node& node,
                             std::size_t offset);

}  // namespace fairway::graphdata
