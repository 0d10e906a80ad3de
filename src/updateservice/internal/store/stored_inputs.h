// The inputs of a build as bytes, so that the same snapshot can be made again after a restart.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "updateservice/builder.h"

namespace fairway::updateservice {

/// How deep inputs that are read may lie in each other. Those of a widening that is held have those of the
/// last build that was taken whole; where these are of other replicas, as many again as were put together.
inline constexpr std::size_t most_nested_inputs = 8;

/// How many inputs lie in these, one in the other.
std::size_t nested_inputs(const BuiltInputs& inputs);
/// Returns the inputs as bytes, the same for the same inputs. It writes all of them: inputs that lie too deep
/// are not read again.
std::string pack_inputs(const BuiltInputs& inputs);
/// The inputs again. An Error: the bytes are not those of `pack_inputs`.
Result<std::shared_ptr<const BuiltInputs>> unpack_inputs(std::string_view bytes);

/// Returns the part of a file after the inputs, where earlier programs do not look: how many blocks were in
/// force within the last day and, of a widening that is held, the newest data.
std::string pack_held(const BuiltInputs& inputs);
/// `inputs` with that. Bytes of a later program say nothing: a widening is held then until its source
/// answers, and no share of blocks counts for a day.
std::shared_ptr<const BuiltInputs> with_held(std::shared_ptr<const BuiltInputs> inputs,
                                             std::string_view bytes);

}  // namespace fairway::updateservice
