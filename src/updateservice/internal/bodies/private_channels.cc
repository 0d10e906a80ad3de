// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/bodies/private_channels.h"

#include <set>

#include "base/digest.h"
#include "base/text.h"
#include "http/credentials.h"

namespace fairway::updateservice {
/// Returns the digest of the credentials in an Authorization header; nothing if they cannot be read.
std::optional<std::string> PrivateChannels::presented_digest(std::string_view authorization) {
  const std::string_view value = trim(authorization);
  const std::size_t space = value.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view scheme = value.substr(0, space);
  const std::string_view rest = trim(value.substr(space + 1));
  if (equals_ignoring_case(scheme, "bearer")) return bearer_digest(sha256_hex(rest));
  if (!equals_ignoring_case(scheme, "basic")) return std::nullopt;
  const auto presented = http::decode_basic(rest);
  if (!presented) return std::nullopt;
  return basic_digest(presented->username, sha256_hex(presented->password));
}

std::string PrivateChannels::basic_digest(std::string_view user, std::string_view password_sha256) {
  return sha256_hex("basic" + std::string(1, '\0') + std::string(user) + std::string(1, '\0') +
                    std::string(password_sha256));
}

std::string PrivateChannels::bearer_digest(std::string_view token_sha256) {
  return sha256_hex("bearer" + std::string(1, '\0') + std::string(token_sha256));
}

std::shared_ptr<const PrivateChannels> PrivateChannels::none() {
  static const auto empty = std::make_shared<const PrivateChannels>();
  return empty;
}

PrivateChannels::RuleIndex PrivateChannels::rule_of(std::string_view channel) const {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (!matches_glob(rules_[i].pattern, channel)) continue;
    if (rules_[i].open) return std::nullopt;
    return i;
  }
  return std::nullopt;
}

std::optional<AudienceIndex> PrivateChannels::authenticate(
    std::optional<std::string_view> authorization) const {
  if (!authorization || rules_.empty()) return public_audience;
  const auto digest = presented_digest(*authorization);
  if (!digest) return std::nullopt;
  std::optional<AudienceIndex> found;
  for (const Credential& credential : credentials_) {
    if (same_secret(credential.digest, *digest)) found = credential.audience;
  }
  return found;
}

PrivateChannels::OpenRules PrivateChannels::only(RuleIndex rule) const {
  OpenRules open(rules_.size());
  if (rule) open[*rule] = true;
  return open;
}

std::vector<std::string> PrivateChannels::unused(const graph::Snapshot& snapshot) const {
  std::vector<std::string> patterns;
  std::vector<bool> decides(rules_.size());
  for (const graph::SnapshotChannel& channel : snapshot.channels) {
    if (const RuleIndex rule = rule_of(channel.name)) decides[*rule] = true;
  }
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (!rules_[i].open && !decides[i]) patterns.push_back(rules_[i].pattern);
  }
  return patterns;
}

graph::View PrivateChannels::view(const OpenRules& open, const graph::Snapshot& snapshot) const {
  if (rules_.empty()) return graph::View(snapshot);
  const auto shown = [&](std::string_view name) {
    const RuleIndex rule = rule_of(name);
    return !rule || open[*rule];
  };
  std::vector<bool> channels;
  for (const graph::SnapshotChannel& channel : snapshot.channels) channels.push_back(shown(channel.name));
  std::set<std::string, std::less<>> others;
  const auto hide = [&](const std::string& name) {
    if (!shown(name)) others.insert(name);
  };
  for (const graph::ChannelData& channel : snapshot.graph_data->channels) {
    if (channel.feeder) hide(channel.feeder->name);
  }
  for (const graph::Problem& problem : snapshot.problems) {
    for (const std::string& name : problem.channels) hide(name);
  }
  bool all = true;
  for (std::size_t i = 0; i < rules_.size(); ++i) all = all && (rules_[i].open || open[i]);
  return {snapshot, std::move(channels), std::move(others), all};
}

}  // namespace fairway::updateservice
