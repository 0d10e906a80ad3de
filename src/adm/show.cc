// SPDX-License-Identifier: Apache-2.0

#include "adm/show.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "adm/internal/columns.h"
#include "adm/internal/release_version.h"
#include "adm/internal/texts.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;
using openshift::ConditionalUpdate;
using openshift::ReleaseView;

constexpr std::string_view no_updates =
    "No updates available. You may still upgrade to a specific release image with --to-image or wait for new "
    "updates to be available.\n";
// The sentences of the specification (the enhancement of docs/risks.md, section Cluster
// administrator), where today's client has others.
constexpr std::string_view more_updates =
    "\nAdditional updates which are not recommended based on your cluster configuration are available, to "
    "view "
    "those re-run the command with --include-not-recommended.\n";
constexpr std::string_view no_more_updates =
    "\nNo updates which are not recommended based on your cluster configuration are available.\n";

/// An update that is not recommended, and its condition.
struct NotRecommended {
  ConditionalUpdate update;
  k8s::Condition recommended;
};

std::vector<ReleaseView> recommended_updates(const ClusterVersion& cluster) {
  std::vector<ReleaseView> updates = cluster.available_updates();
  std::ranges::stable_sort(updates, is_shown_before, &ReleaseView::version);
  return updates;
}

std::vector<NotRecommended> not_recommended_updates(const ClusterVersion& cluster) {
  std::vector<NotRecommended> updates;
  for (const ConditionalUpdate& update : cluster.conditional_updates())
    if (const auto recommended = update.condition("Recommended"); recommended && !recommended->is_true())
      updates.push_back({update, *recommended});
  std::ranges::stable_sort(updates, is_shown_before,
                           [](const NotRecommended& one) { return one.update.release().version(); });
  return updates;
}

void warn_of(CommandResult& answer, std::string_view what, const k8s::Condition& condition) {
  answer.err += "warning: " + std::string(what) + ":" + explain(condition) + "\n\n";
}

void show_progress(const ClusterVersion& cluster, const Caller& caller, CommandResult& answer) {
  const auto missing = [&](std::string_view type) {
    answer.err += "warning: No current " + std::string(type) + " info, " + caller.describe_hint() + ".\n";
  };
  if (const auto failing = cluster.condition("Failing"); !failing) {
    missing("Failing");
  } else if (!failing->is_false()) {
    answer.out += "Failing=" + std::string(status_of(*failing)) + ":\n" + explain(*failing) + "\n\n";
  }
  const auto progressing = cluster.condition("Progressing");
  if (!progressing || progressing->message().empty()) {
    missing("Progressing");
  } else {
    if (progressing->is_true()) answer.out += "info: An upgrade is in progress. ";
    answer.out += std::string(progressing->message()) + "\n";
  }
  answer.out += '\n';
  const auto section = [&](const k8s::Condition& condition) {
    answer.out += std::string(condition.type()) + "=" + std::string(status_of(condition)) + "\n" +
                  explain(condition) + "\n\n";
  };
  if (const auto upgradeable = cluster.condition("Upgradeable"); upgradeable && upgradeable->is_false())
    section(*upgradeable);
  if (const auto accepted = cluster.condition("ReleaseAccepted"); accepted && !accepted->is_true())
    section(*accepted);
}

/// Shows the descriptions of the channels that the release is in, and of the configured one.
void show_descriptions(const ClusterVersion& cluster, const std::vector<openshift::Channel>& channels,
                       CommandResult& answer) {
  if (cluster.channel().empty()) return;
  const std::vector<std::string_view> offered = cluster.desired().channels();
  std::vector<const openshift::Channel*> described;
  for (const openshift::Channel& channel : channels)
    if (!channel.description().empty() &&
        (channel.name() == cluster.channel() || std::ranges::find(offered, channel.name()) != offered.end()))
      described.push_back(&channel);
  std::ranges::sort(described, {}, [](const openshift::Channel* channel) { return channel->name(); });
  for (const openshift::Channel* channel : described)
    answer.out += "  " + std::string(channel->name()) + ": " + indented(channel->description()) + "\n";
}

void show_recommended(const ShowFlags& flags, const ClusterVersion& cluster, CommandResult& answer) {
  const auto retrieved = cluster.condition("RetrievedUpdates");
  const bool refreshed = !retrieved || !retrieved->is_false();
  const std::vector<ReleaseView> updates = recommended_updates(cluster);
  if (updates.empty()) {
    if (refreshed) {
      answer.out += no_updates;
    } else {
      warn_of(answer, "Cannot display available updates", *retrieved);
    }
    return;
  }
  std::string rows = flags.wide ? "  VERSION\tIMAGE\tURL\tCHANNELS\n" : "  VERSION\tIMAGE\n";
  for (const ReleaseView& update : updates) {
    rows += "  " + std::string(update.version()) + "\t" + std::string(update.image());
    if (flags.wide) {
      const auto in = update.channels();
      rows += "\t" + std::string(update.url()) + "\t" + join({in.begin(), in.end()}, ", ");
    }
    rows += '\n';
  }
  answer.out += "\nRecommended updates:\n\n" + lay_out_columns(rows, {.min_width = 14, .padding = 1});
  if (!refreshed) warn_of(answer, "Cannot refresh available updates", *retrieved);
}

