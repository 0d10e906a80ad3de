// SPDX-License-Identifier: Apache-2.0

#include "k8s/field_selector.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace fairway::k8s {

namespace {

std::string escape(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') text += '\\';
    text += c;
  }
  return text;
}

/// Returns the text of a field, as selectors compare it; std::nullopt for a value that has no text.
std::optional<std::string> text_of(const json::Value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool() || value.is_number()) return json::to_text(value);
  return std::nullopt;
}

/// Returns the text that an absent field is compared as. Servers compare fields of core kinds as typed
/// values, which omit false in JSON (ToSelectableFields, NodeToSelectableFields); absent fields of custom
/// resources are "".
std::string_view absent_value(const View& object, std::string_view path) {
  if (object.text("apiVersion") != "v1") return "";
  const std::string_view kind = object.text("kind");
  const bool is_false =
      (kind == "Node" && path == "spec.unschedulable") || (kind == "Pod" && path == "spec.hostNetwork");
  return is_false ? "false" : "";
}

class FieldSelectorParser {
 public:
  explicit FieldSelectorParser(std::string_view text) : text_(text) {}

  Result<std::vector<FieldRequirement>> parse() {
    std::vector<FieldRequirement> requirements;
    for (; at_ <= text_.size(); ++at_) {
      if (at_ == text_.size() || text_[at_] == ',') continue;
      auto one = term();
      if (!one) return fail(one.error());
      requirements.push_back(*std::move(one));
    }
    return requirements;
  }

 private:
  std::unexpected<Error> bad(std::size_t at, const std::string& why) const {
    return fail(ErrorCode::invalid, "field selector '" + printable(text_, 200) + "': column " +
                                        std::to_string(at + 1) + ": " + why +
                                        "; write for example metadata.name=a or status.phase!=Running, with "
                                        "commas between them, and \\ before a comma, = or \\ in a value");
  }

  /// Reads one term. Leaves `at_` at the comma after it, or at the end.
  Result<FieldRequirement> term() {
    FieldRequirement one;
    const std::size_t begin = at_;
    const std::size_t end = std::min(text_.find_first_of("=!,", begin), text_.size());
    one.path = text_.substr(begin, end - begin);
    at_ = end;
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("!=")) {
      one.equals = false;
      at_ += 2;
    } else if (rest.starts_with("==")) {
      at_ += 2;
    } else if (rest.starts_with('=')) {
      at_ += 1;
    } else {
      return bad(end, "expected =, == or !=");
    }
    if (one.path.empty()) return bad(begin, "expected the path of a field");
    if (const std::size_t odd = one.path.find_first_of(" \t\r\n\\"); odd != std::string::npos) {
      return bad(begin + odd, "the path of a field has no blanks and no \\");
    }
    for (; at_ < text_.size() && text_[at_] != ','; ++at_) {
      if (text_[at_] == '=') return bad(at_, "a value has no = without \\ before it");
      if (text_[at_] == '\\') {
        ++at_;
        if (at_ == text_.size() || std::string_view("\\,=").find(text_[at_]) == std::string_view::npos) {
          return bad(at_ - 1, "\\ stands before \\, comma and = only");
        }
      }
      one.value += text_[at_];
    }
    return one;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  auto requirements = FieldSelectorParser(text).parse();
  if (!requirements) return fail(requirements.error());
  return FieldSelector(*std::move(requirements));
}

bool FieldSelector::matches(const View& object) const {
  return std::ranges::all_of(requirements_, [&](const FieldRequirement& one) {
    const json::Value* value = object.find(one.path);
    const bool absent = value == nullptr || value->is_null();
    const auto text = absent ? std::string(absent_value(object, one.path)) : text_of(*value);
    return (text == one.value) == one.equals;
  });
}

std::string FieldSelector::to_string() const {
  std::vector<std::string> parts;
  for (const FieldRequirement& one : requirements_) {
    parts.push_back(one.path + (one.equals ? "=" : "!=") + escape(one.value));
  }
  return join(parts, ",");
}

}  // namespace fairway::k8s
