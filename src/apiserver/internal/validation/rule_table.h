// SPDX-License-Identifier: Apache-2.0

// The tables of rules in validation/data, read.
#pragma once

#include <initializer_list>
#include <map>
#include <string_view>
#include <vector>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/formats.h"

namespace fairway::apiserver::validation {

struct Field;
struct FieldRules;
struct Rule;
/// Applies a rule to a field. Returns false if it ends the line.
using Application = bool (*)(const Field& field, const Rule& rule);

/// One rule of a field: `one-of:TCP,UDP`.
struct Rule {
  std::string_view name;
  std::vector<std::string_view> arguments;
  /// True (`name!`) if an absent value is checked, too: it is "" or 0.
  bool always = false;
  /// True (`name?`) if an empty text is right, too.
  bool allows_empty = false;
  Application application = nullptr;
  // The things that the first argument can name, one of them by each rule.
  Format format = nullptr;
  Call call = nullptr;
  const std::vector<FieldRules>* type = nullptr;
};

/// The rules of one field, applied from left to right until one that ends the line.
struct FieldRules {
  /// Name of the member; "." for the object itself.
  std::string_view field;
  /// The name in errors, if it is not the field's.
  std::string_view shown;
  /// True (`field[]`) if the rules are about each item of a list of plain values.
  bool each_item = false;
  std::vector<Rule> rules;
  /// The words of the error, if the rules have none of their own, or others.
  std::string_view words;
};

/// Reads tables, whose types may refer to each other:
///   # a comment
///   TYPE
///    FIELD[[]][@SHOWN] RULE[!|?][:ARGUMENT,...] ... [| WORDS]
/// The texts must outlive it. A mistake in them is a bug, and an exception.
class RuleTable {
 public:
  explicit RuleTable(std::initializer_list<std::string_view> texts);
  /// Finds the rules of a type, in their order; throws if there is none.
  const std::vector<FieldRules>& of(std::string_view type) const;

 private:
  void read(std::string_view text);
  void resolve(Rule& rule) const;

  std::map<std::string_view, std::vector<FieldRules>> types_;
};

/// Finds what applies the rules of a name, those of formats excepted; nullptr if there is none.
Application find_application(std::string_view name);
/// Applies a rule that is a format.
bool apply_format(const Field& field, const Rule& rule);

/// Returns the rules of all types, which are read at first use. Thread-safe.
const RuleTable& rule_table();

}  // namespace fairway::apiserver::validation
