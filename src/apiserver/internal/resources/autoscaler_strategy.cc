// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/autoscaler_strategy.h"

#include <string_view>
#include <utility>

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/typed_object.h"
#include "apiserver/internal/resources/autoscaler_conversion.h"
#include "apiserver/internal/validation/objects.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;

constexpr std::string_view kind = "HorizontalPodAutoscaler";

class AutoscalerStrategy final : public Strategy {
 public:
  void prepare_for_create(Dynamic& object) const override {
    // An empty status, as Go writes it.
    if (object.api_version() != "autoscaling/v2") return;
    object.set("status", json::Value{{"desiredReplicas", 0}, {"currentMetrics", nullptr}});
  }
  std::vector<k8s::FieldError> validate(const Dynamic& object, const Dynamic* old, Part part) const override {
    if (part != Part::object) return {};
    // The errors are those of one version, whatever the request's is.
    Dynamic current = object;
    if (current.api_version() == "autoscaling/v1") convert_autoscaler_to_v2(current);
    if (old == nullptr) return validation::check_object(kind, current, nullptr);
    Dynamic before = *old;
    if (before.api_version() == "autoscaling/v1") convert_autoscaler_to_v2(before);
    return validation::check_object(kind, current, &before);
  }
  k8s::StatusResult<void> convert(Dynamic& object, const k8s::GroupVersionKind& to) const override {
    if (object.api_version() == to.api_version()) return {};
    if (to.version == "v1") {
      convert_autoscaler_to_v1(object);
    } else {
      convert_autoscaler_to_v2(object);
    }
    object.set("apiVersion", to.api_version());
    // In the order and the form of the type; a hand-made annotation may have left what does not fit it.
    auto typed = kinds::read_typed(json::Value(object.json()), *kinds::Kinds::find(to));
    if (!typed) return std::unexpected(k8s::answer::bad_request(typed.error().message));
    object = Dynamic(std::move(typed->get_object()));
    return {};
  }
};

}  // namespace

std::shared_ptr<const Strategy> autoscaler_strategy() {
  return std::make_shared<AutoscalerStrategy>();
}

}  // namespace fairway::apiserver::resources
