// SPDX-License-Identifier: Apache-2.0

// The inputs of a build as bytes, so that the same snapshot can be made again after a restart.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "updateservice/builder.h"

namespace fairway::updateservice {

/// Deepest nesting of inputs that are read. Inputs with a held widening contain those of the last build that
/// was taken whole; if these are from other replicas, they contain as many again as were merged.
inline constexpr std::size_t most_nested_inputs = 8;

/// Returns the number of inputs nested in these.
std::size_t nested_inputs(const BuiltInputs& inputs);
/// Returns the inputs as bytes, the same for the same inputs. All of them are written, but inputs that are
/// nested too deep are not read again.
std::string pack_inputs(const BuiltInputs& inputs);
/// Unpacks inputs. An Error: the bytes are not those of `pack_inputs`.
Result<std::shared_ptr<const BuiltInputs>> unpack_inputs(std::string_view bytes);

/// Returns the part of a file after the inputs, which earlier programs ignore: the numbers of blocks in force
/// within the last day and, for a widening that is held, the newest data.
std::string pack_held(const BuiltInputs& inputs);
/// Returns `inputs` with the data that `pack_held` wrote. Bytes of a later program are ignored: a widening is
/// then held until its source answers, and no share of blocks counts for a day.
std::shared_ptr<const BuiltInputs> with_held(std::shared_ptr<const BuiltInputs> inputs,
                                             std::string_view bytes);

}  // namespace fairway::updateservice
