#include "apiserver/resources/internal/job_strategy.h"

#include <array>

#include "k8s/equality.h"
#include "k8s/label_selector.h"

namespace fairway::apiserver {
namespace {

using k8s::Dynamic;
using k8s::FieldError;

constexpr std::string_view labels_path = "spec.template.metadata.labels", selector_path = "spec.selector";
/// Those without a prefix are there for programs of before.
constexpr std::array<std::string_view, 2> uid_labels{"controller-uid", "batch.kubernetes.io/controller-uid"};
constexpr std::array<std::string_view, 2> name_labels{"job-name", "batch.kubernetes.io/job-name"};

bool is_generated(const Dynamic& object) {
  return !object.flag("spec.manualSelector");
}

class JobStrategy final : public Strategy {
 public:
  void identify(Dynamic& object, std::string_view taken) const override {
    if (!is_generated(object)) return;
    const std::string uid(object.uid()), name(object.name());
    const auto give = [&](std::string_view label, const std::string& value) {
      const auto now = object.map(labels_path).find(label);
      // What the author has written is for `validate`.
      if (!now || (!taken.empty() && *now == taken)) object.set_entry(labels_path, label, value);
    };
    for (const std::string_view label : uid_labels) give(label, uid);
    for (const std::string_view label : name_labels) give(label, name);
    constexpr std::string_view selected = "spec.selector.matchLabels";
    if (!object.map(selected).find(uid_labels.back())) object.set_entry(selected, uid_labels.back(), uid);
  }

  std::vector<FieldError> validate(const Dynamic& object, const Dynamic* old, Part part) const override {
    if (part != Part::object) return {};
    return old == nullptr ? check_new(object) : check_change(object, *old);
  }

 private:
  static std::vector<FieldError> check_change(const Dynamic& object, const Dynamic& old) {
    const json::Value now = value_of(object, selector_path);
    if (k8s::equal_with_null_as_absent(now, value_of(old, selector_path))) return {};
    return {FieldError::invalid(selector_path, now, "field is immutable")};
  }

  static std::vector<FieldError> check_new(const Dynamic& object) {
    std::vector<FieldError> errors;
    const json::Value* written = object.find(selector_path);
    const auto selector = k8s::LabelSelector::from(written, selector_path);
    if (!selector) {
      return {FieldError::invalid(selector_path, value_of(object, selector_path), selector.error().message)};
    }
    if (is_generated(object)) {
      json::Object expected;
      for (std::size_t i = 0; i < uid_labels.size(); ++i) {
        check_label(errors, object, uid_labels[i], object.uid());
        check_label(errors, object, name_labels[i], object.name());
        expected[uid_labels[i]] = object.uid();
        expected[name_labels[i]] = object.name();
      }
      if (!selector->matches(k8s::StringMap(&expected))) {
        errors.push_back(FieldError::invalid(selector_path, *written, "`selector` not auto-generated"));
      }
    }
    if (written == nullptr) errors.push_back(FieldError::required(selector_path, ""));
    if (!selector->matches(object.map(labels_path))) {
      errors.push_back(FieldError::invalid(labels_path, value_of(object, labels_path),
                                           "`selector` does not match template `labels`"));
    }
    return errors;
  }

  static json::Value value_of(const Dynamic& object, std::string_view path) {
    const json::Value* found = object.find(path);
    return found != nullptr ? *found : json::Value();
  }
  static void check_label(std::vector<FieldError>& errors, const Dynamic& object, std::string_view label,
                          std::string_view wanted) {
    const auto found = object.map(labels_path).find(label);
    if (found && *found == wanted) return;
    const std::string path = std::string(labels_path) + "[" + std::string(label) + "]";
    const std::string why = "must be '" + std::string(wanted) + "'";
    if (!found) {
      errors.push_back(FieldError::required(path, why));
    } else {
      errors.push_back(FieldError::invalid(path, *object.find(labels_path), why));
    }
  }
};

}  // namespace

std::shared_ptr<const Strategy> job_strategy() {
  return std::make_shared<JobStrategy>();
}

}  // namespace fairway::apiserver
