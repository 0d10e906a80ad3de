// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/plan_graphs.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "adm/names.h"
#include "adm/other_channels.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/redact.h"
#include "base/text.h"
#include "cli/adm/served_channels.h"
#include "graph/evaluated_graph.h"
#include "graph/update_graph.h"
#include "upstream/read.h"

namespace fairway::cli {
namespace {

using std::chrono::seconds;

/// Number of requests at once.
constexpr std::size_t at_once = 16;
/// Most channels that are asked, and the smallest time limit of one.
constexpr std::size_t max_channels = 500;
constexpr seconds least_share{5};
/// Most bytes of a graph: more than ten times those of the largest real one.
constexpr std::size_t max_graph_bytes = std::size_t{16} << 20;
/// Most channels that a warning names.
constexpr std::size_t max_names = 6;

std::string named(std::vector<std::string> names) {
  const std::size_t count = names.size();
  if (count > max_names) {
    names.resize(max_names);
    names.push_back("and " + std::to_string(count - max_names) + " more");
  }
  for (std::string& name : names) name = printable(name);
  return join(names, ", ");
}

/// Removes the names that a shell could misread: they are no names for a command line.
std::vector<std::string> safe_channels(const std::vector<std::string>& names,
                                       std::vector<std::string>& warnings) {
  std::vector<std::string> safe = adm::safe_names(names);
  if (const std::size_t others = names.size() - safe.size(); others == 1) {
    warnings.push_back("1 channel is left out, since its name is not safe to type");
  } else if (others > 1) {
    warnings.push_back(std::to_string(others) +
                       " channels are left out, since their names are not safe to type");
  }
  return safe;
}

/// Checks that the channels of --channels can stand in the commands of a plan.
Result<void> check_names(const std::vector<std::string>& channels) {
  for (const std::string& name : channels) {
    if (adm::safe_names({name}).empty())
      return fail(ErrorCode::invalid, "reading --channels: '" + printable(name) +
                                          "' is not safe to type in the commands of a plan: a name has "
                                          "letters, digits and ._+- only, and no - at its front");
  }
  return {};
}

Result<PlanGraphs> graphs_of_data(const openshift::ClusterVersion& version, const PlanGraphFlags& flags) {
  const auto snapshot = load_snapshot(flags.inputs);
  if (!snapshot) return fail(snapshot.error());
  warn_of_problems(**snapshot);
  PlanGraphs read;
  const std::string arch = architecture_of_graphs(version);
  if (const auto known = require_architecture(**snapshot, arch); !known) return fail(known.error());
  for (const std::string& channel : flags.channels)
    if (const auto known = require_channel(**snapshot, channel); !known) return fail(known.error());
  std::vector<std::string> names = flags.channels;
  if (names.empty())
    for (const auto& channel : (*snapshot)->channels) names.push_back(channel.name);
  for (const std::string& name : safe_channels(names, read.warnings))
    read.channels.push_back({name, (*snapshot)->channel_graph(name, arch)});
  return read;
}

/// The graphs of a service, asked for within a common time limit.
class Asking {
 public:
  Asking(const Cluster& cluster, const openshift::ClusterVersion& version, const PlanGraphFlags& flags,
         const std::stop_token& stop, seconds limit)
      : cluster_(cluster),
        version_(version),
        flags_(flags),
        stop_(stop),
        limit_(limit),
        end_(Clock::system().steady() + limit),
        arch_(architecture_of_graphs(version)) {}

  Result<PlanGraphs> ask(const std::string& url);

 private:
  Result<std::vector<std::string>> names(const upstream::UpdateService& service);
  Result<graph::UpdateGraph> graph_of(const upstream::UpdateService& service, const std::string& channel,
                                      seconds share);
  bool has_room(std::size_t bytes);

