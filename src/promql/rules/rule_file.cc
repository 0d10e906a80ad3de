// SPDX-License-Identifier: Apache-2.0

#include "promql/rules/rule_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <set>
#include <utility>

#include "base/nearest.h"
#include "base/text.h"
#include "promql/engine/labels.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

using yaml::Node;
using Kind = Node::Kind;

constexpr std::size_t longest_shown = 200;

std::string in_quotes(std::string_view text) {
  return "\"" + printable(text, longest_shown) + "\"";
}

bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

/// Returns whether a text may be a metric's name: in Prometheus 3 any text, in 2.x letters, digits,
/// underscores and colons.
bool is_metric_name(std::string_view name, Dialect dialect) {
  if (name.empty()) return false;
  if (dialect == Dialect::prometheus3) return true;
  return std::ranges::all_of(name, is_name_part) && (name.front() < '0' || name.front() > '9');
}

/// Returns a mapping with the entries of its merge keys (`<<`), which its own ones replace.
Node merged(Node node) {
  for (Node& item : node.items) item = merged(std::move(item));
  std::vector<yaml::Entry> entries;
  std::vector<Node> sources;
  for (yaml::Entry& entry : node.entries) {
    entry.value = merged(std::move(entry.value));
    if (entry.key.scalar != "<<" || !entry.key.plain) {
      entries.push_back(std::move(entry));
    } else if (entry.value.kind == Kind::sequence) {
      std::ranges::move(entry.value.items, std::back_inserter(sources));
    } else {
      sources.push_back(std::move(entry.value));
    }
  }
  for (Node& source : sources) {
    for (yaml::Entry& entry : source.entries) {
      const auto is_same = [&](const yaml::Entry& own) { return own.key.scalar == entry.key.scalar; };
      if (std::ranges::none_of(entries, is_same)) entries.push_back(std::move(entry));
    }
  }
  node.entries = std::move(entries);
  return node;
}

class Reader {
 public:
  Reader(RuleFile& file, Dialect dialect) : file_(file), dialect_(dialect) {}

  void document(const Node& root) {
    if (root.kind == Kind::null) return;
    if (!is_mapping(root, "a file of rules")) return;
    const Node* kind = root.find("kind");
    if (kind == nullptr) return groups(root);
    if (kind->scalar == "List") return list_of_objects(root);
    if (kind->scalar != "PrometheusRule") {
      return report(*kind, "an object of kind " + in_quotes(kind->scalar) +
                               " has no rules: those of PrometheusRule are read");
    }
    const Node* spec = root.find("spec");
    if (spec == nullptr) return report(root, "the PrometheusRule has no spec");
    if (is_mapping(*spec, "spec")) groups(*spec, true);
  }

 private:
  void list_of_objects(const Node& root) {
    const Node* items = root.find("items");
    if (items == nullptr || items->kind != Kind::sequence) return report(root, "the List has no items");
    for (const Node& item : items->items) document(item);
  }

  void report(const Node& at, std::string message) {
    file_.problems.push_back({at.mark, std::move(message)});
  }

  bool is_mapping(const Node& node, const std::string& what) {
    if (node.kind == Kind::mapping) return true;
    report(node, what + " has to be a mapping");
    return false;
  }

  void check_keys(const Node& mapping, const std::string& what, const std::vector<std::string>& known) {
    for (const yaml::Entry& entry : mapping.entries) {
      if (std::ranges::find(known, entry.key.scalar) != known.end()) continue;
      const std::string meant = nearest(entry.key.scalar, known);
      report(entry.key, what + " has no field " + in_quotes(entry.key.scalar) +
                            (meant.empty() ? "" : "; is " + meant + " meant?"));
    }
  }

  /// Returns the text of a field; empty if it is absent, null or no scalar, which is reported.
  std::string text_of(const Node& mapping, std::string_view name) {
    const Node* value = mapping.find(name);
    if (value == nullptr || value->kind == Kind::null) return {};
    if (value->is_scalar()) return value->scalar;
    report(*value, std::string(name) + " has to be a text");
    return {};
  }

