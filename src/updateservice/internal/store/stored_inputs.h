// The inputs of a build as bytes, so that the same snapshot can be made again after a restart.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "updateservice/builder.h"

namespace fairway::updateservice {

/// Of inputs within inputs, how many are kept: each widening that is held within another one adds one.
inline constexpr std::size_t most_nested_inputs = 8;

/// The same inputs give the same bytes.
std::string pack_inputs(const BuiltInputs& inputs);
/// The inputs again. An Error: the bytes are not those of `pack_inputs`.
Result<std::shared_ptr<const BuiltInputs>> unpack_inputs(std::string_view bytes);

}  // namespace fairway::updateservice
