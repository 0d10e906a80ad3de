// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/peers/peer_answer.h"

#include <random>
#include <utility>

#include "base/digest.h"
#include "graph/withdrawn_updates.h"
#include "updateservice/internal/builds/payloads.h"
#include "updateservice/internal/store/packing.h"
#include "updateservice/internal/store/stored_inputs.h"

namespace fairway::updateservice {
namespace {

constexpr std::string_view format = "fairway peer 1";

bool is_within_bounds(const BuiltInputs& inputs) {
  return inputs.payloads.size() <= max_payloads &&
         inputs.guard.absent->updates.size() <= graph::max_withdrawn_updates &&
         (!inputs.baseline || is_within_bounds(*inputs.baseline));
}

}  // namespace

std::string new_instance() {
  std::random_device device;
  std::string digits;
  for (int i = 0; i < 4; ++i) digits += std::to_string(device()) + " ";
  return sha256_hex(digits).substr(0, 32);
}

std::string pack_answer(const PeerAnswer& answer) {
  Packer out;
  out.text(format);
  out.text(answer.instance);
  out.text(answer.inputs ? pack_inputs(*answer.inputs) : "");
  return out.take();
}

Result<PeerAnswer> unpack_answer(std::string_view bytes) {
  Unpacker in(bytes);
  if (in.text() != format)
    return fail(ErrorCode::invalid,
                "the answer is not of this version's format; use one version for all replicas");
  PeerAnswer answer;
  answer.instance = in.text();
  const std::string_view inputs = in.text();
  if (!in.complete() || answer.instance.empty())
    return fail(ErrorCode::invalid, "the answer is cut short or longer than it says");
  if (inputs.empty()) return answer;
  auto unpacked = unpack_inputs(inputs);
  if (!unpacked) return fail(std::move(unpacked.error()));
  if (!is_within_bounds(**unpacked))
    return fail(ErrorCode::too_large, "the answer holds more than a service remembers");
  answer.inputs = std::move(*unpacked);
  return answer;
}

}  // namespace fairway::updateservice
