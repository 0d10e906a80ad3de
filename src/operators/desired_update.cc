// SPDX-License-Identifier: Apache-2.0

#include "operators/desired_update.h"

#include <algorithm>
#include <expected>
#include <set>
#include <string_view>

#include "base/quoted_text.h"
#include "base/semver.h"
#include "base/text.h"
#include "operators/internal/cluster_id.h"
#include "operators/internal/release_metadata.h"
#include "operators/internal/service_url.h"

namespace fairway::operators {
namespace {

constexpr std::string_view field = "spec.desiredUpdate";

std::string invalid_value(std::string_view where, std::string_view value, std::string_view why) {
  return std::string(where) + ": Invalid value: " + quote(printable(value, 253)) + ": " + std::string(why);
}

/// Returns the reason why a text is no ID of a cluster; empty: it is one.
std::string_view refusal_of_id(std::string_view text) {
  const auto id = read_cluster_id(text);
  // The digits that tell variant and version (RFC 9562, sections 4.1 and 4.2).
  if (!id || !std::string_view("89ab").contains((*id)[19])) return "must be an RFC4122-variant UUID";
  return (*id)[14] == '4' ? "" : "must be a version-4 UUID";
}

bool is_version(std::string_view text) {
  return std::ranges::count(text, '.') >= 2 && Version::parse(text).has_value();
}

/// Returns the image of a completed release of the history that a rollback may go to: the one that was
/// completed last, or the previous one, within its minor version (see `payload::check_preconditions`). Empty:
/// the version is none of those.
std::string image_to_go_back_to(const openshift::ClusterVersion& cluster, std::string_view version) {
  const openshift::ReleaseView desired = cluster.desired();
  const auto from = Version::parse(desired.version()), to = Version::parse(version);
  if (!from || !to || from->major() != to->major() || from->minor() != to->minor()) return "";
  for (const auto& entry : cluster.history()) {
    // An update that was not completed is gone back to by its image.
    if (!entry.is_completed() || (entry.version() == desired.version() && entry.image() == desired.image()))
      continue;
    return entry.version() == version ? std::string(entry.image()) : "";
  }
  return "";
}

/// Returns the image of a version. An update in progress keeps its image, even if its version is offered with
/// another one; those of conditional updates have to be named. The error is the reason why there is none.
std::expected<std::string, std::string> image_of(const openshift::ClusterVersion& cluster,
                                                 std::string_view version, bool multi) {
  const auto history = cluster.history();
  const bool is_current = !history.empty() && history.front().version() == version;
  if (is_current && (!multi || is_multi(cluster, version, history.front().image())))
    return std::string(history.front().image());
  std::set<std::string> images, of_several;
  for (const openshift::ReleaseView& release : cluster.available_updates()) {
    if (release.version() != version || release.image().empty()) continue;
    images.emplace(release.image());
    if (release.text("architecture") == "Multi") of_several.emplace(release.image());
  }
  if (multi && !of_several.empty()) images = of_several;
  if (images.size() == 1) return *images.begin();
  if (images.size() > 1)
    return std::unexpected("there are multiple possible payloads for this version, specify the exact image");
  if (is_current) return std::string(history.front().image());
  if (std::string image = image_to_go_back_to(cluster, version); !image.empty()) return image;
  return std::unexpected("when image is empty the update must be an available update");
}

void validate_update(const openshift::ClusterVersion& cluster, bool accept_risks,
                     std::vector<std::string>& errors) {
  const k8s::View update = cluster.desired_update();
  const std::string_view architecture = update.text("architecture"), version = update.text("version"),
                         image = update.text("image");
  const std::string version_field = std::string(field) + ".version";
  const bool has_risks = !update.items("acceptRisks").empty();
  if (has_risks && !accept_risks)
    errors.push_back(std::string(field) + ".acceptRisks: Forbidden: acceptRisks must not be specified");
  if (!architecture.empty() && !image.empty()) {
    errors.push_back(invalid_value(std::string(field) + ".architecture", architecture,
                                   "cannot set both Architecture and Image"));
  } else if (!architecture.empty() && version.empty()) {
    errors.push_back(version_field + ": Required value: Version must be set if Architecture is set");
  } else if (architecture.empty() && version.empty() && image.empty()) {
    if (!has_risks)
      errors.push_back(std::string(field) + ": Required value: must specify architecture, version, " +
                       (accept_risks ? "image, or acceptRisks" : "or image"));
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
  if (const std::string_view url = cluster.upstream(); !refusal_of_go(url).empty())
    errors.push_back(invalid_value("spec.upstream", url, "must be a valid URL or empty"));
  if (const std::string_view id = cluster.text("spec.clusterID"); !id.empty()) {
    if (const std::string_view why = refusal_of_id(id); !why.empty())
      errors.push_back(invalid_value("spec.clusterID", id, why));
  }
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
