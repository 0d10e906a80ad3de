// SPDX-License-Identifier: Apache-2.0

// Kubernetes's regex library: find and findAll.
#include <re2/re2.h>

#include <vector>

#include "cel/internal/library/libraries.h"
#include "cel/internal/syntax/utf8.h"
#include "cel/internal/values/call_context.h"

namespace fairway::cel {

namespace {

Value find(CallContext& context, const Value* a) {
  std::unique_ptr<re2::RE2> own;
  Value wrong;
  const re2::RE2* pattern = context.pattern(a[1].text(), own, wrong);
  if (!pattern) return wrong;
  re2::StringPiece match;
  const re2::StringPiece text(a[0].text().data(), a[0].text().size());
  if (!pattern->Match(text, 0, text.size(), RE2::UNANCHORED, &match, 1)) return Value::string("");
  return Value::string({match.data(), match.size()});
}

Value find_some(CallContext& context, const Value* a, std::int64_t most) {
  std::unique_ptr<re2::RE2> own;
  Value wrong;
  const re2::RE2* pattern = context.pattern(a[1].text(), own, wrong);
  if (!pattern) return wrong;
  const re2::StringPiece text(a[0].text().data(), a[0].text().size());
  std::vector<std::string_view> found;
  std::size_t at = 0;
  std::size_t last_end = std::string_view::npos;
  while (at <= text.size() && (most < 0 || static_cast<std::int64_t>(found.size()) < most)) {
    re2::StringPiece match;
    if (!pattern->Match(text, at, text.size(), RE2::UNANCHORED, &match, 1)) break;
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = begin + match.size();
    // Go takes no empty match right after a match.
    if (!match.empty() || begin != last_end) found.emplace_back(match.data(), match.size());
    last_end = end;
    at = match.empty() ? (end < text.size() ? end + code_point_size(text[end]) : end + 1) : end;
  }
  Value* items = context.items(found.size());
  if (!items) return context.out_of_memory();
  for (std::size_t i = 0; i < found.size(); ++i) new (&items[i]) Value(Value::string(found[i]));
  return Value::list(items, found.size());
}
Value find_all(CallContext& context, const Value* a) {
  return find_some(context, a, -1);
}
Value find_all_limited(CallContext& context, const Value* a) {
  return find_some(context, a, a[2].integer());
}

constexpr Overload regex_rows[] = {
    {"find", true, "string, string -> string", find, CallCost::find},
    {"findAll", true, "string, string -> list(string)", find_all, CallCost::find},
    {"findAll", true, "string, string, int -> list(string)", find_all_limited, CallCost::find},
};

}  // namespace

std::span<const Overload> regex_overloads() {
  return regex_rows;
}

}  // namespace fairway::cel
