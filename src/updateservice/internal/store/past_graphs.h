// SPDX-License-Identifier: Apache-2.0

// Earlier bodies of graphs as bytes on disk, so that /changes knows builds of before a restart.
#pragma once

#include <string>
#include <string_view>

#include "updateservice/internal/bodies/responses.h"

namespace fairway::updateservice {

/// Most bytes of the earlier bodies on disk, compressed; of all graphs, the oldest are left out first.
inline constexpr std::size_t past_bytes_stored = std::size_t{32} << 20;

/// Packs the earlier bodies of all graphs, those that are gone included.
std::string pack_past(const Responses& responses, std::size_t limit = past_bytes_stored);
/// Adds the bodies that `pack_past` wrote of responses with the same rules. Returns false, and adds nothing,
/// if the bytes are inconsistent.
bool unpack_past(std::string_view bytes, Responses& responses);

}  // namespace fairway::updateservice
