// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/field_error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/status.h"

namespace fairway::k8s {

namespace {

/// Returns an error such as `Invalid value: "x": why`. field.Error, ErrorBody
FieldError make(std::string_view cause, std::string_view field, std::string body, std::string_view detail) {
  if (!detail.empty()) body.append(": ").append(detail);
  return {std::string(cause), std::string(field), std::move(body)};
}

/// Longest text of a value in a message: more than the template of a usual workload has. A reply must not be
/// many times as long as the request.
constexpr std::size_t longest_value = std::size_t{8} << 10;

/// Cuts a text at the beginning of a character.
std::string_view beginning_of(std::string_view text) {
  std::size_t size = longest_value;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

std::string with_value(std::string_view what, const json::Value& value) {
  const bool is_text = value.is_string();
  const std::string written = is_text ? std::string() : json::to_text(value);
  const std::string_view text = is_text ? std::string_view(value.get_string()) : written;
  const bool is_long = text.size() > longest_value;
  const std::string_view shown = is_long ? beginning_of(text) : text;
  std::string made = std::string(what) + ": " + (is_text ? quote(shown) : std::string(shown));
  if (is_long) made += "... (" + std::to_string(text.size()) + " bytes)";
  return made;
}

}  // namespace

FieldError FieldError::invalid(std::string_view field, const json::Value& value, std::string_view detail) {
  return make(cause::field_value_invalid, field, with_value("Invalid value", value), detail);
}

FieldError FieldError::required(std::string_view field, std::string_view detail) {
  return make(cause::field_value_required, field, "Required value", detail);
}

FieldError FieldError::forbidden(std::string_view field, std::string_view detail) {
  return make(cause::field_value_forbidden, field, "Forbidden", detail);
}

FieldError FieldError::duplicate(std::string_view field, const json::Value& value) {
  return make(cause::field_value_duplicate, field, with_value("Duplicate value", value), {});
}

FieldError FieldError::not_found(std::string_view field, const json::Value& value) {
  return make(cause::field_value_not_found, field, with_value("Not found", value), {});
}

FieldError FieldError::too_long(std::string_view field, std::size_t max_bytes) {
  return make(cause::field_value_too_long, field, "Too long",
              "may not be more than " + std::to_string(max_bytes) + (max_bytes == 1 ? " byte" : " bytes"));
}

FieldError FieldError::not_supported(std::string_view field, const json::Value& value,
                                     const std::vector<std::string_view>& supported) {
  std::vector<std::string> quoted;
  for (const std::string_view text : supported) quoted.push_back(quote(text));
  return make(cause::field_value_not_supported, field, with_value("Unsupported value", value),
              quoted.empty() ? "" : "supported values: " + join(quoted, ", "));
}

FieldError FieldError::left_out(std::string_view field, std::size_t count) {
  FieldError made = make(cause::field_value_too_many, field, "Too many errors",
                         std::to_string(count) + " more are not shown, of which this field has the first");
  made.count = count;
  return made;
}

std::vector<FieldError> shortened(const std::vector<FieldError>& errors) {
  if (errors.size() <= most_errors) return errors;
  const auto rest = errors.begin() + static_cast<std::ptrdiff_t>(most_errors - 1);
  std::vector<FieldError> made(errors.begin(), rest);
  std::size_t count = 0;
  for (auto error = rest; error != errors.end(); ++error) count += error->count;
  made.push_back(FieldError::left_out(rest->field, count));
  return made;
}

std::string to_string(const std::vector<FieldError>& errors) {
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const FieldError& error : errors) {
    std::string text = error.to_string();
    if (known.insert(text).second) texts.push_back(std::move(text));
  }
  const std::string joined = join(texts, ", ");
  return texts.size() > 1 ? "[" + joined + "]" : joined;
}

std::string_view leading_field(std::string_view message) {
  const std::string_view part = message.substr(0, message.find(": "));
  if (part.size() == message.size() || part.find_first_of(" \t\n") != std::string_view::npos) return {};
  constexpr std::array<std::string_view, 4> roots = {"spec", "status", "metadata", "data"};
  const bool is_path = part.find_first_of(".[") != std::string_view::npos;
  return is_path || std::ranges::find(roots, part) != roots.end() ? part : std::string_view{};
}

std::string_view behind_field(std::string_view message, std::string_view field) {
  constexpr std::string_view colon = ": ";
  const bool has_field = message.starts_with(field) && message.substr(field.size()).starts_with(colon);
  return has_field ? message.substr(field.size() + colon.size()) : message;
}

}  // namespace fairway::k8s