  void check_durations(const Node& mapping, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      const Node* value = mapping.find(name);
      if (value == nullptr || value->kind == Kind::null) continue;
      const std::string text = text_of(mapping, name);
      if (!value->is_scalar() || text == "0") continue;
      if (!parse_duration_text(text, Dialect::prometheus2)) {
        report(*value, std::string(name) + ": " + in_quotes(text) + " is no duration, such as 5m or 1h30m");
      }
    }
  }

  void check_limit(const Node& group) {
    const Node* limit = group.find("limit");
    if (limit == nullptr || limit->kind == Kind::null) return;
    std::int64_t number = 0;
    const char* const end = limit->scalar.data() + limit->scalar.size();
    const auto read = std::from_chars(limit->scalar.data(), end, number);
    if (!limit->is_scalar() || read.ec != std::errc() || read.ptr != end) {
      report(*limit, "limit has to be a whole number");
    }
  }

  /// Returns whether a field is as if it was not there: a duration of zero, a mapping without entries.
  static bool is_nothing(const Node& value) {
    if (value.kind == Kind::null) return true;
    if (value.kind == Kind::mapping) return value.entries.empty();
    const auto duration = parse_duration_text(value.scalar, Dialect::prometheus2);
    return value.scalar == "0" || (duration && *duration == 0);
  }

  void check_labels(const Node& mapping, std::string_view field) {
    const Node* labels = mapping.find(field);
    if (labels == nullptr || labels->kind == Kind::null) return;
    if (!is_mapping(*labels, std::string(field))) return;
    for (const yaml::Entry& entry : labels->entries) {
      const std::string& name = entry.key.scalar;
      const bool may_be = is_label_name(name, dialect_ == Dialect::prometheus3);
      if (!may_be || (field == "labels" && name == "__name__")) {
        report(entry.key, std::string(field) + ": " + in_quotes(name) + " cannot be the name of a label");
      }
      if (entry.value.kind != Kind::null && !entry.value.is_scalar()) {
        report(entry.value, std::string(field) + "." + printable(name, longest_shown) + " has to be a text");
      }
    }
  }

  /// `is_spec`: of an object, in which further fields are its operator's.
  void groups(const Node& root, bool is_spec = false) {
    if (!is_spec) check_keys(root, "a file of rules", {"groups"});
    const Node* list = root.find("groups");
    if (list == nullptr || list->kind == Kind::null) return;
    if (list->kind != Kind::sequence) return report(*list, "groups has to be a list");
    std::set<std::string> names;
    for (const Node& group : list->items) {
      if (!is_mapping(group, "a group")) continue;
      const std::string name = text_of(group, "name");
      if (name.empty()) {
        report(group, "the group has no name");
      } else if (!names.insert(name).second) {
        report(group, "the group " + in_quotes(name) + " is there already");
      }
      std::vector<std::string> fields = {"name", "interval", "query_offset", "limit", "labels", "rules"};
      if (is_spec) fields.emplace_back("partial_response_strategy");
      check_keys(group, "a group", fields);
      check_limit(group);
      check_durations(group, {"interval", "query_offset"});
      check_labels(group, "labels");
      const Node* rules = group.find("rules");
      if (rules == nullptr || rules->kind == Kind::null) continue;
      if (rules->kind != Kind::sequence) {
        report(*rules, "rules has to be a list");
        continue;
      }
      for (const Node& one : rules->items) {
        if (is_mapping(one, "a rule")) rule(one);
      }
    }
  }

  void rule(const Node& node) {
    check_keys(node, "a rule",
               {"record", "alert", "expr", "for", "keep_firing_for", "labels", "annotations"});
    const std::string record = text_of(node, "record"), alert = text_of(node, "alert");
    if (record.empty() == alert.empty()) {
      report(node,
             record.empty() ? "the rule has neither alert nor record" : "the rule has both alert and record");
    }
    const std::string shown = alert.empty() ? record : alert;
    if (!record.empty()) {
      if (record.find_first_of("{}") != std::string::npos) {
        report(node, "record: " + in_quotes(record) + " has braces, which belong into expr");
      }
      if (!is_metric_name(record, dialect_))
        report(node, "record: " + in_quotes(record) + " cannot be the name of a metric");
      for (const std::string_view of_alerts : {"for", "keep_firing_for", "annotations"}) {
        const Node* value = node.find(of_alerts);
        if (value != nullptr && alert.empty() && !is_nothing(*value)) {
          report(*value,
                 "the rule records " + in_quotes(record) + ": only an alert has " + std::string(of_alerts));
        }
      }
    }
    check_durations(node, {"for", "keep_firing_for"});
    check_labels(node, "labels");
    check_labels(node, "annotations");
    const Node* query = node.find("expr");
    const std::string text = text_of(node, "expr");
    if (text.empty()) {
      if (query == nullptr || query->kind == Kind::null || query->is_scalar()) {
        report(query != nullptr ? *query : node,
               "the rule" + (shown.empty() ? "" : " " + in_quotes(shown)) + " has no expr");
      }
      return;
    }
    file_.rules.push_back({.name = shown, .is_alert = !alert.empty(), .query = text, .mark = query->mark});
  }

  RuleFile& file_;
  const Dialect dialect_;
};

}  // namespace

RuleFile read_rule_file(std::string_view text, Dialect dialect) {
  RuleFile file;
  auto parsed = yaml::parse(text);
  if (!parsed) {
    file.problems.push_back({parsed.error().mark, parsed.error().message});
    return file;
  }
  for (const yaml::DuplicateKey& key : parsed->duplicate_keys) {
    file.problems.push_back(
        {key.repeated, in_quotes(key.key) + " is there already, in line " + std::to_string(key.first.line)});
  }
  Reader reader(file, dialect);
  for (Node& document : parsed->documents) reader.document(merged(std::move(document)));
  std::ranges::stable_sort(file.problems, {}, [](const RuleProblem& problem) {
    return std::pair(problem.mark.line, problem.mark.column);
  });
  return file;
}

}  // namespace fairway::promql
