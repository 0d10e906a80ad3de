// SPDX-License-Identifier: Apache-2.0

#include "envtest/internal/admission_plugins.h"

#include <algorithm>

#include "admission-plugins.txt.h"
#include "apiserver/kubernetes_release.h"
#include "envtest/internal/table.h"

namespace fairway::envtest {
namespace {

/// Returns "here", "absent", "switched" or "harmless"; empty for a plugin that kube-apiserver does not have.
std::string_view place_of(std::string_view plugin) {
  for (std::string_view row : rows_of(admission_plugins_text)) {
    if (take_word(row) == plugin) return row;
  }
  return {};
}

std::string no_such_plugin() {
  return ": kube-apiserver " + std::string(apiserver::kubernetes_minor_release) + " has no such plugin";
}

bool is_among(const std::vector<std::string>& plugins, std::string_view plugin) {
  return std::ranges::find(plugins, plugin) != plugins.end();
}

}  // namespace

SwitchedPlugins read_admission_plugins(const std::vector<std::string>& enabled,
                                       const std::vector<std::string>& disabled,
                                       std::vector<std::string>& warnings) {
  for (const std::string& plugin : enabled) {
    const std::string_view place = place_of(plugin);
    const std::string flag = "--enable-admission-plugins=" + plugin;
    if (place.empty()) warnings.push_back(flag + no_such_plugin());
    if (place == "absent") warnings.push_back(flag + " has no effect here: there is no such plugin");
  }
  for (const std::string& plugin : disabled) {
    const std::string_view place = place_of(plugin);
    const std::string flag = "--disable-admission-plugins=" + plugin;
    if (place.empty()) warnings.push_back(flag + no_such_plugin());
    if (place == "here") warnings.push_back(flag + " has no effect here: what it does cannot be turned off");
  }
  const auto is_on = [&](const std::string& plugin) {
    return is_among(enabled, plugin) || !is_among(disabled, plugin);
  };
  return {.service_account = is_on("ServiceAccount"),
          .resource_quota = is_on("ResourceQuota"),
          .limit_ranger = is_on("LimitRanger")};
}

}  // namespace fairway::envtest