  const Cluster& cluster_;
  const openshift::ClusterVersion& version_;
  const PlanGraphFlags& flags_;
  const std::stop_token& stop_;
  const seconds limit_;
  const SteadyTime end_;
  const std::string arch_;
  std::atomic<std::size_t> bytes_ = 0;  ///< sum of the sizes of all graphs so far
  PlanGraphs read_;
};

/// Returns the channels to ask, the likely ones first.
Result<std::vector<std::string>> Asking::names(const upstream::UpdateService& service) {
  if (!flags_.channels.empty()) return flags_.channels;
  std::map<std::string, std::string> known;
  for (const openshift::Channel& channel : cluster_.channels({.deadline = end_, .stop = stop_}))
    known.emplace(channel.name(), "");
  for (const std::string_view channel : version_.desired().channels()) known.emplace(channel, "");
  if (!version_.channel().empty()) known.emplace(version_.channel(), "");
  const seconds share = std::max(limit_ / 3, seconds(1));
  const auto added =
      add_served_channels(service, std::min(Clock::system().steady() + share, end_), share, known, stop_);
  if (!added && known.empty()) return fail(added.error().within("reading the list of channels"));
  if (!added) {
    read_.warnings.push_back(
        "Only channels that the cluster knows are planned over: the service gave no list: " +
        added.error().message);
  }
  std::vector<std::string> names;
  for (const auto& [name, description] : known) names.push_back(name);
  adm::sort_by_likelihood(names, version_);
  std::vector<std::string> safe = safe_channels(names, read_.warnings);
  if (safe.size() > max_channels) {
    read_.warnings.push_back(std::to_string(safe.size() - max_channels) + " of " +
                             std::to_string(safe.size()) +
                             " channels are not planned over: name those to go over by --channels");
    safe.resize(max_channels);
  }
  return safe;
}

/// Returns whether a graph of so many bytes fits beside the others; counts it then.
bool Asking::has_room(std::size_t bytes) {
  std::size_t others = bytes_;
  do {
    if (bytes > flags_.max_bytes - others) return false;
  } while (!bytes_.compare_exchange_weak(others, others + bytes));
  return true;
}

Result<graph::UpdateGraph> Asking::graph_of(const upstream::UpdateService& service,
                                            const std::string& channel, seconds share) {
  const SteadyTime now = Clock::system().steady();
  const TimeLimit time(std::min(now + share, end_), stop_);
  const auto body = service.fetch_graph(
      {.channel = channel, .arch = arch_, .others = {{"version", std::string(version_.desired().version())}}},
      {}, time.token());
  if (!body && time.is_over())
    return fail(ErrorCode::deadline_exceeded,
                no_answer_within(std::min<std::chrono::nanoseconds>(share, end_ - now)));
  if (!body) return fail(body.error());
  if (!*body) return fail(ErrorCode::invalid, "the update service sent no body");
  if (!has_room((*body)->text.size()))
    return fail(ErrorCode::too_large, "the graphs of all channels have more than " +
                                          std::to_string(flags_.max_bytes >> 20) +
                                          " MiB: name those to go over by --channels");
  auto read =
      upstream::read_graph((*body)->text, (*body)->source, channel, arch_, graph::RisksWithoutRules::keep);
  if (!read) return fail(read.error());
  return std::move(read->graph);
}

Result<PlanGraphs> Asking::ask(const std::string& url) {
  const auto upstream = open_upstream(cluster_, flags_.service, url, limit_,
                                      {.deadline = end_, .stop = stop_}, max_graph_bytes);
  if (!upstream) return fail(upstream.error().within("opening the update service"));
  if (!upstream->without_credentials.empty())
    read_.warnings.push_back("Channels that need credentials are left out: " + upstream->without_credentials);
  const auto channels = names(upstream->service);
  if (!channels) return fail(channels.error());
  const auto rounds = static_cast<seconds::rep>((channels->size() + at_once - 1) / at_once);
  const seconds share = rounds <= 1 ? limit_ : std::max(limit_ / rounds, least_share);
  std::vector<std::optional<Result<graph::UpdateGraph>>> graphs(channels->size());
  parallel_for(graphs.size(), static_cast<int>(at_once), {.deadline = end_, .stop = stop_}, Clock::system(),
               [&](std::size_t i) { graphs[i] = graph_of(upstream->service, (*channels)[i], share); });
  std::vector<std::string> silent;
  std::string why;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    if (graphs[i] && *graphs[i]) {
      read_.channels.push_back({(*channels)[i], *std::move(*graphs[i])});
      continue;
    }
    silent.push_back((*channels)[i]);
    if (why.empty()) why = graphs[i] ? graphs[i]->error().message : no_answer_within(limit_);
  }
  if (read_.channels.empty() && !silent.empty())
    return fail(ErrorCode::unavailable, "reading the graphs of " + named(silent) + ": " + why);
  if (!silent.empty())
    read_.warnings.push_back("These channels are not planned over: " + named(silent) + ": " + why);
  return std::move(read_);
}

}  // namespace

std::string origin_of(const openshift::ClusterVersion& version, const PlanGraphFlags& flags) {
  if (!flags.inputs.graph_data.empty()) return flags.inputs.graph_data;
  return redact_urls(flags.upstream.empty() ? version.upstream() : std::string_view(flags.upstream));
}

std::string architecture_of_graphs(const openshift::ClusterVersion& version) {
  const std::string known = adm::architecture_of(version);
  return known.empty() ? "amd64" : known;
}

std::optional<std::string> other_service_of(const openshift::ClusterVersion& version,
                                            const PlanGraphFlags& flags) {
  if (flags.upstream.empty() || flags.upstream == version.upstream()) return std::nullopt;
  return redact_urls(version.upstream());
}

Result<PlanGraphs> read_plan_graphs(const Cluster& cluster, const openshift::ClusterVersion& version,
                                    const PlanGraphFlags& flags, const std::stop_token& stop,
                                    std::chrono::seconds limit) {
  if (const auto checked = check_names(flags.channels); !checked) return fail(checked.error());
  if (!flags.inputs.graph_data.empty()) return graphs_of_data(version, flags);
  std::string url = flags.upstream;
  if (url.empty()) {
    if (cluster.is_recorded()) {
      return fail(ErrorCode::invalid,
                  "a recorded cluster asks nothing: give --upstream URL, or --graph-data with --releases");
    }
    url = version.upstream();
  }
  if (url.empty()) {
    return fail(
        ErrorCode::invalid,
        "spec.upstream is unset, and the operator's default is not known here: give --upstream URL, or "
        "--graph-data with --releases");
  }
  return Asking(cluster, version, flags, stop, limit).ask(url);
}

}  // namespace fairway::cli
