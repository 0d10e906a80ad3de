// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/channel_search.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/parallel.h"
#include "cli/adm/served_channels.h"
#include "operators/channel_list.h"
#include "upstream/read.h"

namespace fairway::cli {
namespace {

using std::chrono::nanoseconds, std::chrono::seconds;

/// Number of requests at once, so that some forty channels without an answer leave the others their time.
constexpr std::size_t at_once = 16;
/// Smallest time limit of a channel. With very many channels some may therefore not be asked at the end.
constexpr seconds least_share{2};

/// Search for a release within a common time limit.
class Search {
 public:
  Search(const openshift::ClusterVersion& version, seconds limit)
      : version_(version), limit_(limit), end_(Clock::system().steady() + limit) {}

  Limits limits() const { return {.deadline = end_, .stop = {}}; }

  /// Adds the channels of the service's list that are not known yet, with their descriptions. The list gets
  /// `share` of the time.
  Result<void> add_served_channels(const upstream::UpdateService& service, seconds share,
                                   std::map<std::string, std::string>& descriptions) const {
    return cli::add_served_channels(service, std::min(Clock::system().steady() + share, end_), share,
                                    descriptions);
  }

  /// Asks all channels of `names`, the likely ones first, and records the results in the order of the names.
  void ask(const upstream::UpdateService& service, std::vector<std::string> names,
           adm::ChannelSearch& search) const {
    adm::sort_by_likelihood(names, version_);
    const auto rounds = static_cast<seconds::rep>((names.size() + at_once - 1) / at_once);
    const seconds share = rounds <= 1 ? limit_ : std::max(limit_ / rounds, least_share);
    std::vector<std::optional<Result<bool>>> answers(names.size());
    parallel_for(names.size(), static_cast<int>(at_once), limits(), Clock::system(),
                 [&](std::size_t i) { answers[i] = has_release(service, names[i], share); });
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!answers[i]) {
        search.silent.push_back({names[i], no_answer_within(limit_)});
      } else if (!*answers[i]) {
        search.silent.push_back({names[i], answers[i]->error().message});
      } else {
        ++search.asked;
        if (**answers[i]) search.found.push_back(names[i]);
      }
    }
    std::ranges::sort(search.found, adm::is_named_before);
    std::ranges::sort(search.silent, adm::is_named_before, &adm::SilentChannel::name);
  }

 private:
  Result<bool> has_release(const upstream::UpdateService& service, const std::string& channel,
                           seconds share) const {
    const SteadyTime now = Clock::system().steady();
    const TimeLimit time(std::min(now + share, end_));
    const upstream::GraphQuery query{.channel = channel,
                                     .arch = adm::architecture_of(version_),
                                     .others = {{"version", std::string(version_.desired().version())}}};
    const auto body = service.fetch_graph(query, {}, time.token());
    if (!body && time.is_over())
      return fail(ErrorCode::deadline_exceeded, no_answer_within(std::min<nanoseconds>(share, end_ - now)));
    if (!body) return fail(body.error());
    if (!*body) return fail(ErrorCode::invalid, "the update service sent no body");
    const auto read = upstream::read_graph((*body)->text, (*body)->source, channel, query.arch);
    if (!read) return fail(read.error());
    return read->graph.find(version_.desired().version()).has_value();
  }

  const openshift::ClusterVersion& version_;
  const seconds limit_;
  const SteadyTime end_;
};

/// Returns whether the Channel objects may not be all channels of the service: names that no object can have
/// are left out of them, and a list that could not be retrieved has not changed them.
bool may_be_incomplete(const openshift::ClusterVersion& version) {
  const auto retrieved = version.condition(operators::retrieved_channels);
  return retrieved && (!retrieved->is_true() || retrieved->reason() == "NamesRefused");
}

}  // namespace

adm::ChannelSearch search_channels(const Cluster& cluster, const UpstreamFlags& flags,
                                   const openshift::ClusterVersion& version,
                                   const std::vector<openshift::Channel>& channels,
                                   std::chrono::seconds limit) {
  adm::ChannelSearch search;
  if (version.upstream().empty()) {
    search.problem = "spec.upstream is unset, and the operator's default is not known here";
    return search;
  }
  const Search asking(version, limit);
  const auto upstream = open_upstream(cluster, flags, version.upstream(), limit, asking.limits());
  if (!upstream) {
    search.problem = upstream.error().message;
    return search;
  }
  if (!upstream->without_credentials.empty())
    search.left_out.push_back("Channels that need credentials could not be searched: " +
                              upstream->without_credentials);
  for (const openshift::Channel& channel : channels)
    search.descriptions[std::string(channel.name())] = channel.description();
  if (channels.empty() || may_be_incomplete(version)) {
    // Channels that are known are asked although the list gives no answer.
    const seconds share = channels.empty() ? limit : std::max(limit / 3, seconds(1));
    const auto added = asking.add_served_channels(upstream->service, share, search.descriptions);
    if (!added && channels.empty()) {
      search.problem = "Unable to retrieve channels: " + added.error().message;
      return search;
    }
    if (!added) {
      search.left_out.push_back("Channels that the cluster does not list could not be searched: " +
                                added.error().message);
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, description] : search.descriptions)
    if (name != version.channel()) names.push_back(name);
  asking.ask(upstream->service, std::move(names), search);
  return search;
}

}  // namespace fairway::cli
