// SPDX-License-Identifier: Apache-2.0

// ClusterVersion, the resource of config.openshift.io that says what a cluster runs and what it may update
// to.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "k8s/condition.h"
#include "k8s/object.h"

namespace fairway::openshift {

/// A release image and its known metadata.
class ReleaseView : public k8s::View {
 public:
  using View::View;
  explicit ReleaseView(const View& view) : View(view) {}
  std::string_view version() const { return text("version"); }
  std::string_view image() const { return text("image"); }
  std::string_view url() const { return text("url"); }
  /// Returns the channels that the release belongs to.
  std::vector<std::string_view> channels() const { return texts("channels"); }
};

/// An update that some clusters should not take.
class ConditionalUpdate : public k8s::View {
 public:
  using View::View;
  ReleaseView release() const { return ReleaseView(at("release")); }
  /// Returns its risks, each with `url`, `name`, `message` and `matchingRules`.
  std::vector<View> risks() const { return items("risks"); }
  std::optional<k8s::Condition> condition(std::string_view type) const {
    return k8s::find_condition(*this, type, "conditions");
  }
  std::vector<k8s::Condition> conditions() const { return items<k8s::Condition>("conditions"); }
};

/// A release that the cluster was, or is being, updated to.
class UpdateHistory : public k8s::View {
 public:
  using View::View;
  bool is_completed() const { return text("state") == "Completed"; }
  bool is_partial() const { return text("state") == "Partial"; }
  std::optional<WallTime> started() const { return find_time("startedTime"); }
  std::optional<WallTime> completed() const { return find_time("completionTime"); }
  std::string_view version() const { return text("version"); }
  std::string_view image() const { return text("image"); }
};

/// The ClusterVersion of a cluster, of which there is one, named "version".
class ClusterVersion : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"config.openshift.io", "v1", "ClusterVersion", "clusterversions",
                                          k8s::Scope::cluster};
  static constexpr std::string_view object_name = "version";
  using Dynamic::Dynamic;

  std::string_view channel() const { return text("spec.channel"); }
  /// Returns the update service; empty: the operator's default.
  std::string_view upstream() const { return text("spec.upstream"); }
  bool has_desired_update() const { return has("spec.desiredUpdate"); }
  /// Returns the requested update, with `version`, `image`, `architecture`, `force` and `acceptRisks`.
  View desired_update() const { return at("spec.desiredUpdate"); }

  /// Returns the release that is being applied, or has been.
  ReleaseView desired() const { return ReleaseView(at("status.desired")); }
  /// Returns the updates so far, the newest first.
  std::vector<UpdateHistory> history() const { return items<UpdateHistory>("status.history"); }
  std::vector<ReleaseView> available_updates() const { return items<ReleaseView>("status.availableUpdates"); }
  std::vector<ConditionalUpdate> conditional_updates() const {
    return items<ConditionalUpdate>("status.conditionalUpdates");
  }
  std::optional<k8s::Condition> condition(std::string_view type) const {
    return k8s::find_condition(*this, type);
  }
};

}  // namespace fairway::openshift
