#include "client/other_channels.h"

#include <string_view>

#include "base/text.h"
#include "client/internal/texts.h"

namespace fairway::client {
namespace {

/// "`a`", "`a` and `b`", "`a`, `b`, and `c`".
std::string enumerated(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += names.size() > 2 ? ", " : " ";
    if (i > 0 && i + 1 == names.size()) out += "and ";
    out += "`" + names[i] + "`";
  }
  return out;
}

}  // namespace

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
                        Answer& answer) {
  const std::string version(cluster.desired().version());
  const std::string here = version + " is not in `" + std::string(cluster.channel()) + "`";
  json::Array found;
  for (const std::string& channel : search.found) found.emplace_back(channel);
  answer.data["foundInChannels"] = std::move(found);
  if (!search.found.empty()) {
    answer.out +=
        "\n" + here + ", but we have found it in " + enumerated(search.found) +
        ".\nWould you like to change the configured channel to one of those options? Use 'oc adm upgrade "
        "channel CHANNEL'.\n";
    std::string descriptions;
    for (const std::string& channel : search.found) {
      const auto description = search.descriptions.find(channel);
      if (description != search.descriptions.end() && !description->second.empty())
        descriptions += "  " + channel + ": " + indented(description->second) + "\n";
    }
    if (!descriptions.empty())
      answer.out += "To help you decide, here are their channel descriptions:\n" + descriptions;
  } else if (search.problem.empty()) {
    answer.out += "\n" + here + ", and in none of the " + std::to_string(search.asked) +
                  " channels of the update service.\n";
  }
  if (!search.problem.empty())
    answer.err += "warning: Cannot look for " + version + " in " +
                  (search.asked > 0 ? "all channels: " : "other channels: ") + search.problem + "\n";
}

}  // namespace fairway::client
