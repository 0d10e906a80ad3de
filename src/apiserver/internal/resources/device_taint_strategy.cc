// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/device_taint_strategy.h"

#include <string>

#include "apiserver/internal/resources/checked_strategy.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;

constexpr std::string_view group = "resource.k8s.io", time_added = "timeAdded";

class DeviceTaintRuleStrategy final : public CheckedStrategy {
 public:
  DeviceTaintRuleStrategy() : CheckedStrategy({std::string(group), "DeviceTaintRule"}) {}

  void stamp(Dynamic& object, const Dynamic* old, const Writer& writer) const override {
    // One that says nothing stays so.
    if (object.text(effect).empty()) return;
    const bool has_changed =
        old != nullptr && object.text(effect) != old->text(effect) && object.text(time) == old->text(time);
    if (has_changed || object.text(time).empty()) object.set_time(time, writer.now);
  }

 private:
  static constexpr std::string_view effect = "spec.taint.effect", time = "spec.taint.timeAdded";
};

class ResourceSliceStrategy final : public CheckedStrategy {
 public:
  ResourceSliceStrategy() : CheckedStrategy({std::string(group), "ResourceSlice"}) {}

  void stamp(Dynamic& object, const Dynamic*, const Writer& writer) const override {
    // Members are not made where there are none.
    if (object.items("spec.devices").empty()) return;
    for (k8s::Editor& device : object.edit_items("spec.devices")) {
      if (device.items("taints").empty()) continue;
      for (k8s::Editor& taint : device.edit_items("taints"))
        if (taint.text(time_added).empty()) taint.set_time(time_added, writer.now);
    }
  }
};

}  // namespace

std::shared_ptr<const Strategy> device_taint_strategy(std::string_view kind) {
  if (kind == "DeviceTaintRule") return std::make_shared<DeviceTaintRuleStrategy>();
  return std::make_shared<ResourceSliceStrategy>();
}

}  // namespace fairway::apiserver::resources
