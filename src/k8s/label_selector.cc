// SPDX-License-Identifier: Apache-2.0

#include "k8s/label_selector.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "k8s/names.h"

namespace fairway::k8s {

namespace {

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool by_key(const LabelRequirement& a, const LabelRequirement& b) {
  return a.key < b.key;
}

}  // namespace

bool LabelRequirement::matches(const StringMap& labels) const {
  const auto value = labels.find(key);
  switch (op) {
    case Operator::in:
      return value && std::ranges::find(values, *value) != values.end();
    case Operator::not_in:
      return !value || std::ranges::find(values, *value) == values.end();
    case Operator::exists:
      return value.has_value();
    case Operator::does_not_exist:
      return !value;
    case Operator::greater_than:
    case Operator::less_than: {
      const auto number = value ? to_integer(*value) : std::nullopt;
      const auto limit = values.size() == 1 ? to_integer(values.front()) : std::nullopt;
      return number && limit && (op == Operator::greater_than ? *number > *limit : *number < *limit);
    }
  }
  return false;
}

std::string LabelRequirement::to_string() const {
  const bool one = values.size() == 1;
  switch (op) {
    case Operator::in:
      return one ? key + "=" + values.front() : key + " in (" + join(values, ",") + ")";
    case Operator::not_in:
      return one ? key + "!=" + values.front() : key + " notin (" + join(values, ",") + ")";
    case Operator::exists:
      return key;
    case Operator::does_not_exist:
      return "!" + key;
    case Operator::greater_than:
      return key + ">" + join(values, ",");
    case Operator::less_than:
      return key + "<" + join(values, ",");
  }
  return key;
}

LabelSelector::LabelSelector(std::vector<LabelRequirement> requirements)
    : requirements_(std::move(requirements)) {
  for (LabelRequirement& one : requirements_) {
    std::ranges::sort(one.values);
    one.values.erase(std::ranges::unique(one.values).begin(), one.values.end());
  }
  std::ranges::stable_sort(requirements_, by_key);
}

LabelSelector LabelSelector::nothing() {
  using enum LabelRequirement::Operator;
  return LabelSelector({{"nothing", exists, {}}, {"nothing", does_not_exist, {}}});
}

Result<LabelSelector> LabelSelector::of_labels(const StringMap& labels) {
  std::vector<LabelRequirement> requirements;
  for (const auto& [key, value] : labels) {
    Faults faults = check_qualified_name(key);
    if (!faults.empty()) {
      return fail(ErrorCode::invalid, "label key '" + printable(key, 80) + "': " + join(faults, "; "));
    }
    faults = check_label_value(value);
    if (!faults.empty()) {
      return fail(ErrorCode::invalid, "label " + std::string(key) + ": value '" + printable(value, 80) +
                                          "': " + join(faults, "; "));
    }
    requirements.push_back({std::string(key), LabelRequirement::Operator::in, {std::string(value)}});
  }
  return LabelSelector(std::move(requirements));
}

bool LabelSelector::matches(const StringMap& labels) const {
  return std::ranges::all_of(requirements_, [&](const LabelRequirement& one) { return one.matches(labels); });
}

std::string LabelSelector::to_string() const {
  std::vector<std::string> parts;
  for (const LabelRequirement& one : requirements_) parts.push_back(one.to_string());
  return join(parts, ",");
}

// --- the text form

namespace {

/// Characters that end an identifier: these and blanks.
constexpr std::string_view special = "=!(),<>";
constexpr std::string_view blank = " \t\r\n", end_of_identifier = "=!(),<> \t\r\n";

class SelectorParser {
 public:
  using Operator = LabelRequirement::Operator;

  explicit SelectorParser(std::string_view text) : text_(text) { advance(); }

  Result<std::vector<LabelRequirement>> parse() {
    std::vector<LabelRequirement> requirements;
    while (!token_.empty() || !requirements.empty()) {
      auto one = requirement();
      if (!one) return fail(one.error());
      requirements.push_back(*std::move(one));
      if (token_.empty()) break;
      if (token_ != ",") return bad("expected ',' or the end, found " + found());
      advance();
    }
    return requirements;
  }

