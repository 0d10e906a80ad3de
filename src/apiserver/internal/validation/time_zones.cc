// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/time_zones.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "time_zones.txt.h"

namespace fairway::apiserver::validation {
namespace {

bool looks_like_part(std::string_view part) {
  constexpr std::size_t longest = 14;
  return !part.empty() && part.size() <= longest && part != "." && part != ".." && !part.starts_with('-') &&
         std::ranges::all_of(part, [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
                  c == '-' || c == '_' || c == '+';
         });
}

}  // namespace

Result<void> find_time_zone(std::string_view name) {
  if (name.empty() || name == "UTC" || name == "Local") return {};
  if (name.find("..") != std::string_view::npos || name.front() == '/' ||
      name.find('\\') != std::string_view::npos)
    return fail(ErrorCode::invalid, "time: invalid location name");
  // The list is sorted.
  static const auto names = split(trim(time_zones_text), '\n');
  if (std::ranges::binary_search(names, name)) return {};
  return fail(ErrorCode::not_found, "unknown time zone " + std::string(name));
}

k8s::Faults check_time_zone(std::string_view name) {
  if (name.empty()) return {"timeZone must be nil or non-empty string"};
  if (!std::ranges::all_of(split(name, '/'), looks_like_part))
    return {"unknown time zone " + std::string(name)};
  k8s::Faults faults;
  if (equals_ignoring_case(name, "Local"))
    faults.emplace_back(
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  if (const auto found = find_time_zone(name); !found) faults.push_back(found.error().message);
  return faults;
}

}  // namespace fairway::apiserver::validation
