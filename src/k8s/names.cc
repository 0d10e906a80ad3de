// SPDX-License-Identifier: Apache-2.0

#include "k8s/names.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::k8s {

namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alphanumeric(char c) {
  return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z');
}
bool is_lower_alphanumeric(char c) {
  return is_lower(c) || is_digit(c);
}

bool looks_like_dns_label(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) && is_lower_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

bool looks_like_dns_subdomain(std::string_view text) {
  return std::ranges::all_of(split(text, '.'), looks_like_dns_label);
}

bool looks_like_name_part(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text,
                             [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// The server's words: what is shown to users must be what they find when they search for it.
std::string too_long(std::size_t limit, std::string_view unit) {
  return "must be no more than " + std::to_string(limit) + " " + std::string(unit);
}

constexpr std::string_view dns_label_rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and "
    "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view dns_1035_label_rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
    "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view dns_subdomain_rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view name_part_rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view label_value_rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
    "for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

constexpr std::size_t max_label = 63, max_subdomain = 253;

// Names of DNS are counted in characters, parts of labels in bytes: the same for all that is valid.
Faults check_subdomain(std::string_view text, std::string_view unit) {
  Faults faults;
  if (text.size() > max_subdomain) faults.push_back(too_long(max_subdomain, unit));
  if (!looks_like_dns_subdomain(text)) faults.emplace_back(dns_subdomain_rule);
  return faults;
}

}  // namespace

Faults check_dns_label(std::string_view text) {
  Faults faults;
  if (text.size() > max_label) faults.push_back(too_long(max_label, "characters"));
  if (!looks_like_dns_label(text)) {
    faults.emplace_back(looks_like_dns_subdomain(text) ? "must not contain dots" : dns_label_rule);
  }
  return faults;
}

Faults check_dns_1035_label(std::string_view text) {
  Faults faults;
  if (text.size() > max_label) faults.push_back(too_long(max_label, "characters"));
  if (!looks_like_dns_label(text) || !is_lower(text.front())) faults.emplace_back(dns_1035_label_rule);
  return faults;
}

Faults check_dns_subdomain(std::string_view text) {
  return check_subdomain(text, "characters");
}

Faults check_qualified_name(std::string_view text) {
  const auto parts = split(text, '/');
  if (parts.size() > 2) {
    return {"a valid label key " + std::string(name_part_rule) +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  Faults faults;
  if (parts.size() == 2) {
    if (parts.front().empty()) {
      faults.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& fault : check_subdomain(parts.front(), "bytes")) {
        faults.push_back("prefix part " + fault);
      }
    }
  }
  const std::string_view name = parts.back();
  if (name.empty()) {
    faults.emplace_back("name part must be non-empty");
  } else if (name.size() > max_label) {
    faults.push_back("name part " + too_long(max_label, "bytes"));
  }
  if (!looks_like_name_part(name)) faults.push_back("name part " + std::string(name_part_rule));
  return faults;
}

Faults check_annotation_key(std::string_view text) {
  return check_qualified_name(to_lower(text));
}

Faults check_label_value(std::string_view text) {
  Faults faults;
  if (text.size() > max_label) faults.push_back(too_long(max_label, "bytes"));
  if (!text.empty() && !looks_like_name_part(text)) faults.emplace_back(label_value_rule);
  return faults;
}

Faults check_path_segment(std::string_view text) {
  if (text == "." || text == "..") return {"may not be '" + std::string(text) + "'"};
  Faults faults;
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) faults.push_back(std::string("may not contain '") + c + "'");
  }
  return faults;
}

Faults check_path_name(std::string_view text) {
  Faults faults = check_path_segment(text);
  if (text.size() > max_subdomain) faults.push_back(too_long(max_subdomain, "bytes"));
  if (!is_utf8(text)) faults.emplace_back("must be UTF-8");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(text, is_control)) faults.emplace_back("may not contain control characters");
  return faults;
}

}  // namespace fairway::k8s
