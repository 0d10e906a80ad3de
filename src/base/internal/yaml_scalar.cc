// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/internal/json_number.h"
#include "base/internal/yaml_scalar.h"
#include "base/text.h"

namespace fairway::yaml {

namespace {

constexpr std::array<std::string_view, 3> true_words{"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> false_words{"false", "False", "FALSE"};
constexpr std::array<std::string_view, 3> infinity_words{".inf", ".Inf", ".INF"};
constexpr std::array<std::string_view, 3> nan_words{".nan", ".NaN", ".NAN"};

bool is_one_of(std::string_view text, const std::array<std::string_view, 3>& words) {
  return std::ranges::find(words, text) != words.end();
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

/// Removes the digits at the beginning of `text`, and returns their number.
std::size_t skip_digits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count;
}

bool is_integer(std::string_view text) {
  text = without_sign(text);
  return skip_digits(text) > 0 && text.empty();
}

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_float(std::string_view text) {
  text = without_sign(text);
  std::size_t digits = skip_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += skip_digits(text);
  }
  if (digits == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text = without_sign(text.substr(1));
    if (skip_digits(text) == 0) return false;
  }
  return text.empty();
}

/// Infinite, or not a number.
bool is_not_finite(std::string_view text) {
  return is_one_of(without_sign(text), infinity_words) || is_one_of(text, nan_words);
}

/// The base of 0o17 and 0x1F; 0 for all else.
int base_of(std::string_view text) {
  const int base = text.starts_with("0o") ? 8 : text.starts_with("0x") ? 16 : 0;
  const std::string_view digits = base == 8 ? "01234567" : "0123456789abcdefABCDEF";
  if (base == 0 || text.size() == 2) return 0;
  return text.find_first_not_of(digits, 2) == std::string_view::npos ? base : 0;
}

template <class Integer>
std::optional<json::Value> read_integer(std::string_view digits, int base) {
  Integer number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return json::Value(number);
}

/// The value of an integer or a float; no value if it is neither.
std::expected<std::optional<json::Value>, std::string> read_number(std::string_view text) {
  const int base = base_of(text);
  if (base == 0 && !is_float(text)) return std::nullopt;
  std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  if (base != 0) digits.remove_prefix(2);
  if (base != 0 || is_integer(text)) {
    if (auto number = read_integer<std::int64_t>(digits, base != 0 ? base : 10)) return number;
    if (auto number = read_integer<std::uint64_t>(digits, base != 0 ? base : 10)) return number;
    if (base != 0) return std::unexpected("the number " + printable(text, 60) + " is beyond 64 bits");
  }
  auto number = json::read_double(digits);
  if (!number) return std::unexpected(std::move(number.error()));
  return json::Value(*number);
}

std::string_view name_of(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::sequence:
      return "list";
    case Node::Kind::mapping:
      return "mapping";
    case Node::Kind::null:
    case Node::Kind::scalar:
      break;
  }
  return "text";
}

/// 017 is 15 in YAML 1.1, and 17 in YAML 1.2.
bool has_leading_zero(std::string_view text) {
  text = without_sign(text);
  return text.size() > 1 && text.front() == '0';
}

std::expected<void, std::string> apply_scalar_tag(Node& node, std::string_view type) {
  const std::string& text = node.scalar;
  const auto is_no = [&](std::string_view what) {
    return std::unexpected("'" + printable(text, 60) + "' is " + std::string(what));
  };
  if (type == "null") {
    if (!is_null_text(text)) return is_no("not null");
    node = Node{.mark = node.mark};
    return {};
  }
  node.kind = Node::Kind::scalar;
  node.plain = type != "str";
  if (type == "bool") {
    if (!is_one_of(text, true_words) && !is_one_of(text, false_words)) return is_no("neither true nor false");
  } else if (type == "int") {
    if (base_of(text) == 0 && !is_integer(text)) return is_no("no integer");
    if (is_integer(text) && has_leading_zero(text)) return is_no("no integer: leading zeros are ambiguous");
    const auto number = read_number(text);
    if (!number) return std::unexpected(number.error());
    if ((*number)->is_double()) return is_no("beyond 64 bits");
  } else if (type == "float") {
    if (is_not_finite(text)) return std::unexpected("JSON has no " + text);
    if (!is_float(text)) return is_no("no number");
    if (is_integer(text)) {
      if (has_leading_zero(text)) return is_no("no number: leading zeros are ambiguous");
      node.scalar += ".0";
    }
    if (const auto number = read_number(node.scalar); !number) return std::unexpected(number.error());
  }
  return {};
}

}  // namespace

bool is_null_text(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

std::expected<json::Value, std::string> read_plain(const std::string& text) {
  if (is_null_text(text)) return nullptr;
  if (is_one_of(text, true_words)) return true;
  if (is_one_of(text, false_words)) return false;
  auto number = read_number(text);
  if (!number) {
    return std::unexpected(number.error() + "; quote it if it is a text");
  }
  return *number ? **std::move(number) : json::Value(text);
}

std::expected<void, std::string> apply_tag(Node& node, std::string_view tag) {
  const bool is_scalar = node.kind == Node::Kind::scalar || node.kind == Node::Kind::null;
  if (tag == "!") {  // the kind without a look at the content: a scalar is a text
    if (is_scalar) return apply_scalar_tag(node, "str");
    return {};
  }
  constexpr std::string_view core = "tag:yaml.org,2002:";
  constexpr std::array<std::string_view, 5> scalar_types{"str", "int", "float", "bool", "null"};
  std::string_view type = tag;
  if (tag.starts_with(core)) type.remove_prefix(core.size());
  const std::string shown = (tag.starts_with(core) ? "!!" : "") + printable(type, 60);
  const bool is_scalar_type = std::ranges::find(scalar_types, type) != scalar_types.end();
  if (!tag.starts_with(core) || (!is_scalar_type && type != "map" && type != "seq")) {
    return std::unexpected(
        "the tag " + shown +
        " is not known: leave it away, or use !!str, !!int, !!float, !!bool, !!null, !!map "
        "or !!seq");
  }
  const bool fits = is_scalar_type  ? is_scalar
                    : type == "map" ? node.kind == Node::Kind::mapping
                                    : node.kind == Node::Kind::sequence;
  if (!fits) {
    return std::unexpected(shown + ": this is a " + std::string(name_of(node.kind)) + ", not a " +
                           (is_scalar_type  ? "text"
                            : type == "map" ? "mapping"
                                            : "list"));
  }
  if (!is_scalar_type) return {};
  auto applied = apply_scalar_tag(node, type);
  if (!applied) return std::unexpected(shown + ": " + applied.error());
  return applied;
}

}  // namespace fairway::yaml
