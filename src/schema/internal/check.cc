// SPDX-License-Identifier: Apache-2.0

#include "schema/internal/check.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/go_text.h"
#include "k8s/equality.h"
#include "schema/internal/check_number.h"
#include "schema/internal/go_text.h"
#include "schema/internal/place.h"
#include "schema/internal/report.h"

namespace fairway::schema::internal {

namespace {

struct ValueType {
  std::uint8_t bit;
  std::string_view name, format;
};

ValueType type_of(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::object:
      return {type::object, "object", ""};
    case boost::json::kind::array:
      return {type::array, "array", ""};
    case boost::json::kind::string:
      return {type::string, "string", ""};
    case boost::json::kind::int64:
      return {type::integer, "integer", "int64"};
    case boost::json::kind::uint64:
    case boost::json::kind::double_:
      return {type::number, "number", "float64"};
    case boost::json::kind::bool_:
      return {type::boolean, "boolean", ""};
    default:
      return {0, "null", ""};
  }
}

/// Returns the length of a text in characters.
std::int64_t count_characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

/// Returns whether a value equals a choice. If the choice is an integer, the API server cuts a number's
/// fraction off.
bool is_choice(const json::Value& value, const json::Value& choice) {
  if (choice.is_int64() && value.is_double()) {
    const double whole = std::trunc(value.get_double());
    return whole >= -0x1p63 && whole < 0x1p63 && static_cast<std::int64_t>(whole) == choice.get_int64();
  }
  return k8s::equal(choice, value);
}

/// Returns whether two items are the same. Linear: items are compared by their text.
bool has_duplicates(const json::Array& list) {
  std::unordered_set<std::string> seen;
  return !std::ranges::all_of(list, [&](const json::Value& item) {
    std::string text;
    append_go_json(text, item);
    return seen.insert(std::move(text)).second;
  });
}

/// The items of the old list on an update, by their keys. Items of other lists have no identity.
class OldItems {
 public:
  OldItems(const Node& node, const json::Value* old) : keys_(node.list_keys) {
    const json::Array* list = old != nullptr && !keys_.empty() ? old->if_array() : nullptr;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      items_.emplace(identity((*list)[i]), &(*list)[i]);
    }
  }

  const json::Value* find(const json::Value& item) const {
    if (items_.empty()) return nullptr;
    const auto found = items_.find(identity(item));
    return found != items_.end() ? found->second : nullptr;
  }

 private:
  std::string identity(const json::Value& item) const {
    std::string text;
    for (const std::string& key : keys_) {
      if (const json::Value* value = json::find(item, key)) append_go_json(text, *value);
      text += ',';
    }
    return text;
  }

  const std::vector<std::string>& keys_;
  std::unordered_map<std::string, const json::Value*> items_;
};

/// Checks a value against a schema, recursively. Without a report it ends at the first problem. The depth is
/// bounded by that of the schema.
class Check {
 public:
  explicit Check(Missing missing) : missing_(missing) {}

  /// Tolerates values that are invalid and unchanged: `old` is nullptr if there was none.
  Outcome run_update(const Node& node, const json::Value& value, const json::Value* old, const Place& place,
                     Report* report) const {
    if (old == nullptr) return run(node, value, nullptr, place, report);
    Report own{report != nullptr ? report->prefix : std::string_view(), {}};
    Outcome outcome = run(node, value, old, place, report != nullptr ? &own : nullptr);
    if (!outcome.ok && is_unchanged(node, value, *old)) {
      outcome.ok = true;
    } else if (report != nullptr) {
      report->take(std::move(own));
    }
    return outcome;
  }

  Outcome run(const Node& node, const json::Value& value, const json::Value* old, const Place& place,
              Report* report) const {
    if (value.is_null()) return check_null(node, place, report);
    Outcome outcome;
    const auto goes_on = [&](const Outcome& part) {
      outcome.add(part);
      ++outcome.matches;
      return outcome.ok || report != nullptr;
    };
    if ((node.types != 0 || !node.format.empty()) && !goes_on(check_type(node, value, place, report)))
      return outcome;
    if (!goes_on(check_branches(node, value, place, report))) return outcome;
    if (const auto* text = value.if_string()) {
      const std::string_view view(*text);
      if (!goes_on({check_text(node, view, place, report), 0})) return outcome;
      if (node.format_check != nullptr && !goes_on({check_format(node, view, place, report), 0}))
        return outcome;
    }
    if (value.is_number()) {
      if (!goes_on({check_number(node, value, place, report), 1})) return outcome;
    }
    if (const json::Array* list = value.if_array()) {
      if (!goes_on(check_list(node, *list, old, place, report))) return outcome;
    }
    if (!goes_on({check_choices(node, value, place, report), 0})) return outcome;
    if (const json::Object* object = value.if_object()) {
      if (!goes_on(check_object(node, *object, old, place, report))) return outcome;
    }
    ++outcome.matches;
    return outcome;
  }

