// SPDX-License-Identifier: Apache-2.0

// Whatever the text: no crash, and what is read as a selector is written as one that selects the same.
#include <cstdint>
#include <cstdlib>

#include "base/json.h"
#include "k8s/field_selector.h"
#include "k8s/label_selector.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto require = [](bool condition) {
    if (!condition) std::abort();
  };
  const auto check = [&](const Result<k8s::LabelSelector>& selector) {
    if (!selector) return require(!selector.error().message.empty());
    const auto again = k8s::LabelSelector::parse(selector->to_string());
    require(again && *again == *selector);
  };
  check(k8s::LabelSelector::parse(text));
  if (const auto value = json::parse(text)) check(k8s::LabelSelector::from(&*value));
  if (const auto fields = k8s::FieldSelector::parse(text)) {
    const auto again = k8s::FieldSelector::parse(fields->to_string());
    require(again && *again == *fields);
  }
  return 0;
}
