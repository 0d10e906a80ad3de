// SPDX-License-Identifier: Apache-2.0

#include "envtest/internal/runtime_config.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "apiserver/built_in_apis.h"
#include "base/text.h"

namespace fairway::envtest {
namespace {

/// Classes of APIs. Those served here are generally available.
constexpr std::array<std::string_view, 2> all_of_ours{"api/all", "api/ga"};
constexpr std::array<std::string_view, 3> classes_of_none{"api/beta", "api/alpha", "api/legacy"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns the group version of "apps/v1" and "apps/v1/deployments".
std::string group_version_of(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return std::string(key);
  return std::string(key.substr(0, key.find('/', slash + 1)));
}

/// Returns the setting after the "=", which is true where there is none.
std::optional<bool> setting_of(std::string_view entry) {
  const std::size_t equals = entry.find('=');
  const std::string_view value = equals == std::string_view::npos ? "" : entry.substr(equals + 1);
  if (value.empty() || value == "true") return true;
  if (value == "false") return false;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> read_runtime_config(const std::vector<std::string>& config,
                                             std::vector<std::string>& warnings) {
  const std::vector<apiserver::BuiltInApi> apis = apiserver::built_in_apis();
  std::map<std::string, bool, std::less<>> settings;
  bool serves_all = true;
  for (const std::string& entry : config) {
    const std::string key = entry.substr(0, entry.find('='));
    const auto setting = setting_of(entry);
    const std::string flag = "--runtime-config=" + entry;
    if (!setting) {
      warnings.push_back(flag + " has no effect: write " + key + "=true or =false");
    } else if (is_one_of(all_of_ours, key)) {
      serves_all = *setting;
      if (*setting && key == "api/all") {
        warnings.push_back(flag + " has no effect here: no alpha and no beta version is served");
      }
    } else if (is_one_of(classes_of_none, key)) {
      if (*setting) warnings.push_back(flag + " has no effect here: no alpha and no beta version is served");
    } else {
      const auto known =
          std::ranges::find(apis, group_version_of(key), &apiserver::BuiltInApi::group_version);
      if (known == apis.end()) {
        if (*setting) warnings.push_back(flag + " has no effect here: it is not served");
      } else if (!*setting && known->is_needed) {
        warnings.push_back(flag + " has no effect here: the server itself needs it");
      } else {
        settings[key] = *setting;
      }
    }
  }
  std::vector<std::string> disabled;
  for (const auto& [key, is_served] : settings) {
    if (!is_served) disabled.push_back(key);
  }
  if (serves_all) return disabled;
  for (const apiserver::BuiltInApi& api : apis) {
    const bool is_kept = api.is_needed || settings.contains(api.group_version) ||
                         std::ranges::any_of(settings, [&](const auto& one) {
                           return one.second && one.first.starts_with(api.group_version + "/");
                         });
    if (!is_kept) disabled.push_back(api.group_version);
  }
  return disabled;
}

}  // namespace fairway::envtest