 private:
  /// Returns whether nothing has changed except the order of items in lists that are maps. As in Kubernetes,
  /// a member without a schema makes objects unequal. Rules: k8s.io/apiserver/pkg/cel/common/equality.go.
  static bool is_unchanged(const Node& node, const json::Value& value, const json::Value& old) {
    const json::Object *object = value.if_object(), *old_object = old.if_object();
    if (object != nullptr && old_object != nullptr) {
      return object->size() == old_object->size() && std::ranges::all_of(*object, [&](const auto& member) {
               const Node* below = node.find_property(member.key());
               if (below == nullptr) below = node.additional_properties.get();
               const json::Value* before = old_object->if_contains(member.key());
               return below != nullptr && before != nullptr && is_unchanged(*below, member.value(), *before);
             });
    }
    const json::Array *list = value.if_array(), *old_list = old.if_array();
    if (list == nullptr || old_list == nullptr || node.list_keys.empty() || node.items == nullptr) {
      return k8s::equal(value, old);
    }
    const OldItems old_items(node, &old);
    return list->size() == old_list->size() && std::ranges::all_of(*list, [&](const json::Value& item) {
             const json::Value* before = old_items.find(item);
             return before != nullptr && is_unchanged(*node.items, item, *before);
           });
  }

  template <class Value>
  static bool fail(const Place& place, Report* report, const Value& shown, const std::string& what) {
    if (report != nullptr) {
      const std::string name = place.in_body();
      report->add(invalid(report->path(name), shown, name + " in body " + what));
    }
    return false;
  }

  static bool fail_type(const Place& place, Report* report, std::string_view wanted, std::string_view shown) {
    if (report != nullptr) {
      const std::string name = place.in_body();
      report->add(
          type_invalid(report->path(name), shown,
                       name + " in body must be of type " + std::string(wanted) + ": " + go_quoted(shown)));
    }
    return false;
  }

  static Outcome check_null(const Node& node, const Place& place, Report* report) {
    Outcome outcome{true, 1};
    if (node.types != 0 && !node.nullable) outcome = {fail_type(place, report, node.type_name, "null"), 0};
    // No choice is null to the API server, not even one that is.
    if (!node.choices.empty()) outcome.ok = fail_choices(node, nullptr, place, report);
    return outcome;
  }

  static Outcome check_type(const Node& node, const json::Value& value, const Place& place, Report* report) {
    const ValueType found = type_of(value);
    const bool is_listed = (node.types & found.bit) != 0;
    const bool is_text_or_list = (found.bit & (type::string | type::array)) != 0;
    const bool is_number = (found.bit == type::integer && (node.types & type::number) != 0) ||
                           (found.bit == type::number && (node.types & type::integer) != 0 &&
                            is_json_integer(value.to_number<double>()));
    if (!node.format.empty()) {
      if (!is_text_or_list && !is_listed && !is_number && found.format != node.format) {
        return {fail_type(place, report, node.format, found.format), 0};
      }
      // A format replaces the type: lists pass where a text with a format is asked for.
      if ((node.types & (type::number | type::integer)) == 0 && is_text_or_list) return {true, 1};
    }
    if (is_listed || is_number) return {true, 1};
    return {fail_type(place, report, node.type_name, found.name), 0};
  }

  Outcome check_branches(const Node& node, const json::Value& value, const Place& place,
                         Report* report) const {
    Outcome outcome{true, 1};
    const auto add = [&](const Outcome& part) {
      outcome.add(part);
      return outcome.ok || report != nullptr;
    };
    if (!node.any_of.empty() && !add(check_any_of(node, value, place, report))) return outcome;
    if (!node.one_of.empty() && !add(check_one_of(node, value, place, report))) return outcome;
    if (!node.all_of.empty() && !add(check_all_of(node, value, place, report))) return outcome;
    if (node.forbidden && run(*node.forbidden, value, nullptr, place, nullptr).ok) {
      outcome.ok = fail_branches(place, report, "must not validate the schema (not)");
    }
    return outcome;
  }