 private:
  static bool is_identifier(std::string_view token) {
    return !token.empty() && special.find(token.front()) == std::string_view::npos;
  }

  /// Reads the next token: an identifier, an operator, a parenthesis, a comma; empty at the end.
  void advance() {
    at_ = std::min(text_.find_first_not_of(blank, at_ + token_.size()), text_.size());
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("==") || rest.starts_with("!=")) {
      token_ = rest.substr(0, 2);
    } else if (!rest.empty() && special.find(rest.front()) != std::string_view::npos) {
      token_ = rest.substr(0, 1);
    } else {
      token_ = rest.substr(0, rest.find_first_of(end_of_identifier));
    }
  }

  std::string found() const { return token_.empty() ? "the end" : "'" + printable(token_, 80) + "'"; }

  std::unexpected<Error> bad(const std::string& why) const {
    return fail(ErrorCode::invalid, "label selector '" + printable(text_, 200) + "': column " +
                                        std::to_string(at_ + 1) + ": " + why +
                                        "; write for example a=b, a!=b, a in (b,c), a notin (b), a or !a, "
                                        "with commas between them");
  }

  Result<LabelRequirement> requirement() {
    LabelRequirement one;
    const bool negated = token_ == "!";
    if (negated) advance();
    if (!is_identifier(token_)) return bad("expected a label's key, found " + found());
    if (const Faults faults = check_qualified_name(token_); !faults.empty()) {
      return bad("'" + printable(token_, 80) + "' is no label's key: " + join(faults, "; "));
    }
    one.key = token_;
    advance();
    if (negated || token_.empty() || token_ == ",") {
      one.op = negated ? Operator::does_not_exist : Operator::exists;
      return one;
    }
    const std::string_view op = token_;
    if (op == "=" || op == "==" || op == "in") {
      one.op = Operator::in;
    } else if (op == "!=" || op == "notin") {
      one.op = Operator::not_in;
    } else if (op == ">" || op == "<") {
      one.op = op == ">" ? Operator::greater_than : Operator::less_than;
    } else {
      return bad("expected an operator (=, ==, !=, in, notin, <, >), found " + found());
    }
    advance();
    const auto read = op == "in" || op == "notin" ? list_into(one) : value_into(one);
    if (!read) return fail(read.error());
    return one;
  }

  /// Reads a value, which may be empty.
  Result<void> value_into(LabelRequirement& one) {
    const bool is_empty = token_.empty() || token_ == "," || token_ == ")";
    if (!is_empty && !is_identifier(token_)) return bad("expected a value, found " + found());
    const std::string_view value = is_empty ? std::string_view{} : token_;
    if (const Faults faults = check_label_value(value); !faults.empty()) {
      return bad("'" + printable(value, 80) + "' is no label's value: " + join(faults, "; "));
    }
    if ((one.op == Operator::greater_than || one.op == Operator::less_than) && !to_integer(value)) {
      return bad("expected an integer of 64 bits, found " + found());
    }
    one.values.emplace_back(value);
    if (!is_empty) advance();
    return {};
  }

  Result<void> list_into(LabelRequirement& one) {
    if (token_ != "(") return bad("expected '(', found " + found());
    do {
      advance();
      if (auto read = value_into(one); !read) return read;
    } while (token_ == ",");
    if (token_ != ")") return bad("expected ',' or ')', found " + found());
    advance();
    return {};
  }

  std::string_view text_, token_;
  std::size_t at_ = 0;
};

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  auto requirements = SelectorParser(text).parse();
  if (!requirements) return fail(requirements.error());
  return LabelSelector(*std::move(requirements));
}

// --- the object form

