// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/library/semver.h"

#include <new>
#include <string>
#include <vector>

#include "base/text.h"
#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"

namespace fairway::cel {

namespace {

/// Returns a version without "v" and leading zeros, and with three numbers: "v1.02" is 1.2.0. Empty if that
/// is not possible.
std::string normalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  while (parts.size() < 2 && text.find('.') != std::string_view::npos) {
    const std::size_t dot = text.find('.');
    parts.emplace_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.emplace_back(text);
  for (std::string& part : parts) {
    if (part.size() < 2) continue;
    part.erase(0,
               part.find_first_not_of('0') == std::string::npos ? part.size() : part.find_first_not_of('0'));
    if (part.empty() || part[0] < '0' || part[0] > '9') part.insert(0, "0");
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) return "";
  while (parts.size() < 3) parts.emplace_back("0");
  return join(parts, ".");
}

Value made(CallContext& context, std::string_view text) {
  const auto version = Version::parse(text);
  if (!version) return context.error(version.error().message);
  const Value copy = context.string(text);
  void* place = context.scratch().allocate(sizeof(SemverValue));
  if (!place || copy.is(ValueKind::error)) return context.out_of_memory();
  auto* value = new (place) SemverValue;
  value->kind = Opaque::Kind::semver;
  value->text = copy.text();
  return Value::opaque(value);
}

Version version_of(const Value& value) {
  return *Version::parse(static_cast<const SemverValue&>(value.opaque()).text);
}
std::strong_ordering order(const Value* a) {
  return compare_precedence(version_of(a[0]), version_of(a[1]));
}

Value semver(CallContext& context, const Value* a) {
  return made(context, a[0].text());
}
Value semver_normalized(CallContext& context, const Value* a) {
  return a[1].boolean() ? made(context, normalized(a[0].text())) : made(context, a[0].text());
}
Value is_semver(CallContext&, const Value* a) {
  return Value::boolean(Version::parse(a[0].text()).has_value());
}
Value is_semver_normalized(CallContext& context, const Value* a) {
  if (!a[1].boolean()) return is_semver(context, a);
  return Value::boolean(Version::parse(normalized(a[0].text())).has_value());
}
Value is_greater(CallContext&, const Value* a) {
  return Value::boolean(order(a) > 0);
}
Value is_less(CallContext&, const Value* a) {
  return Value::boolean(order(a) < 0);
}
Value compare_to(CallContext&, const Value* a) {
  return Value::integer(order(a) < 0 ? -1 : order(a) > 0 ? 1 : 0);
}
Value major_of(CallContext&, const Value* a) {
  return Value::integer(static_cast<std::int64_t>(version_of(a[0]).major()));
}
Value minor_of(CallContext&, const Value* a) {
  return Value::integer(static_cast<std::int64_t>(version_of(a[0]).minor()));
}
Value patch_of(CallContext&, const Value* a) {
  return Value::integer(static_cast<std::int64_t>(version_of(a[0]).patch()));
}

#define FAIRWAY_S "kubernetes.Semver"
constexpr Overload semver_rows[] = {
    {"semver", false, "string -> " FAIRWAY_S, semver, CallCost::traverse},
    {"semver", false, "string, bool -> " FAIRWAY_S, semver_normalized, CallCost::traverse},
    {"isSemver", false, "string -> bool", is_semver, CallCost::traverse},
    {"isSemver", false, "string, bool -> bool", is_semver_normalized, CallCost::traverse},
    {"isGreaterThan", true, FAIRWAY_S ", " FAIRWAY_S " -> bool", is_greater},
    {"isLessThan", true, FAIRWAY_S ", " FAIRWAY_S " -> bool", is_less},
    {"compareTo", true, FAIRWAY_S ", " FAIRWAY_S " -> int", compare_to},
    {"major", true, FAIRWAY_S " -> int", major_of},
    {"minor", true, FAIRWAY_S " -> int", minor_of},
    {"patch", true, FAIRWAY_S " -> int", patch_of},
};
#undef FAIRWAY_S

}  // namespace

std::strong_ordering compare_semver(const SemverValue& a, const SemverValue& b) {
  return compare_precedence(*Version::parse(a.text), *Version::parse(b.text));
}

std::span<const Overload> semver_overloads() {
  return semver_rows;
}

}  // namespace fairway::cel
