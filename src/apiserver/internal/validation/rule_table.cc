// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/rule_table.h"

#include <stdexcept>
#include <string>

#include "base/text.h"
#include "object_rules.txt.h"
#include "workload_rules.txt.h"

namespace fairway::apiserver::validation {
namespace {

Rule read_rule(std::string_view word) {
  Rule rule;
  const std::size_t colon = word.find(':');
  rule.name = word.substr(0, colon);
  if (colon != std::string_view::npos) rule.arguments = split(word.substr(colon + 1), ',');
  rule.always = rule.name.ends_with('!');
  rule.allows_empty = rule.name.ends_with('?');
  if (rule.always || rule.allows_empty) rule.name.remove_suffix(1);
  return rule;
}

FieldRules read_line(std::string_view line) {
  FieldRules made;
  if (const std::size_t bar = line.find(" | "); bar != std::string_view::npos) {
    made.words = line.substr(bar + 3);
    line = line.substr(0, bar);
  }
  for (const std::string_view word : split(line, ' ')) {
    if (word.empty()) continue;
    if (!made.field.empty()) {
      made.rules.push_back(read_rule(word));
      continue;
    }
    const std::size_t at = word.find('@');
    made.field = word.substr(0, at);
    if (made.field.ends_with("[]")) {
      made.each_item = true;
      made.field.remove_suffix(2);
    }
    made.shown = at == std::string_view::npos ? made.field : word.substr(at + 1);
  }
  if (made.rules.empty()) throw std::logic_error("a line of rules has none: " + std::string(line));
  return made;
}

}  // namespace

RuleTable::RuleTable(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) read(text);
  for (auto& [name, lines] : types_) {
    for (FieldRules& line : lines) {
      for (Rule& rule : line.rules) resolve(rule);
    }
  }
}

void RuleTable::read(std::string_view text) {
  std::vector<FieldRules>* type = nullptr;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).empty() || line.starts_with('#')) continue;
    if (!line.starts_with(' ')) {
      type = &types_[trim(line)];
    } else if (type != nullptr) {
      type->push_back(read_line(line));
    }
  }
}

void RuleTable::resolve(Rule& rule) const {
  rule.application = find_application(rule.name);
  if (rule.application == nullptr) {
    rule.format = find_format(rule.name);
    if (rule.format == nullptr) throw std::logic_error("no rule is called " + std::string(rule.name));
    rule.application = &apply_format;
  }
  if (rule.name == "call") rule.call = find_call(rule.arguments.front());
  if (rule.name == "is" || rule.name == "each" || rule.name == "choice" || rule.name == "joins")
    rule.type = &of(rule.arguments.front());
}

const std::vector<FieldRules>& RuleTable::of(std::string_view type) const {
  const auto found = types_.find(type);
  if (found == types_.end()) throw std::logic_error("no rules of the type " + std::string(type));
  return found->second;
}

const RuleTable& rule_table() {
  static const RuleTable table{workload_rules_text, object_rules_text};
  return table;
}

}  // namespace fairway::apiserver::validation
