// SPDX-License-Identifier: Apache-2.0

// The standard functions of strings.
#include <re2/re2.h>

#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"

namespace fairway::cel {

namespace {

Value contains(CallContext&, const Value* a) {
  return Value::boolean(a[0].text().find(a[1].text()) != std::string_view::npos);
}
Value starts_with(CallContext&, const Value* a) {
  return Value::boolean(a[0].text().starts_with(a[1].text()));
}
Value ends_with(CallContext&, const Value* a) {
  return Value::boolean(a[0].text().ends_with(a[1].text()));
}
Value matches(CallContext& context, const Value* a) {
  std::unique_ptr<re2::RE2> own;
  Value wrong;
  const re2::RE2* pattern = context.pattern(a[1].text(), own, wrong);
  if (!pattern) return wrong;
  return Value::boolean(RE2::PartialMatch(a[0].text(), *pattern));
}

constexpr Overload text_rows[] = {
    {"contains", true, "string, string -> bool", contains, CallCost::contains},
    {"startsWith", true, "string, string -> bool", starts_with, CallCost::affix},
    {"endsWith", true, "string, string -> bool", ends_with, CallCost::affix},
    {"matches", true, "string, string -> bool", matches, CallCost::regex},
    {"matches", false, "string, string -> bool", matches, CallCost::regex},
};

}  // namespace

std::span<const Overload> text_overloads() {
  return text_rows;
}

}  // namespace fairway::cel
