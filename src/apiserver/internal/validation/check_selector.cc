// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/check_selector.h"

#include <string_view>

#include "k8s/names.h"

namespace fairway::apiserver::validation {
namespace {

using k8s::FieldError;

void add(std::vector<FieldError>& errors, const std::string& path, std::string_view value,
         const k8s::Faults& faults) {
  for (const std::string& fault : faults)
    errors.push_back(FieldError::invalid(path, json::Value(value), fault));
}

void check_expression(std::vector<FieldError>& errors, const k8s::View& expression, const std::string& path,
                      bool is_strict) {
  const std::string_view op = expression.text("operator"), key = expression.text("key");
  const auto values = expression.texts("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      errors.push_back(
          FieldError::required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.push_back(FieldError::forbidden(
          path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    errors.push_back(
        FieldError::invalid(path + ".operator", json::Value(op), "not a valid selector operator"));
  }
  add(errors, path + ".key", key, k8s::check_qualified_name(key));
  for (std::size_t i = 0; is_strict && i < values.size(); ++i) {
    add(errors, path + ".values[" + std::to_string(i) + "]", values[i], k8s::check_label_value(values[i]));
  }
}

}  // namespace

std::vector<FieldError> check_selector(const k8s::View& selector, const std::string& path, bool is_strict) {
  std::vector<FieldError> errors;
  for (const auto& [key, value] : selector.map("matchLabels")) {
    add(errors, path + ".matchLabels", key, k8s::check_qualified_name(key));
    add(errors, path + ".matchLabels", value, k8s::check_label_value(value));
  }
  std::size_t index = 0;
  for (const k8s::View& expression : selector.items("matchExpressions")) {
    check_expression(errors, expression, path + ".matchExpressions[" + std::to_string(index++) + "]",
                     is_strict);
  }
  return errors;
}

}  // namespace fairway::apiserver::validation
