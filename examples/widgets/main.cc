// SPDX-License-Identifier: Apache-2.0

// An operator: Widgets in three versions, their webhooks and CRD, and the controller that acts on them.
// docs/write-a-controller.md
#include "crd.paths.h"
#include "crd.yaml.h"
#include "fairway/k8s/conditions.h"
#include "fairway/k8s/core.h"
#include "fairway/program/run.h"

using namespace fairway;

// The versions, as views of their JSON: what they do not name stays as it is. The compiler checks that each
// path is in the CRD.

namespace v1alpha1 {  // spec.size
class Widget : public k8s::Checked<k8s::Dynamic, crd::widget_v1alpha1> {
 public:
  static constexpr k8s::Resource resource{"widgets.example.com", "v1alpha1", "Widget", "widgets"};
  using Checked::Checked;
};
}  // namespace v1alpha1

namespace v1beta1 {  // spec.size, spec.replicas
class Widget : public k8s::Checked<k8s::Dynamic, crd::widget_v1beta1> {
 public:
  static constexpr k8s::Resource resource{"widgets.example.com", "v1beta1", "Widget", "widgets"};
  using Checked::Checked;
  std::optional<std::string_view> size() const { return find_text("spec.size"); }
  std::optional<std::int64_t> replicas() const { return find_integer("spec.replicas"); }
};
}  // namespace v1beta1

namespace v1 {  // spec.capacity.{size,replicas}, spec.mode: the older ones cannot say "turbo", nor XL
class Widget : public k8s::Checked<k8s::Dynamic, crd::widget_v1> {
 public:
  static constexpr k8s::Resource resource{"widgets.example.com", "v1", "Widget", "widgets"};
  using Checked::Checked;
  std::optional<std::string_view> size() const { return find_text("spec.capacity.size"); }
  std::optional<std::int64_t> replicas() const { return find_integer("spec.capacity.replicas"); }
  std::string_view mode() const { return text("spec.mode"); }
};
}  // namespace v1

namespace {

// Neighbours know each other, nobody else.

Result<v1beta1::Widget> to_beta(v1alpha1::Widget older) {
  return v1beta1::Widget(older.release());
}

Result<v1alpha1::Widget> to_alpha(v1beta1::Widget newer) {
  newer.erase("spec.replicas");
  return v1alpha1::Widget(newer.release());
}

Result<v1::Widget> to_v1(const v1beta1::Widget& older) {
  v1beta1::Widget kept(older);
  kept.erase("spec.size");
  kept.erase("spec.replicas");
  v1::Widget newer(kept.release());
  if (older.size()) newer.set("spec.capacity.size", *older.size());
  if (older.replicas()) newer.set("spec.capacity.replicas", *older.replicas());
  return newer;
}

Result<v1beta1::Widget> from_v1(const v1::Widget& newer) {
  v1::Widget kept(newer);
  kept.erase("spec.capacity");
  kept.erase("spec.mode");
  v1beta1::Widget older(kept.release());
  if (newer.size()) older.set("spec.size", *newer.size() == "XL" ? "L" : *newer.size());
  if (newer.replicas()) older.set("spec.replicas", *newer.replicas());
  return older;
}

// Everything about the kind in one place.
void add_widgets(conversion::Converters& converters) {
  converters.kind("widgets.example.com", "Widget")
      .storage("v1")
      .step<v1alpha1::Widget, v1beta1::Widget>(to_beta, to_alpha)
      .step<v1beta1::Widget, v1::Widget>(to_v1, from_v1)
      .keep_lost_fields()
      .defaults<v1::Widget>([](v1::Widget& widget) {
        if (widget.mode().empty()) widget.set("spec.mode", "steady");
      })
      .validates<v1::Widget>([](const v1::Widget& widget, const v1::Widget*) -> Result<void> {
        if (widget.mode() == "turbo" && widget.replicas().value_or(0) < 2) {
          return conversion::invalid_field("spec.mode", "turbo needs at least 2 replicas");
        }
        return {};
      });
}

/// Makes the ConfigMap that a Widget's pods read what it should be, and reports the result in the status. It
/// gets the object, never the reason of the call: it may be called at any time, and again.
Result<kube::Requeue> reconcile(const kube::Context& context, const v1::Widget& widget) {
  auto settings =
      k8s::make<k8s::ConfigMap>(std::string(widget.name()) + "-settings", widget.namespace_name());
  settings.set_data("size", widget.size().value_or("S"));
  settings.set_data("replicas", std::to_string(widget.replicas().value_or(1)));
  settings.set_data("mode", widget.mode());
  if (auto owned = settings.set_owner(widget); !owned) return kube::give_up(owned.error());
  const auto applied =
      context.api<k8s::ConfigMap>().apply(settings, {.field_manager = "widgets"}, context.limits());
  if (!applied && !applied.error().is_answer()) return fail(applied.error());  // retried with backoff

  static const k8s::ConditionPolicy policy = k8s::gateway_policy({"Ready"});
  const auto updated = context.update_status<v1::Widget>(widget, [&](v1::Widget& now) {
    k8s::Conditions conditions(now, policy, context.clock());
    if (applied) {
      conditions.set_true("Ready", "SettingsApplied", "the settings are in " + settings.key().to_string());
    } else {
      conditions.set_false("Ready", "SettingsRefused", applied.error().message);
    }
  });
  if (!applied) return fail(applied.error());
  const auto before = k8s::find_condition(widget, "Ready");
  if (updated && !(before && before->is_true()))
    context.events().normal(widget, "SettingsApplied", "its settings are there");
  return updated;
}

void add_controllers(kube::Manager& manager) {
  manager.controller<v1::Widget>("widgets")
      .when(kube::generation_changed)
      .owns<k8s::ConfigMap>()
      .reconcile(reconcile);
}

}  // namespace

int main(int argc, char** argv) {
  return program::run({.name = "widgets",
                       .description = "Keeps the settings of each Widget in a ConfigMap.",
                       .release = "1.0.0",
                       .definitions = crd_yaml,
                       .kinds = add_widgets,
                       .controllers = add_controllers},
                      argc, argv);
}
