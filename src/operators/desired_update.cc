// SPDX-License-Identifier: Apache-2.0

#include "operators/desired_update.h"

#include <algorithm>
#include <expected>
#include <set>
#include <string_view>

#include "base/quoted_text.h"
#include "base/semver.h"
#include "base/text.h"
#include "operators/internal/service_url.h"

namespace fairway::operators {
namespace {

constexpr std::string_view field = "spec.desiredUpdate";

std::string invalid_value(std::string_view where, std::string_view value, std::string_view why) {
  return std::string(where) + ": Invalid value: " + quote(printable(value, 253)) + ": " + std::string(why);
}

/// Returns whether a text is a UUID of the variant of RFC 4122.
bool is_cluster_id(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-'
             : std::string_view("0123456789abcdefABCDEF").find(text[i]) == std::string_view::npos)
      return false;
  }
  return std::string_view("89abAB").find(text[19]) != std::string_view::npos;
}

bool is_version(std::string_view text) {
  return std::ranges::count(text, '.') >= 2 && Version::parse(text).has_value();
}

/// Returns the image of a version. An update in progress keeps its image, even if its version is offered with
/// another one; the images of earlier releases are those of the history. The error is the reason why there is
/// none.
std::expected<std::string, std::string> image_of(const openshift::ClusterVersion& cluster,
                                                 std::string_view version, bool multi) {
  const auto history = cluster.history();
  const bool runs_multi = cluster.desired().text("architecture") == "Multi";
  if (!history.empty() && history.front().version() == version && (!multi || runs_multi))
    return std::string(history.front().image());
  std::set<std::string> images, of_several;
  const auto add = [&](const openshift::ReleaseView& release) {
    if (release.version() != version || release.image().empty()) return;
    images.emplace(release.image());
    if (release.text("architecture") == "Multi") of_several.emplace(release.image());
  };
  for (const auto& release : cluster.available_updates()) add(release);
  for (const auto& update : cluster.conditional_updates()) add(update.release());
  if (multi && !of_several.empty()) images = of_several;
  if (images.size() == 1) return *images.begin();
  if (images.size() > 1)
    return std::unexpected("there are multiple possible payloads for this version, specify the exact image");
  for (const auto& entry : history) {
    if (entry.version() == version && !entry.image().empty()) return std::string(entry.image());
  }
  return std::unexpected("when image is empty the update must be an available update");
}

void validate_update(const openshift::ClusterVersion& cluster, bool accept_risks,
                     std::vector<std::string>& errors) {
  const k8s::View update = cluster.desired_update();
  const std::string_view architecture = update.text("architecture"), version = update.text("version"),
                         image = update.text("image");
  const std::string version_field = std::string(field) + ".version";
  if (!architecture.empty() && !image.empty()) {
    errors.push_back(invalid_value(std::string(field) + ".architecture", architecture,
                                   "cannot set both Architecture and Image"));
  } else if (!architecture.empty() && version.empty()) {
    errors.push_back(version_field + ": Required value: Version must be set if Architecture is set");
  } else if (architecture.empty() && version.empty() && image.empty()) {
    if (!accept_risks || update.items("acceptRisks").empty())
      errors.push_back(std::string(field) + ": Required value: must specify architecture, version, or image");
  } else if (!version.empty() && !is_version(version)) {
    errors.push_back(invalid_value(version_field, version, "must be a semantic version (1.2.3[-...])"));
  } else if (image.empty()) {
    if (const auto found = image_of(cluster, version, architecture == "Multi"); !found)
      errors.push_back(invalid_value(version_field, version, found.error()));
  }
}

void take(const openshift::UpdateHistory& entry, WantedRelease& wanted) {
  wanted.version = entry.version();
  wanted.image = entry.image();
}

}  // namespace

std::vector<std::string> validate_spec(const openshift::ClusterVersion& cluster, bool accept_risks) {
  std::vector<std::string> errors;
  if (const std::string_view id = cluster.text("spec.clusterID"); !is_cluster_id(id))
    errors.push_back(invalid_value("spec.clusterID", id, "must be an RFC4122-variant UUID"));
  if (const std::string_view url = cluster.upstream(); !refusal_of_go(url).empty())
    errors.push_back(invalid_value("spec.upstream", url, "must be a valid URL or empty"));
  if (cluster.has_desired_update()) validate_update(cluster, accept_risks, errors);
  return errors;
}

WantedRelease wanted_release(const openshift::ClusterVersion& cluster, bool accept_risks) {
  WantedRelease wanted{.version = {}, .image = {}};
  wanted.invalid = validate_spec(cluster, accept_risks);
  if (const json::Value* overrides = cluster.find("spec.overrides"))
    wanted.overrides = json::to_text(*overrides);
  if (const json::Value* capabilities = cluster.find("spec.capabilities"))
    wanted.capabilities = json::to_text(*capabilities);
  const auto history = cluster.history();
  if (history.empty()) return wanted;
  const bool valid =
      std::ranges::none_of(wanted.invalid, [](const std::string& error) { return error.starts_with(field); });
  const k8s::View update = cluster.desired_update();
  const std::string_view version = update.text("version"), image = update.text("image");
  if (!valid) {
    take(history.front(), wanted);
  } else if (!image.empty()) {
    wanted.version = version;
    wanted.image = image;
  } else if (!version.empty()) {
    wanted.version = version;
    wanted.image = *image_of(cluster, version, update.text("architecture") == "Multi");
  } else {
    const auto completed = std::ranges::find_if(history, &openshift::UpdateHistory::is_completed);
    take(completed == history.end() ? history.front() : *completed, wanted);
    return wanted;
  }
  wanted.force = valid && update.flag("force");
  return wanted;
}

}  // namespace fairway::operators
