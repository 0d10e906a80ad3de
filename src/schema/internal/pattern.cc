// SPDX-License-Identifier: Apache-2.0

#include "schema/internal/pattern.h"

#include <re2/re2.h>

#include "base/go_regexp.h"

namespace fairway::schema::internal {

namespace {

constexpr std::string_view go_group = "(?<", re2_group = "(?P<";

/// Rewrites the names of groups: RE2 of Debian 12 knows them only as `(?P<name>...)`.
std::string with_re2_groups(std::string_view pattern) {
  std::string out;
  bool is_in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    const char after = rest.size() > go_group.size() ? rest[go_group.size()] : '\0';
    if (!is_in_class && rest.starts_with(go_group) && after != '=' && after != '!') {
      out += re2_group;
      i += go_group.size() - 1;
      continue;
    }
    out += pattern[i];
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      out += pattern[++i];
    } else if (pattern[i] == '[') {
      is_in_class = true;
    } else if (pattern[i] == ']') {
      is_in_class = false;
    }
  }
  return out;
}

}  // namespace

std::unique_ptr<re2::RE2> compile_pattern(std::string_view pattern) {
  auto compiled = std::make_unique<re2::RE2>(with_re2_groups(pattern), re2::RE2::Quiet);
  return compiled->ok() ? std::move(compiled) : nullptr;
}

std::optional<std::string> find_pattern_fault(std::string_view pattern) {
  if (pattern.empty()) return std::nullopt;
  const re2::RE2 compiled(with_re2_groups(pattern), re2::RE2::Quiet);
  if (compiled.ok()) return std::nullopt;
  std::string part = compiled.error_arg();
  if (part.starts_with(re2_group) && pattern.find(part) == std::string_view::npos) {
    part.replace(0, re2_group.size(), go_group);
  }
  return "error parsing regexp: " + std::string(go_regexp_error(compiled)) + ": `" + part + '`';
}

}  // namespace fairway::schema::internal