  static bool fail_branches(const Place& place, Report* report, const std::string& what) {
    if (report != nullptr) report->add_without_field(go_quoted(place.in_body()) + " " + what);
    return false;
  }

  /// The best of several branches that all failed: the one that passed most checks.
  struct Best {
    std::optional<Report> report;
    int matches = 0;

    void offer(const Outcome& outcome, Report&& of) {
      if (report && outcome.matches <= matches) return;
      report = std::move(of);
      matches = outcome.matches;
    }
    Outcome take_into(Report* into) {
      if (into != nullptr && report) into->take(*std::move(report));
      return {false, matches};
    }
  };

  Outcome check_any_of(const Node& node, const json::Value& value, const Place& place, Report* report) const {
    Best best;
    for (const Node& branch : node.any_of) {
      Report own{report != nullptr ? report->prefix : std::string_view(), {}};
      const Outcome outcome = run(branch, value, nullptr, place, report != nullptr ? &own : nullptr);
      if (outcome.ok) return outcome;
      best.offer(outcome, std::move(own));
    }
    fail_branches(place, report, "must validate at least one schema (anyOf)");
    return best.take_into(report);
  }

  Outcome check_one_of(const Node& node, const json::Value& value, const Place& place, Report* report) const {
    Best best;
    Outcome first;
    int valid = 0;
    for (const Node& branch : node.one_of) {
      Report own{report != nullptr ? report->prefix : std::string_view(), {}};
      const Outcome outcome = run(branch, value, nullptr, place, report != nullptr ? &own : nullptr);
      if (outcome.ok) {
        if (++valid == 1) first = outcome;
        if (valid > 1 && report == nullptr) return {false, 0};
      } else if (valid == 0) {
        best.offer(outcome, std::move(own));
      }
    }
    if (valid == 1) return first;
    const std::string found =
        valid == 0 ? "Found none valid" : "Found " + std::to_string(valid) + " valid alternatives";
    fail_branches(place, report, "must validate one and only one schema (oneOf). " + found);
    return valid == 0 ? best.take_into(report) : Outcome{false, 0};
  }

  Outcome check_all_of(const Node& node, const json::Value& value, const Place& place, Report* report) const {
    Outcome outcome;
    std::size_t valid = 0;
    for (const Node& branch : node.all_of) {
      const Outcome part = run(branch, value, nullptr, place, report);
      valid += part.ok ? 1 : 0;
      outcome.add(part);
      if (!outcome.ok && report == nullptr) return outcome;
    }
    if (valid != node.all_of.size()) {
      fail_branches(
          place, report,
          std::string("must validate all the schemas (allOf)") + (valid == 0 ? ". None validated" : ""));
    }
    return outcome;
  }

  static bool check_text(const Node& node, std::string_view text, const Place& place, Report* report) {
    if (node.max_length || node.min_length) {
      const std::int64_t length = count_characters(text);
      if (node.max_length && length > *node.max_length) {
        if (report != nullptr) report->add(too_long(report->path(place.in_body()), *node.max_length));
        return false;
      }
      if (node.min_length && length < *node.min_length) {
        return fail(place, report, text,
                    "should be at least " + std::to_string(*node.min_length) + " chars long");
      }
    }
    if (node.pattern.empty()) return true;
    return (node.compiled_pattern &&
            re2::RE2::PartialMatch(re2::StringPiece(text), *node.compiled_pattern)) ||
           fail(place, report, text, "should match '" + node.pattern + "'");
  }

  static bool check_format(const Node& node, std::string_view text, const Place& place, Report* report) {
    return node.format_check(text) || fail_type(place, report, node.format, text);
  }

