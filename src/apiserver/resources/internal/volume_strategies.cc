#include "apiserver/resources/internal/volume_strategies.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "apiserver/resources/internal/checked_strategy.h"
#include "apiserver/resources/internal/same_value.h"
#include "apiserver/resources/internal/take_over.h"

namespace fairway::apiserver {
namespace {

using k8s::Dynamic;
using k8s::FieldError;
using Errors = std::vector<FieldError>;

constexpr std::string_view size_path = "spec.resources.requests.storage",
                           class_path = "spec.storageClassName", volume_path = "spec.volumeName",
                           phase_path = "status.phase", transition_path = "status.lastPhaseTransitionTime";
constexpr std::string_view class_annotation = "volume.beta.kubernetes.io/storage-class";

/// The bytes of a quantity in its canonical form; 0 if there is none. Exact enough to compare two that
/// differ.
long double bytes_of(std::string_view quantity) {
  long long digits = 0;
  const auto [end, fault] = std::from_chars(quantity.data(), quantity.data() + quantity.size(), digits);
  if (fault != std::errc()) return 0;
  const std::string_view suffix(end, quantity.data() + quantity.size());
  if (suffix.size() > 1 && (suffix[0] == 'e' || suffix[0] == 'E')) {
    int exponent = 0;
    std::from_chars(suffix.data() + 1 + (suffix[1] == '+' ? 1 : 0), suffix.data() + suffix.size(), exponent);
    return digits * std::pow(10.0L, exponent);
  }
  constexpr std::string_view binary = "KMGTPE", decimal = "num kMGTPE";
  constexpr long double step = 1024, thousand = 1000;
  if (suffix.size() == 2) return digits * std::pow(step, static_cast<int>(binary.find(suffix[0])) + 1);
  const int power = suffix.empty() ? 0 : static_cast<int>(decimal.find(suffix[0])) - 3;
  return digits * std::pow(thousand, power);
}

/// Whether an annotation of before became the field, or the class was not said until now.
bool takes_class(const Dynamic& object, const Dynamic& old) {
  if (old.has(class_path) || !object.has(class_path)) return false;
  const auto annotation = old.annotations().find(class_annotation);
  return !annotation || *annotation == object.text(class_path);
}

Errors check_claim(const Dynamic& object, const Dynamic* old) {
  Errors errors;
  if (old == nullptr) return errors;
  Dynamic now(json::Object{{"spec", value_at(object, "spec")}}),
      before(json::Object{{"spec", value_at(*old, "spec")}});
  if (old->text(volume_path).empty()) take_over(before, now, volume_path);
  if (takes_class(object, *old)) now.erase(class_path);
  if (old->text(phase_path) == "Bound") {
    if (now.has("spec.resources.requests")) take_over(now, before, size_path);
    take_over(now, before, "spec.volumeAttributesClassName");
  }
  if (!same_at(now, before, "spec")) {
    errors.push_back(FieldError::forbidden("spec",
                                           "spec is immutable after creation except resources.requests and "
                                           "volumeAttributesClassName for bound claims"));
  }
  const long double size = bytes_of(object.text(size_path));
  if (size < bytes_of(old->text(size_path)) && size <= bytes_of(old->text("status.capacity.storage"))) {
    errors.push_back(FieldError::forbidden(size_path, "field can not be less than status.capacity"));
  }
  return errors;
}

/// The spec without what is not its source, and without what may be added to it.
Dynamic source_of(const Dynamic& volume, const Dynamic& old) {
  constexpr std::array<std::string_view, 9> others{
      "capacity",     "accessModes", "claimRef",     "persistentVolumeReclaimPolicy", "storageClassName",
      "mountOptions", "volumeMode",  "nodeAffinity", "volumeAttributesClassName"};
  constexpr std::string_view expansion = "spec.csi.controllerExpandSecretRef";
  Dynamic source(json::Object{{"spec", value_at(volume, "spec")}});
  for (const std::string_view member : others) source.erase("spec." + std::string(member));
  if (!old.has(expansion)) source.erase(expansion);
  return source;
}

Errors check_volume(const Dynamic& object, const Dynamic* old) {
  Errors errors;
  if (old == nullptr) return errors;
  if (!same_at(source_of(object, *old), source_of(*old, *old), "spec")) {
    errors.push_back(FieldError::forbidden("spec.persistentvolumesource",
                                           "spec.persistentvolumesource is immutable after creation"));
  }
  constexpr std::string_view affinity = "spec.nodeAffinity";
  if (old->has(affinity) && !same_at(object, *old, affinity)) {
    errors.push_back(FieldError::invalid("nodeAffinity", value_at(object, affinity),
                                         "field is immutable, except for updating from beta label to GA"));
  }
  return errors;
}

class ClaimStrategy final : public CheckedStrategy {
 public:
  ClaimStrategy() : CheckedStrategy({"", "PersistentVolumeClaim"}, &check_claim) {}
  void prepare_for_create(Dynamic& object) const override { object.set(phase_path, "Pending"); }
};

class VolumeStrategy final : public CheckedStrategy {
 public:
  VolumeStrategy() : CheckedStrategy({"", "PersistentVolume"}, &check_volume) {}
  void prepare_for_create(Dynamic& object) const override { object.set(phase_path, "Pending"); }
  void stamp(Dynamic& object, const Dynamic* old, const Writer& writer) const override {
    const bool moved = old == nullptr || old->text(phase_path) != object.text(phase_path);
    // What a client says of the time of a change stays.
    const bool is_said =
        old != nullptr && object.has(transition_path) && !same_at(object, *old, transition_path);
    if (moved && !is_said) {
      object.set_time(transition_path, writer.now);
    } else if (!moved && !object.has(transition_path)) {
      take_over(object, *old, transition_path);
    }
  }
};

}  // namespace

std::shared_ptr<const Strategy> claim_strategy() {
  return std::make_shared<ClaimStrategy>();
}

std::shared_ptr<const Strategy> volume_strategy() {
  return std::make_shared<VolumeStrategy>();
}

}  // namespace fairway::apiserver
