// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/served_channels.h"

#include <cstddef>
#include <utility>

#include "base/text.h"
#include "operators/channel_list.h"
#include "upstream/read.h"

namespace fairway::cli {
namespace {

/// Longest name of a channel in bytes.
constexpr std::size_t longest_name = 253;

}  // namespace

std::string no_answer_within(std::chrono::nanoseconds limit) {
  return "no answer within " + format_duration(std::chrono::ceil<std::chrono::seconds>(limit));
}

Result<void> add_served_channels(const upstream::UpdateService& service, SteadyTime until,
                                 std::chrono::seconds share, std::map<std::string, std::string>& descriptions,
                                 const std::stop_token& stop) {
  const TimeLimit time(until, stop);
  const auto answer = service.ask_channels({}, time.token());
  if (!answer && time.is_over()) return fail(ErrorCode::deadline_exceeded, no_answer_within(share));
  if (!answer) return fail(answer.error());
  if (answer->status != 200)
    return fail(ErrorCode::unavailable, operators::unexpected_status(answer->status, answer->phrase));
  auto read = upstream::read_channels(answer->body.text, answer->body.source);
  if (!read) return fail(read.error());
  for (upstream::Channel& channel : read->channels) {
    // What cannot be typed is no channel to choose.
    if (printable(channel.name, longest_name) == channel.name)
      descriptions.emplace(std::move(channel.name), std::move(channel.description));
  }
  return {};
}

}  // namespace fairway::cli