namespace {

std::unexpected<Error> bad_field(std::string_view path, const std::string& why) {
  return fail(ErrorCode::invalid, std::string(path) + ": " + why);
}

/// Rejects fields of an object that are not in `known`.
Result<void> check_fields(const json::Object& object, std::initializer_list<std::string_view> known,
                          std::string_view path) {
  for (const auto& member : object) {
    const std::string_view key = member.key();
    if (std::ranges::find(known, key) != known.end()) continue;
    return bad_field(path, "there is no field '" + printable(key, 80) + "' here");
  }
  return {};
}

Result<LabelRequirement> read_expression(const json::Value& value, const std::string& path) {
  using enum LabelRequirement::Operator;
  const json::Object* object = value.if_object();
  if (object == nullptr) return bad_field(path, "must be an object with key, operator and values");
  if (auto known = check_fields(*object, {"key", "operator", "values"}, path); !known) {
    return fail(known.error());
  }
  const View view(*object);
  LabelRequirement one;
  one.key = view.text("key");
  if (const Faults faults = check_qualified_name(one.key); !faults.empty()) {
    return bad_field(path + ".key", "'" + printable(one.key, 80) + "': " + join(faults, "; "));
  }
  const std::string_view op = view.text("operator");
  if (op == "In") {
    one.op = in;
  } else if (op == "NotIn") {
    one.op = not_in;
  } else if (op == "Exists") {
    one.op = exists;
  } else if (op == "DoesNotExist") {
    one.op = does_not_exist;
  } else {
    return bad_field(path + ".operator",
                     "'" + printable(op, 80) + "' is not an operator; use In, NotIn, Exists or DoesNotExist");
  }
  const json::Value* values = view.find("values");
  if (values != nullptr && !values->is_null()) {
    if (!values->is_array()) return bad_field(path + ".values", "must be a list of texts");
    for (const json::Value& item : values->get_array()) {
      if (!item.is_string()) return bad_field(path + ".values", "must be a list of texts");
      one.values.emplace_back(item.get_string());
      if (const Faults faults = check_label_value(one.values.back()); !faults.empty()) {
        return bad_field(path + ".values",
                         "'" + printable(one.values.back(), 80) + "': " + join(faults, "; "));
      }
    }
  }
  const bool wants_values = one.op == in || one.op == not_in;
  if (wants_values == one.values.empty()) {
    return bad_field(path + ".values",
                     std::string(op) + (wants_values ? " needs at least one value" : " takes no values"));
  }
  return one;
}

}  // namespace

Result<LabelSelector> LabelSelector::from(const json::Value* selector, std::string_view path) {
  if (selector == nullptr || selector->is_null()) return nothing();
  const json::Object* object = selector->if_object();
  if (object == nullptr) return bad_field(path, "must be an object with matchLabels and matchExpressions");
  if (auto known = check_fields(*object, {"matchLabels", "matchExpressions"}, path); !known) {
    return fail(known.error());
  }
  std::vector<LabelRequirement> requirements;
  if (const json::Value* labels = object->if_contains("matchLabels");
      labels != nullptr && !labels->is_null()) {
    const std::string here = std::string(path) + ".matchLabels";
    const json::Object* map = labels->if_object();
    if (map == nullptr) return bad_field(here, "must be an object of texts");
    for (const auto& [key, value] : *map) {
      if (!value.is_string()) {
        return bad_field(here, "the value of '" + printable(key, 80) + "' must be a text");
      }
    }
    auto read = of_labels(StringMap(map));
    if (!read) return fail(read.error().within(here));
    requirements = std::move(read->requirements_);
  }
  if (const json::Value* list = object->if_contains("matchExpressions");
      list != nullptr && !list->is_null()) {
    const std::string here = std::string(path) + ".matchExpressions";
    if (!list->is_array()) return bad_field(here, "must be a list");
    std::size_t index = 0;
    for (const json::Value& item : list->get_array()) {
      auto one = read_expression(item, here + "[" + std::to_string(index++) + "]");
      if (!one) return fail(one.error());
      requirements.push_back(*std::move(one));
    }
  }
  return LabelSelector(std::move(requirements));
}

}  // namespace fairway::k8s
