// SPDX-License-Identifier: Apache-2.0

// The answer of one replica to another about the build that it holds.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "updateservice/builder.h"

namespace fairway::updateservice {

/// Size of the largest answer: the inputs of a build, of up to 64 MiB, and those held beside it.
inline constexpr std::size_t max_peer_answer = std::size_t{160} << 20;

struct PeerAnswer {
  std::string instance;                       ///< id that differs for each process
  std::shared_ptr<const BuiltInputs> inputs;  ///< inputs; null: the replica has nothing to compare with
                                              ///< either
};

/// Returns a name for this process that no other one has.
std::string new_instance();

std::string pack_answer(const PeerAnswer& answer);
/// Unpacks an answer. Errors: the bytes are not an answer, or hold more than a service remembers.
Result<PeerAnswer> unpack_answer(std::string_view bytes);

}  // namespace fairway::updateservice
