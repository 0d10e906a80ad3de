// SPDX-License-Identifier: Apache-2.0

// Kubernetes's format library: named checks of strings.
#include <algorithm>
#include <chrono>
#include <string>

#include "base/base64.h"
#include "base/text.h"
#include "cel/internal/library/format.h"
#include "cel/internal/library/libraries.h"
#include "cel/internal/library/url.h"
#include "cel/internal/values/call_context.h"
#include "cel/internal/values/time.h"

namespace fairway::cel {

namespace {

/// A check of a text; returns what is wrong with it, or an empty text if it is valid.
using Check = std::string (*)(std::string_view text);

bool is_lower_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_alphanumeric(char c) {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

bool label_text(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) && is_lower_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}
std::string too_long(std::string_view text, std::size_t most) {
  return text.size() > most ? "must be no more than " + std::to_string(most) + " bytes" : "";
}

std::string dns1123_label(std::string_view text) {
  if (std::string wrong = too_long(text, 63); !wrong.empty()) return wrong;
  if (label_text(text)) return "";
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
         "start and "
         "end with an alphanumeric character";
}
std::string dns1123_subdomain(std::string_view text) {
  if (std::string wrong = too_long(text, 253); !wrong.empty()) return wrong;
  if (std::ranges::all_of(split(text, '.'), label_text)) return "";
  return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
         "must "
         "start and end with an alphanumeric character";
}
std::string dns1035_label(std::string_view text) {
  if (std::string wrong = too_long(text, 63); !wrong.empty()) return wrong;
  if (label_text(text) && text.front() >= 'a') return "";
  return "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
         "alphabetic "
         "character, and end with an alphanumeric character";
}
/// Checks a prefix of a generated name: more text follows, so it may end with '-'.
template <Check check>
std::string prefix_of(std::string_view text) {
  if (text.size() > 1 && text.ends_with('-'))
    return check(std::string(text.substr(0, text.size() - 1)) + "a");
  return check(text);
}

bool name_part(std::string_view text) {
  return !text.empty() && text.size() <= 63 && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && std::ranges::all_of(text, [](char c) {
           return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
         });
}
std::string qualified_name(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '/');
  if (parts.size() > 2) return "a qualified name has a prefix and a name, with at most one '/'";
  if (parts.size() == 2 && !dns1123_subdomain(parts[0]).empty())
    return "prefix part " + dns1123_subdomain(parts[0]);
  if (name_part(parts.back())) return "";
  return "name part must consist of alphanumeric characters, '-', '_' or '.', must start and end with an "
         "alphanumeric character, and must be no more than 63 bytes";
}
std::string label_value(std::string_view text) {
  if (text.empty() || name_part(text)) return "";
  return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', must "
         "start "
         "and end with an alphanumeric character, and must be no more than 63 bytes";
}
std::string uri(std::string_view text) {
  return parse_url(text) ? "" : "invalid URI for request";
}
std::string uuid(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool place =
        digits.size() == 8 || digits.size() == 12 || digits.size() == 16 || digits.size() == 20;
    if (text[i] == '-' && place && i > 0 && text[i - 1] != '-') continue;
    digits += text[i];
  }
  const bool valid = digits.size() == 32 && std::ranges::all_of(digits, [](char c) {
                       return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
                     });
  return valid ? "" : "does not match the UUID format";
}
std::string byte(std::string_view text) {
  return !text.empty() && base64_decode(text) ? "" : "invalid base64";
}
std::string date(std::string_view text) {
  return parse_timestamp(std::string(text) + "T00:00:00Z") ? "" : "invalid date";
}
std::string date_time(std::string_view text) {
  return parse_timestamp(text) ? "" : "invalid datetime";
}

struct Format : Opaque {
  std::string_view name;
  Check check;
  std::uint32_t pattern_size;

  constexpr Format(std::string_view format_name, Check format_check, std::uint32_t size)
      : Opaque{Kind::format}, name(format_name), check(format_check), pattern_size(size) {}
};

// The last number is what cost takes for the length of the regular expression.
constexpr Format formats[] = {
    {"dns1123Label", dns1123_label, 30},
    {"dns1123Subdomain", dns1123_subdomain, 60},
    {"dns1035Label", dns1035_label, 30},
    {"qualifiedName", qualified_name, 60},
    {"dns1123LabelPrefix", prefix_of<dns1123_label>, 30},
    {"dns1123SubdomainPrefix", prefix_of<dns1123_subdomain>, 60},
    {"dns1035LabelPrefix", prefix_of<dns1035_label>, 30},
    {"labelValue", label_value, 40},
    {"uri", uri, 1103},
    {"uuid", uuid, 70},
    {"byte", byte, 84},
    {"date", date, 71},
    {"datetime", date_time, 71},
};

template <std::size_t index>
Value named_constant(CallContext&, const Value*) {
  return Value::opaque(&formats[index]);
}
Value named(CallContext& context, const Value* a) {
  for (const Format& format : formats)
    if (format.name == a[0].text()) return context.optional_of(Value::opaque(&format));
  return Value::optional(nullptr);
}
/// Validates a text; none if it is valid, as in Kubernetes: `!format.uuid().validate(x).hasValue()`.
Value validate(CallContext& context, const Value* a) {
  const std::string wrong = static_cast<const Format&>(a[0].opaque()).check(a[1].text());
  if (wrong.empty()) return Value::optional(nullptr);
  Value* items = context.items(1);
  if (!items) return context.out_of_memory();
  new (items) Value(context.string(wrong));
  return context.optional_of(Value::list(items, 1));
}

#define FAIRWAY_CEL_FORMAT(index, name) \
  {"format." name, false, "-> kubernetes.NamedFormat", named_constant<index>}

constexpr Overload formats_rows[] = {
    FAIRWAY_CEL_FORMAT(0, "dns1123Label"),
    FAIRWAY_CEL_FORMAT(1, "dns1123Subdomain"),
    FAIRWAY_CEL_FORMAT(2, "dns1035Label"),
    FAIRWAY_CEL_FORMAT(3, "qualifiedName"),
    FAIRWAY_CEL_FORMAT(4, "dns1123LabelPrefix"),
    FAIRWAY_CEL_FORMAT(5, "dns1123SubdomainPrefix"),
    FAIRWAY_CEL_FORMAT(6, "dns1035LabelPrefix"),
    FAIRWAY_CEL_FORMAT(7, "labelValue"),
    FAIRWAY_CEL_FORMAT(8, "uri"),
    FAIRWAY_CEL_FORMAT(9, "uuid"),
    FAIRWAY_CEL_FORMAT(10, "byte"),
    FAIRWAY_CEL_FORMAT(11, "date"),
    FAIRWAY_CEL_FORMAT(12, "datetime"),
    {"format.named", false, "string -> optional_type(kubernetes.NamedFormat)", named},
    {"validate", true, "kubernetes.NamedFormat, string -> optional_type(list(string))", validate,
     CallCost::validate_format},
};

#undef FAIRWAY_CEL_FORMAT

}  // namespace

std::uint64_t format_pattern_size(const Opaque& format) {
  return static_cast<const Format&>(format).pattern_size;
}
std::string_view format_name(const Opaque& format) {
  return static_cast<const Format&>(format).name;
}

std::span<const Overload> format_overloads() {
  return formats_rows;
}

}  // namespace fairway::cel
