// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/labels.h"

#include <utility>

#include "apiserver/internal/validation/check_selector.h"
#include "apiserver/internal/validation/pod_facts.h"

namespace fairway::apiserver::validation {

void check_labels(const Scope& scope, std::string_view name) {
  check_labels(scope, name, scope.map(name));
}

void check_labels(const Scope& scope, std::string_view shown, const k8s::StringMap& labels) {
  for (const auto& [key, value] : labels) {
    scope.faults(shown, key, k8s::check_qualified_name(key));
    scope.faults(shown, value, k8s::check_label_value(value));
  }
}

void check_annotations(const Scope& scope, std::string_view shown, const k8s::StringMap& annotations) {
  constexpr std::size_t most = std::size_t{256} << 10;
  std::size_t size = 0;
  for (const auto& [key, value] : annotations) {
    scope.faults(shown, key, k8s::check_annotation_key(key));
    size += key.size() + value.size();
  }
  if (size > most) scope.too_long(shown, most);
}

void check_selector_at(const Scope& scope, std::string_view name) {
  const bool is_strict = !scope.facts().allows_bad_label_values;
  for (k8s::FieldError& error :
       check_selector(k8s::View(scope.object(name)), scope.path().text(name), is_strict))
    scope.errors().push_back(std::move(error));
}

}  // namespace fairway::apiserver::validation
