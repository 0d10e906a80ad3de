// SPDX-License-Identifier: Apache-2.0

// The channels that the update service lists, and the Channel objects that show them.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "operators/retrieval.h"
#include "operators/upstream_credentials.h"
#include "upstream/update_service.h"

namespace fairway::operators {

inline constexpr const char* retrieved_channels = "RetrievedChannels";
/// Largest number of Channel objects; further channels are left out.
inline constexpr std::size_t max_channels = 1'000;

struct ChannelList {
  /// The condition RetrievedChannels.
  Finding finding;
  /// Descriptions by name; std::nullopt: the service gave no list, and the objects stay as they are.
  std::optional<std::map<std::string, std::string>> channels;
};

/// Reads an answer (status and body) to the request for channels. Names that no object can have are left out,
/// and listed in the finding.
ChannelList read_channel_list(const upstream::ServiceReply& answer);

/// Asks for the channels as `Updates` asks for the graph. Used by one thread at a time.
class Channels {
 public:
  Channels(upstream::Options options, Authorization authorization, std::chrono::nanoseconds poll_interval,
           Clock& clock, Random random);

  /// Returns the list if it was due; std::nullopt: it was not, or `stop` was requested. `upstream` is the
  /// service's URL; empty: there is no service to ask.
  std::optional<ChannelList> run(const std::string& upstream, const std::stop_token& stop);
  /// Makes the next call ask again, because the last list could not be written.
  void refresh_now() { next_poll_ = SteadyTime::min(), etag_.clear(); }
  SteadyTime next() const { return next_poll_; }

 private:
  ChannelList ask(const std::string& upstream, const std::stop_token& stop);

  upstream::Options options_;
  const Authorization authorization_;
  const std::chrono::nanoseconds poll_interval_;
  Clock& clock_;
  const Random random_;
  std::string url_, etag_;
  std::optional<upstream::UpdateService> service_;
  SteadyTime next_poll_ = SteadyTime::min();
  /// The last list, for an answer that says that nothing has changed.
  ChannelList listed_;
};

}  // namespace fairway::operators