  Outcome check_list(const Node& node, const json::Array& list, const json::Value* old, const Place& place,
                     Report* report) const {
    Outcome outcome{true, 1};
    const OldItems old_items(node, old);
    for (std::size_t i = 0; node.items && i < list.size(); ++i) {
      outcome.add(run_update(*node.items, list[i], old_items.find(list[i]), place.item(i), report));
      if (!outcome.ok && report == nullptr) return outcome;
    }
    const auto size = static_cast<std::int64_t>(list.size());
    if (node.min_items && size < *node.min_items) {
      outcome.ok =
          fail(place, report, size, "should have at least " + std::to_string(*node.min_items) + " items");
    }
    if (node.max_items && size > *node.max_items) {
      if (report != nullptr) report->add(too_many(report->path(place.in_body()), size, *node.max_items));
      outcome.ok = false;
    }
    if (node.unique_items && has_duplicates(list)) {
      outcome.ok = fail(place, report, "", "shouldn't contain duplicates");
    }
    return outcome;
  }

  static bool check_choices(const Node& node, const json::Value& value, const Place& place, Report* report) {
    return node.choices.empty() ||
           std::ranges::any_of(node.choices,
                               [&](const json::Value& choice) { return is_choice(value, choice); }) ||
           fail_choices(node, value, place, report);
  }

  static bool fail_choices(const Node& node, const json::Value& value, const Place& place, Report* report) {
    if (report == nullptr) return false;
    std::vector<std::string> supported;
    for (const json::Value& choice : node.choices) {
      std::string& text = supported.emplace_back();
      if (choice.is_string()) {
        text = std::string_view(choice.get_string());
      } else {
        append_go_json(text, choice);
      }
    }
    report->add(not_supported(report->path(place.in_body()), value, supported));
    return false;
  }

  Outcome check_object(const Node& node, const json::Object& object, const json::Value* old,
                       const Place& place, Report* report) const {
    Outcome outcome;
    const json::Object* old_object = old != nullptr ? old->if_object() : nullptr;
    const auto size = static_cast<std::int64_t>(object.size());
    if (node.min_properties && size < *node.min_properties) {
      outcome.ok = fail(place, report, size,
                        "should have at least " + std::to_string(*node.min_properties) + " properties");
    }
    if (node.max_properties && size > *node.max_properties) {
      if (report != nullptr) report->add(too_many(report->path(place.in_body()), size, *node.max_properties));
      outcome.ok = false;
    }
    for (const auto& member : object) {
      if (!outcome.ok && report == nullptr) return outcome;
      const std::string_view name = member.key();
      // Versions are converted before they are compared: what names the type always looks unchanged.
      const bool names_type = place.parent == nullptr && (name == "apiVersion" || name == "kind");
      const json::Value* before =
          old_object != nullptr && !names_type ? old_object->if_contains(name) : nullptr;
      if (const Node* property = node.find_property(name)) {
        outcome.add(run_update(*property, member.value(), before, place.member(name), report));
      } else if (node.additional == Node::Additional::checked) {
        outcome.add(run_update(*node.additional_properties, member.value(), before, place.key(name), report));
      } else if (node.additional == Node::Additional::none) {
        outcome.ok = fail_unknown(name, place, report);
      }
    }
    for (const std::string& name : node.required) {
      if (object.contains(name) || may_be_missing(node, name)) continue;
      outcome.ok = false;
      if (report == nullptr) return outcome;
      report->add(required(report->path(place.key(name).in_body()), {}));
    }
    return outcome;
  }

  bool may_be_missing(const Node& node, std::string_view name) const {
    const Node* property = missing_ == Missing::may_have_default ? node.find_property(name) : nullptr;
    return property != nullptr && property->has_default;
  }

  static bool fail_unknown(std::string_view name, const Place& place, Report* report) {
    if (report != nullptr) {
      const std::string path = place.in_body();
      report->add(invalid(report->path(path), name,
                          path + "." + std::string(name) + " in body is a forbidden property"));
    }
    return false;
  }

  Missing missing_;
};

/// Removes repeated problems, which branches of a schema may report alike.
void remove_repeated(Violations& problems) {
  std::unordered_set<std::string> seen;
  std::erase_if(problems, [&](const Violation& problem) { return !seen.insert(problem.to_string()).second; });
}

}  // namespace

bool is_valid(const Node& node, const json::Value& value, const json::Value* old, Missing missing) {
  return Check(missing).run_update(node, value, old, Place::root(), nullptr).ok;
}

Violations find_problems(const Node& node, const json::Value& value, const json::Value* old,
                         std::string_view prefix) {
  Report report{prefix, {}};
  Check(Missing::is_a_problem).run_update(node, value, old, Place::root(), &report);
  remove_repeated(report.problems);
  return std::move(report.problems);
}

}  // namespace fairway::schema::internal
