// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/library/libraries.h"

namespace fairway::cel {

const std::shared_ptr<const Functions>& standard_functions() {
  static const auto functions = std::make_shared<const Functions>(std::vector<std::span<const Overload>>{
      operator_overloads(), conversion_overloads(), text_overloads(), time_overloads()});
  return functions;
}

const std::shared_ptr<const Functions>& kubernetes_functions() {
  static const auto functions = std::make_shared<const Functions>(std::vector<std::span<const Overload>>{
      operator_overloads(), conversion_overloads(), text_overloads(), time_overloads(), optional_overloads(),
      string_overloads(), list_overloads(), set_overloads(), regex_overloads(), url_overloads(),
      network_overloads(), quantity_overloads(), format_overloads(), semver_overloads()});
  return functions;
}

const std::shared_ptr<const Functions>& admission_functions() {
  static const auto functions = std::make_shared<const Functions>(std::vector<std::span<const Overload>>{
      operator_overloads(), conversion_overloads(), text_overloads(), time_overloads(), optional_overloads(),
      string_overloads(), list_overloads(), set_overloads(), regex_overloads(), url_overloads(),
      network_overloads(), quantity_overloads(), format_overloads(), semver_overloads(),
      authorizer_overloads()});
  return functions;
}

}  // namespace fairway::cel
