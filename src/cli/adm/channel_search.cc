#include "cli/adm/channel_search.h"

#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "upstream/read.h"
#include "upstream/update_service.h"

namespace fairway::cli {
namespace {

/// Requests a stop when a time has passed.
class TimeLimit {
 public:
  explicit TimeLimit(std::chrono::seconds limit)
      : waiter_([this, until = Clock::system().steady() + limit](const std::stop_token& ended) {
          if (Clock::system().wait_until(until, ended)) stop_.request_stop();
        }) {}
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread waiter_;
};

/// The channels to ask, with their descriptions.
Result<void> add_served_channels(const upstream::UpdateService& service, const std::stop_token& stop,
                                 client::ChannelSearch& search) {
  const auto body = service.fetch_channels({}, stop);
  if (!body) return fail(body.error());
  if (!*body) return fail(ErrorCode::invalid, "the update service sent no body");
  const auto list = upstream::read_channels((*body)->text, (*body)->source);
  if (!list) return fail(list.error());
  for (const upstream::Channel& channel : list->channels)
    search.descriptions[channel.name] = channel.description;
  return {};
}

Result<bool> has_release(const upstream::UpdateService& service, const std::string& channel,
                         const openshift::ClusterVersion& cluster, const std::stop_token& stop) {
  const upstream::GraphQuery query{.channel = channel,
                                   .arch = client::architecture_of(cluster),
                                   .others = {{"version", std::string(cluster.desired().version())}}};
  const auto body = service.fetch_graph(query, {}, stop);
  if (!body) return fail(body.error());
  if (!*body) return fail(ErrorCode::invalid, "the update service sent no body");
  const auto read = upstream::read_graph((*body)->text, (*body)->source, channel, query.arch);
  if (!read) return fail(read.error());
  return read->graph.find(cluster.desired().version()).has_value();
}

}  // namespace

client::ChannelSearch search_channels(const openshift::ClusterVersion& cluster,
                                      const std::vector<openshift::Channel>& channels,
                                      std::chrono::seconds limit) {
  client::ChannelSearch search;
  if (cluster.upstream().empty()) {
    search.problem = "spec.upstream is unset";
    return search;
  }
  const auto service = upstream::UpdateService::create(cluster.upstream(), {.deadline = limit});
  if (!service) {
    search.problem = service.error().message;
    return search;
  }
  const TimeLimit time(limit);
  for (const openshift::Channel& channel : channels)
    search.descriptions[std::string(channel.name())] = channel.description();
  if (channels.empty()) {
    if (const auto added = add_served_channels(*service, time.token(), search); !added) {
      search.problem = added.error().message;
      return search;
    }
  }
  for (const auto& [name, description] : search.descriptions) {
    if (name == cluster.channel()) continue;
    const auto has = has_release(*service, name, cluster, time.token());
    if (has) {
      ++search.asked;
      if (*has) search.found.push_back(name);
      continue;
    }
    if (search.problem.empty()) search.problem = has.error().message;
    if (time.token().stop_requested()) {
      search.problem = "no more than " + std::to_string(limit.count()) + " seconds were taken for it";
      break;
    }
  }
  return search;
}

}  // namespace fairway::cli
