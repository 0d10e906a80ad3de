// SPDX-License-Identifier: Apache-2.0

#include "adm/other_channels.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/semver.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

/// Largest number of names that are shown; the rest is counted.
constexpr std::size_t most_names = 20;

/// Returns "`a`", "`a` and `b`", "`a`, `b`, and `c`", "`a`, `b`, and 7 more".
std::string enumerated(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == most_names && names.size() > most_names + 1) break;
    shown.push_back("`" + printable(name, 80) + "`");
  }
  if (shown.size() < names.size()) shown.push_back(std::to_string(names.size() - shown.size()) + " more");
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i > 0) out += shown.size() > 2 ? ", " : " ";
    if (i > 0 && i + 1 == shown.size()) out += "and ";
    out += shown[i];
  }
  return out;
}

/// Returns a text of the service without control characters for the terminal; further lines are indented.
std::string shown(std::string_view text) {
  constexpr std::size_t longest_line = 2000;
  std::string out;
  for (const std::string_view line : split(text, '\n'))
    out += (out.empty() ? "" : "\n  ") + printable(line, longest_line);
  return out;
}

/// Adds the sentences of the specification.
void say_where(const ChannelSearch& search, const std::string& here, const Caller& caller,
               CommandResult& answer) {
  answer.out += "\n" + here + ", but we have found it in " + enumerated(search.found) +
                ".\nWould you like to change the configured channel to one of those options? Use '" +
                caller.upgrade + " channel CHANNEL'.\n";
  std::string descriptions;
  for (const std::string& channel : search.found) {
    const auto description = search.descriptions.find(channel);
    if (description != search.descriptions.end() && !description->second.empty())
      descriptions += "  " + printable(channel, 80) + ": " + shown(description->second) + "\n";
  }
  if (!descriptions.empty())
    answer.out += "To help you decide, here are their channel descriptions:\n" + descriptions;
}

/// Adds the channels that did not answer, and the reason of the first.
void say_who_is_silent(const ChannelSearch& search, const std::string& here, CommandResult& answer) {
  if (search.silent.empty()) return;
  const SilentChannel& first = search.silent.front();
  std::vector<std::string> names;
  for (const SilentChannel& one : search.silent) names.push_back(one.name);
  answer.err += "warning: " + here;
  if (search.asked == 0) {
    answer.err += ", and none of the other channels could be searched: " + enumerated(names);
  } else if (search.found.empty()) {
    answer.err += ", nor in " + std::to_string(search.asked) + " of the other channels, but " +
                  enumerated(names) + " could not be searched";
  } else {
    answer.err += ", and may be in more channels: " + enumerated(names) + " could not be searched";
  }
  answer.err += (names.size() == 1 ? ": " : ". Of the first: ") + first.why + "\n";
}

json::Object as_data(const ChannelSearch& search, std::string_view version) {
  json::Array found, silent, left_out;
  for (const std::string& channel : search.found) {
    json::Object one{{"name", channel}};
    const auto description = search.descriptions.find(channel);
    if (description != search.descriptions.end() && !description->second.empty())
      one["description"] = description->second;
    found.emplace_back(std::move(one));
  }
  for (const auto& [name, why] : search.silent)
    silent.emplace_back(json::Object{{"name", name}, {"reason", why}});
  for (const std::string& sentence : search.left_out) left_out.emplace_back(sentence);
  json::Object data{{"version", version}, {"found", std::move(found)}, {"searched", search.asked}};
  if (!silent.empty()) data["notSearched"] = std::move(silent);
  if (!left_out.empty()) data["warnings"] = std::move(left_out);
  if (!search.problem.empty()) data["problem"] = search.problem;
  return data;
}

}  // namespace

void sort_by_likelihood(std::vector<std::string>& names, const openshift::ClusterVersion& cluster) {
  const auto release = Version::parse(cluster.desired().version());
  const std::string_view channel = cluster.channel();
  const std::string_view stream = channel.substr(0, channel.rfind('-'));
  const auto rank = [&](const std::string& name) {
    const std::size_t dash = name.rfind('-');
    const std::string_view minor =
        dash == name.npos ? std::string_view() : std::string_view(name).substr(dash + 1);
    const bool is_next =
        release && minor == std::to_string(release->major()) + "." + std::to_string(release->minor() + 1);
    return std::pair(release && minor == release->minor_text() ? 0
                     : is_next                                 ? 1
                                                               : 2,
                     name.substr(0, dash) == stream ? 0 : 1);
  };
  std::ranges::sort(names, [&](const std::string& a, const std::string& b) {
    const auto of_a = rank(a), of_b = rank(b);
    return of_a != of_b ? of_a < of_b : is_named_before(a, b);
  });
}

bool is_outside_channel(const openshift::ClusterVersion& cluster) {
  const auto retrieved = cluster.condition("RetrievedUpdates");
  return retrieved && retrieved->is_false() && retrieved->reason() == "VersionNotFound";
}

std::string architecture_of(const openshift::ClusterVersion& cluster) {
  if (const auto architecture = cluster.desired().find_text("architecture")) return to_lower(*architecture);
  // `Payload loaded version="V" image="I" architecture="A"`
  constexpr std::string_view key = "architecture=\"";
  const auto accepted = cluster.condition("ReleaseAccepted");
  const std::string_view message = accepted ? accepted->message() : std::string_view{};
  const std::size_t at = message.find(key);
  if (at == message.npos) return {};
  const std::string_view rest = message.substr(at + key.size());
  return to_lower(rest.substr(0, rest.find('"')));
}

void add_other_channels(const ChannelSearch& search, const openshift::ClusterVersion& cluster,
                        CommandResult& answer, const Caller& caller) {
  const std::string version(cluster.desired().version());
  const std::string here = version + " is not in `" + std::string(cluster.channel()) + "`";
  answer.data["channelSearch"] = as_data(search, version);
  if (!search.found.empty()) {
    say_where(search, here, caller, answer);
  } else if (!search.problem.empty()) {
    answer.err +=
        "warning: " + here + ", and cannot be looked for in other channels: " + search.problem + "\n";
  } else if (search.silent.empty()) {
    answer.out +=
        "\n" + here +
        (search.asked == 0   ? ", and there is no other channel to look for it in.\n"
         : search.asked == 1 ? ", nor in the only other channel.\n"
                             : ", nor in any of the " + std::to_string(search.asked) + " other channels.\n");
  }
  say_who_is_silent(search, here, answer);
  for (const std::string& sentence : search.left_out) answer.err += "warning: " + sentence + "\n";
}

}  // namespace fairway::adm
