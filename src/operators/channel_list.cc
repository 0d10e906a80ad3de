// SPDX-License-Identifier: Apache-2.0

#include "operators/channel_list.h"

#include <utility>

#include "base/cut_text.h"
#include "base/text.h"
#include "k8s/names.h"
#include "operators/internal/next_poll.h"
#include "upstream/read.h"

namespace fairway::operators {
namespace {

/// Largest size of a description in bytes, which etcd accepts.
constexpr std::size_t max_description = 32'768;
constexpr std::string_view unable = "Unable to retrieve channels: ";

ChannelList failed(std::string reason, const std::string& message) {
  return {.finding = {.reason = std::move(reason), .message = std::string(unable) + message}, .channels = {}};
}

}  // namespace

ChannelList read_channel_list(const upstream::ServiceReply& answer) {
  if (answer.status != 200) {
    // Some services do not serve channels: nobody has to be alerted.
    const bool not_served = answer.status == 404 || answer.status == 405 || answer.status == 406;
    return failed(not_served ? "ChannelsNotServed" : "ResponseFailed",
                  unexpected_status(answer.status, answer.phrase));
  }
  const auto read = upstream::read_channels(answer.body.text, answer.body.source);
  if (!read) return failed("ResponseInvalid", read.error().message);
  ChannelList list{.finding = retrieved(), .channels = std::map<std::string, std::string>()};
  std::vector<std::string> refused;
  for (const upstream::Channel& channel : read->channels) {
    if (!k8s::check_dns_subdomain(channel.name).empty() || list.channels->size() == max_channels) {
      refused.push_back(printable(channel.name, 80));
    } else {
      (*list.channels)[channel.name] = cut_text(channel.description, max_description);
    }
  }
  if (refused.empty()) return list;
  const std::size_t all = refused.size();
  if (refused.size() > 20) refused.resize(20);
  list.finding.reason = "NamesRefused";
  list.finding.message = "Channels that no object can be named after, or that are too many, are left out: " +
                         join(refused, ", ");
  if (all > refused.size()) list.finding.message += " and " + std::to_string(all - refused.size()) + " more";
  return list;
}

Channels::Channels(upstream::Options options, Authorization authorization,
                   std::chrono::nanoseconds poll_interval, Clock& clock, Random random)
    : options_([&] {
        options.clock = &clock;
        options.channel_types = "application/vnd.redhat.cincinnati.channels.v1+json";
        return std::move(options);
      }()),
      authorization_(std::move(authorization)),
      poll_interval_(poll_interval),
      clock_(clock),
      random_(std::move(random)) {}

std::optional<ChannelList> Channels::run(const std::string& upstream, const std::stop_token& stop) {
  if (upstream.empty()) {
    next_poll_ = SteadyTime::max();
    url_.clear();
    return ChannelList{.finding = {.reason = "NoUpstream",
                                   .message = "No updateService server has been set to retrieve channels."},
                       .channels = {}};
  }
  if (url_ != upstream) {
    service_.reset();
    etag_.clear();
    url_ = upstream;
    next_poll_ = SteadyTime::min();
  }
  const SteadyTime began = clock_.steady();
  if (began < next_poll_) return std::nullopt;
  ChannelList list = ask(upstream, stop);
  if (stop.stop_requested()) return std::nullopt;
  next_poll_ = next_poll(began, poll_interval_, random_);
  return list;
}

ChannelList Channels::ask(const std::string& upstream, const std::stop_token& stop) {
  std::string authorization = authorization_ ? authorization_(upstream, stop) : "";
  if (!service_ || options_.authorization != authorization) {
    options_.authorization = std::move(authorization);
    auto made = upstream::UpdateService::create(upstream, options_);
    if (!made) return failed("InvalidURI", made.error().message);
    service_.emplace(*std::move(made));
  }
  auto answer = service_->ask_channels(etag_, stop);
  if (!answer) {
    const Finding finding = request_failed(answer.error());
    return failed(finding.reason, answer.error().message);
  }
  if (answer->status == 304 && !etag_.empty()) return listed_;
  ChannelList list = read_channel_list(*answer);
  etag_ = list.channels ? answer->body.etag : "";
  listed_ = list;
  return list;
}

}  // namespace fairway::operators
