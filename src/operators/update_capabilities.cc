// SPDX-License-Identifier: Apache-2.0

// The capabilities of the cluster: which objects of a release are for it.
#include <utility>

#include "operators/update_machine.h"

namespace fairway::operators {
namespace {

k8s::View spec_of(const json::Value& parsed) {
  static const json::Object none;
  return k8s::View(parsed.is_object() ? parsed.as_object() : none);
}

}  // namespace

payload::Capabilities UpdateMachine::capabilities_with(const payload::ReleaseImage& image,
                                                       const payload::CapabilityNames& kept) const {
  const payload::CapabilityNames in_release = payload::capability_names(image.manifests);
  const json::Value spec = json::parse(wanted_.capabilities).value_or(json::Value());
  payload::CapabilityNames before = kept;
  if (enabled_before_) {
    before.insert(enabled_before_->begin(), enabled_before_->end());
  } else {
    // The cluster was brought here by a program that knew no capabilities: it has applied all of them.
    const json::Object all;
    const auto applied =
        payload::capabilities_of(k8s::View(all), {}, in_release, settings_.selection.feature_gates);
    before.insert(applied.enabled.begin(), applied.enabled.end());
  }
  return payload::capabilities_of(spec_of(spec), before, in_release, settings_.selection.feature_gates);
}

payload::Selection UpdateMachine::selection_with(const payload::Capabilities& capabilities,
                                                 const Version& release) const {
  payload::Selection selection = settings_.selection;
  selection.capabilities = capabilities.enabled;
  selection.known_capabilities = capabilities.known;
  selection.major_version = release.major();
  return selection;
}

void UpdateMachine::write_first_capabilities(openshift::ClusterVersion& cluster) const {
  const k8s::View spec = cluster.at("spec.capabilities");
  cluster.set("status.capabilities",
              payload::capabilities_of(spec, {}, {}, settings_.selection.feature_gates).to_status());
}

void UpdateMachine::write_capabilities(openshift::ClusterVersion& cluster) const {
  const auto history = cluster.history();
  const std::lock_guard lock(mutex_);
  if (known_capabilities_ && !history.empty() && history.front().image() == known_capabilities_->first)
    cluster.set("status.capabilities", known_capabilities_->second);
}

}  // namespace fairway::operators