/// Returns "Message: M", or several lines below it, each indented by four spaces (the specification's
/// example).
std::string message_lines(std::string_view message) {
  const std::string_view text = trim(message);
  if (!text.contains('\n')) return "  Message: " + std::string(text) + "\n";
  std::string out = "  Message:\n";
  for (const std::string_view line : split(text, '\n'))
    out += trim(line).empty() ? "\n" : "    " + std::string(line) + "\n";
  return out;
}

void show_not_recommended(const ShowFlags& flags, const ClusterVersion& cluster, CommandResult& answer) {
  const std::vector<NotRecommended> updates = not_recommended_updates(cluster);
  if (!flags.include_not_recommended) {
    if (!updates.empty()) answer.out += more_updates;
    return;
  }
  if (updates.empty()) {
    answer.out += no_more_updates;
    return;
  }
  answer.out += "\nSupported but not recommended updates:\n";
  for (const auto& [update, recommended] : updates) {
    const ReleaseView release = update.release();
    answer.out +=
        "\n  Version: " + std::string(release.version()) + "\n  Image: " + std::string(release.image());
    if (flags.wide) {
      const auto in = release.channels();
      answer.out +=
          "\n  URL: " + std::string(release.url()) + "\n  Channels: " + join({in.begin(), in.end()}, ", ");
    }
    answer.out += "\n  Recommended: " + std::string(status_of(recommended)) +
                  "\n  Reason: " + std::string(recommended.reason()) + "\n" +
                  message_lines(recommended.message());
    for (const k8s::Condition& further : update.conditions())
      if (further.type() != "Recommended")
        answer.out += "  " + std::string(further.type()) + "=" + std::string(status_of(further)) + " " +
                      std::string(further.reason()) + ": " + indented(further.message()) + "\n";
  }
}

/// Warns of the operator's conditions about the lists, other than their retrieval, and about applying an
/// update.
void warn_of_lists(const ClusterVersion& cluster, CommandResult& answer) {
  if (const auto keys = cluster.condition("fairway.dev/ReleaseKeysMissing"); keys && keys->is_true())
    warn_of(answer, "Updates cannot be verified", *keys);
  if (const auto stale = cluster.condition("fairway.dev/StaleUpdates"); stale && stale->is_true())
    warn_of(answer, "The updates shown are old", *stale);
  if (const auto incomplete = cluster.condition("fairway.dev/IncompleteUpdates");
      incomplete && incomplete->is_true())
    warn_of(answer, "Some updates are not shown as they are", *incomplete);
  // A service that serves no channels has nothing to describe: that is no failure.
  if (const auto channels = cluster.condition("RetrievedChannels");
      channels && channels->is_false() && channels->reason() != "ChannelsNotServed")
    warn_of(answer, "Cannot refresh channels", *channels);
}

json::Object as_data(const ReleaseView& release) {
  json::Object data{{"version", release.version()}, {"image", release.image()}};
  if (!release.url().empty()) data["url"] = release.url();
  json::Array channels;
  for (const std::string_view channel : release.channels()) channels.emplace_back(channel);
  if (!channels.empty()) data["channels"] = std::move(channels);
  return data;
}

json::Object as_data(const ClusterVersion& cluster, const std::vector<openshift::Channel>& channels) {
  json::Object data{{"current", as_data(cluster.desired())},
                    {"channel", cluster.channel()},
                    {"upstream", cluster.upstream()}};
  json::Array conditions, recommended, others;
  for (const auto& condition : cluster.items<k8s::Condition>("status.conditions"))
    conditions.emplace_back(condition.json());
  for (const ReleaseView& update : recommended_updates(cluster)) recommended.emplace_back(as_data(update));
  for (const auto& [update, verdict] : not_recommended_updates(cluster)) {
    json::Object one = as_data(update.release());
    json::Array further;
    for (const k8s::Condition& condition : update.conditions()) further.emplace_back(condition.json());
    one["conditions"] = std::move(further);
    json::Array risks;
    for (const k8s::View& risk : update.risks())
      risks.emplace_back(json::Object{
          {"name", risk.text("name")}, {"url", risk.text("url")}, {"message", risk.text("message")}});
    one["risks"] = std::move(risks);
    others.emplace_back(std::move(one));
  }
  data["conditions"] = std::move(conditions);
  data["recommended"] = std::move(recommended);
  data["notRecommended"] = std::move(others);
  json::Object descriptions;
  for (const openshift::Channel& channel : channels) descriptions[channel.name()] = channel.description();
  if (!descriptions.empty()) data["channelDescriptions"] = std::move(descriptions);
  json::Array history;
  for (const auto& entry : cluster.history()) history.emplace_back(entry.json());
  data["history"] = std::move(history);
  if (cluster.has_desired_update()) data["desiredUpdate"] = cluster.desired_update().json();
  return data;
}

}  // namespace

CommandResult show(const ShowFlags& flags, const ClusterVersion& cluster,
                   const std::vector<openshift::Channel>& channels) {
  CommandResult answer;
  show_progress(cluster, flags.caller, answer);
  answer.out += channel_lines(cluster, "Upstream");
  show_descriptions(cluster, channels, answer);
  show_recommended(flags, cluster, answer);
  show_not_recommended(flags, cluster, answer);
  warn_of_lists(cluster, answer);
  answer.data = as_data(cluster, channels);
  return answer;
}

CommandResult no_cluster_version_answer(bool capital) {
  CommandResult answer;
  answer.fail(no_cluster_version(capital ? "No" : "no"));
  return answer;
}

}  // namespace fairway::adm
