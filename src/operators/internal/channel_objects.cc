// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/channel_objects.h"

#include <optional>

#include "openshift/channel.h"

namespace fairway::operators {

Result<void> keep_channels(const kube::Context& context, const std::map<std::string, std::string>& wanted) {
  kube::Api<openshift::Channel> api = context.api<openshift::Channel>();
  const auto there = api.list({}, context.limits());
  if (!there) return fail(there.error());
  std::optional<Error> first_error;
  const auto record = [&](const Error& error) {
    if (!first_error) first_error = error;
  };
  std::map<std::string, std::string> described;
  for (const openshift::Channel& channel : there->items) {
    if (wanted.contains(std::string(channel.name()))) {
      described.emplace(channel.name(), channel.description());
    } else if (const auto removed = api.remove(std::string(channel.name()), {}, context.limits());
               !removed && !removed.error().is_not_found()) {
      record(removed.error());
    }
  }
  for (const auto& [name, description] : wanted) {
    if (!described.contains(name)) {
      auto channel = k8s::make<openshift::Channel>(name);
      channel.object("spec");
      const auto created = api.create(channel, {.field_manager = context.controller()}, context.limits());
      if (!created && !created.error().is_already_exists()) {
        record(created.error());
        continue;
      }
    }
    if (described[name] == description) continue;
    const auto written = context.update_status<openshift::Channel>({"", name}, [&](openshift::Channel& now) {
      if (description.empty()) {
        now.erase("status.description");
      } else {
        now.set("status.description", description);
      }
    });
    if (!written) record(written.error());
    if (context.stop().stop_requested()) break;
  }
  if (first_error) return fail(*first_error);
  return {};
}

}  // namespace fairway::operators
