// SPDX-License-Identifier: Apache-2.0

// Lint: what a blocked edge says about itself: url, name, message, fixedIn, and its file's name.
#include <algorithm>

#include "base/text.h"
#include "graphdata/internal/lint/context.h"

namespace fairway::graphdata {

namespace {

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The reason of a condition (Kubernetes API conventions), as the specification wants it.
bool is_camel_case(std::string_view name) {
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' &&
         std::ranges::all_of(name, is_alphanumeric);
}

// What API servers take as the reason of a condition: [A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?
bool may_be_reason(std::string_view name) {
  const auto is_letter = [](char c) { return is_alphanumeric(c) && (c < '0' || c > '9'); };
  const auto is_inner = [](char c) { return is_alphanumeric(c) || c == '_' || c == ',' || c == ':'; };
  constexpr std::size_t longest = 1'024;
  return !name.empty() && name.size() <= longest && is_letter(name.front()) &&
         std::ranges::all_of(name, is_inner) && name.back() != ',' && name.back() != ':';
}

// RFC 3986: a scheme, and something behind it.
bool is_uri(std::string_view url) {
  const std::size_t colon = url.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == url.size()) return false;
  const auto in_scheme = [](char c) { return is_alphanumeric(c) || c == '+' || c == '-' || c == '.'; };
  const bool letter_first = is_alphanumeric(url.front()) && !(url.front() >= '0' && url.front() <= '9');
  return letter_first && std::ranges::all_of(url.substr(0, colon), in_scheme) &&
         std::ranges::none_of(
             url, [](char c) { return c == ' ' || c == '"' || c == '<' || c == '>' || (c >= 0 && c < 32); });
}

bool has_text(const yaml::Node& mapping, std::string_view key) {
  const yaml::Node* value = mapping.find(key);
  return value != nullptr && value->is_scalar() && !trim(value->scalar).empty();
}

void check_texts(LintContext& context, const BlockedEdgeFile& file, const yaml::Node& mapping) {
  std::vector<std::string> missing;
  for (const std::string_view key : {"url", "name", "message"}) {
    if (!has_text(mapping, key)) missing.emplace_back(key);
  }
  if (missing.empty()) return;
  const bool rules_beside = std::ranges::any_of(file.faults, [](const Fault& fault) {
    return fault.rule == "rules-without-texts" || fault.rule == "text-type";
  });
  if (rules_beside) return;
  // A file with another fault is not understood, and removes nothing.
  const std::string effect =
      file.faults.empty()
          ? "the update is removed, and nobody is told why"
          : "once the file is understood, the update is removed, and nobody is told why; until "
            "then it is conditional on " +
                std::string(graph::graph_data_not_understood);
  context.add("texts", place_at(file.file, mapping.mark), "",
              join(missing, ", ") + (missing.size() > 1 ? " are" : " is") + " missing: " + effect,
              "give url, name and message: the update is then conditional, and says why",
              context.is_new(file.file) ? Severity::error : Severity::warning);
}

void check_name(LintContext& context, const BlockedEdgeFile& file, const yaml::Node& mapping) {
  const yaml::Entry* name = find_entry(mapping, "name");
  if (name == nullptr || !name->value.is_scalar() || name->value.scalar.empty() ||
      is_camel_case(name->value.scalar))
    return;
  std::string fix;
  bool upper = true;
  for (const char c : name->value.scalar) {
    if (!is_alphanumeric(c)) {
      upper = true;
      continue;
    }
    fix += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  const bool has_other_letters =
      std::ranges::any_of(name->value.scalar, [](char c) { return (c & 0x80) != 0; });
  if (!is_camel_case(fix) || has_other_letters) fix = "SomethingLikeThis";
  if (may_be_reason(name->value.scalar)) {
    context.add("name-camel-case", place_of_value(file.file, *name), name->value.scalar,
                "the name is not CamelCase, as the specification wants it", "write " + fix);
  } else {
    context.add("name-reason", place_of_value(file.file, *name), name->value.scalar,
                "the name cannot be the reason of a condition", "write " + fix);
  }
}

void check_url(LintContext& context, const BlockedEdgeFile& file, const yaml::Node& mapping) {
  const yaml::Entry* url = find_entry(mapping, "url");
  if (url == nullptr || !url->value.is_scalar() || url->value.scalar.empty()) return;
  const std::string& text = url->value.scalar;
  if (!is_uri(text)) {
    context.add("url-uri", place_of_value(file.file, *url), text,
                "the url is not a URI: nobody can follow it",
                "write the https address of a page about the risk");
  } else if (!text.starts_with("https://")) {
    context.add("url-https", place_of_value(file.file, *url), text, "the url is not an https one",
                text.starts_with("http://") ? "write https://" + text.substr(7) : "link to an https page");
  }
}

void check_fixed_in(LintContext& context, const BlockedEdgeFile& file, const yaml::Node& mapping) {
  const yaml::Entry* fixed_in = find_entry(mapping, "fixedIn");
  if (fixed_in == nullptr) return;
  const Result<Version> version = Version::parse(fixed_in->value.scalar);
  if (!version) {
    context.add("fixed-in", place_of_value(file.file, *fixed_in), fixed_in->value.scalar,
                "fixedIn is not a semantic version: tooling takes the risk for unfixed",
                "write a version, like 4.7.5");
  } else if (!file.targets.empty() && compare_precedence(*version, file.targets.front().to) <= 0) {
    context.add(
        "fixed-in", place_of_value(file.file, *fixed_in), fixed_in->value.scalar,
        "the target " + file.targets.front().to.to_string() + " is not below the version that fixes the risk",
        "fix fixedIn, or remove the file");
  }
}

bool contains_version(std::string_view stem, const std::string& version) {
  for (std::size_t at = stem.find(version); at != std::string_view::npos; at = stem.find(version, at + 1)) {
    const std::size_t end = at + version.size();
    const bool begins = at == 0 || stem[at - 1] == '-' || stem[at - 1] == '_';
    const bool ends = end == stem.size() || stem[end] == '-' || stem[end] == '_' || stem[end] == '+';
    if (begins && ends) return true;
  }
  return false;
}

void check_file_name(LintContext& context, const BlockedEdgeFile& file, const yaml::Node& mapping) {
  if (file.targets.size() != 1) return;
  std::string_view stem = file.file;
  stem.remove_prefix(stem.rfind('/') + 1);
  stem = stem.substr(0, stem.rfind('.'));
  const Target& target = file.targets.front();
  const std::string version = target.to.with_build("").to_string();
  if (!contains_version(stem, version)) {
    context.add("file-name", target.place, version, "the file's name does not speak of this target",
                "fix 'to', or name the file " + version + "-NAME.yaml");
    return;
  }
  // Words in lower case are as common in file names as the risk's name; another name is a slip.
  const yaml::Entry* name = find_entry(mapping, "name");
  if (name == nullptr || !name->value.is_scalar() || name->value.scalar.empty() ||
      !stem.starts_with(version + "-"))
    return;
  const std::string_view rest = stem.substr(version.size() + 1);
  if (!is_camel_case(rest) || rest == name->value.scalar) return;
  context.add("file-name", place_of_value(file.file, *name), name->value.scalar,
              "the file's name speaks of " + std::string(rest),
              "fix 'name', or name the file " + version + "-" + name->value.scalar + ".yaml");
}

}  // namespace

void lint_texts(LintContext& context) {
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    const yaml::Node* mapping = file.mapping();
    if (mapping == nullptr) continue;
    check_texts(context, file, *mapping);
    check_name(context, file, *mapping);
    check_url(context, file, *mapping);
    check_fixed_in(context, file, *mapping);
    check_file_name(context, file, *mapping);
  }
}

}  // namespace fairway::graphdata
