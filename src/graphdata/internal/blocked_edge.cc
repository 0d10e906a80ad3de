// SPDX-License-Identifier: Apache-2.0

#include "graphdata/internal/blocked_edge.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "graphdata/internal/lenient_target.h"
#include "graphdata/internal/limits.h"

namespace fairway::graphdata {

namespace {

using yaml::Entry;
using Kind = yaml::Node::Kind;

// Upstream's only exception: early s390x releases carry their architecture as prerelease (4.2.11-s390x).
constexpr std::string_view architecture_prerelease = "s390x";
/// Longest line of a `to`, more than any takes.
constexpr std::size_t max_target_line_bytes = 1000;

class BlockedEdgeReader {
 public:
  BlockedEdgeReader(BlockedEdgeFile& out, Budget& budget) : out_(out), budget_(budget) {}

  /// Reads a file that is too large to be read as YAML, or whose name cannot be shown: its blocks stay in
  /// force.
  void read_unfit(const std::string& text) {
    if (text.size() > max_yaml_bytes) {
      add({.rule = "file-unfit",
           .place = {.file = out_.file},
           .message = "the file has more than " + std::to_string(max_yaml_bytes) + " bytes",
           .fix = "shorten it"});
    } else {
      add({.rule = "file-unfit",
           .place = {.file = out_.file},
           .message = "the file's name is not UTF-8",
           .fix = "rename it"});
    }
    // A line begins with `to:` wherever it stands in a large file.
    std::string lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = std::string_view(text).substr(at, std::min(end - at, max_target_line_bytes));
      if (at == 0 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
      std::string_view key = line;
      while (!key.empty() && std::string_view("? \"'").contains(key.front())) key.remove_prefix(1);
      if (key.starts_with("to") && lines.size() < max_yaml_bytes) lines += std::string(line) + "\n";
      at = end + 1;
    }
    // These lines may not have all targets: `!!str to:` is one as well.
    for (const std::string& part : {lines, text.substr(0, max_yaml_bytes)}) {
      for (const RecoveredTarget& target : scan_for_targets(part)) add_target(target.to, {.file = out_.file});
    }
  }

  void read(const std::string& text) {
    std::expected<yaml::Parsed, yaml::SyntaxError> parsed = budget_.parse(text);
    if (!parsed) {
      add({.rule = "yaml-syntax",
           .place = place_at(out_.file, parsed.error().mark),
           .message = "this is not YAML: " + parsed.error().message,
           .fix = "fix the syntax, or remove the file"});
      for (const RecoveredTarget& target : scan_for_targets(text))
        add_target(target.to, place_at(out_.file, target.mark));
      return;
    }
    out_.parsed = std::move(*parsed);
    check_documents();
    for (const yaml::Node& document : out_.parsed.documents) {
      check_keys(document);
      if (document.kind == Kind::mapping) {
        read_targets(document);
      } else {
        for (const yaml::Node& item : document.items) read_targets(item);
      }
    }
    if (const yaml::Node* mapping = out_.mapping()) read_mapping(*mapping);
  }

 private:
  void add(Fault fault) { out_.faults.push_back(std::move(fault)); }

  void add_target(const Version& to, graph::Place place) {
    const auto same = [&](const Target& target) { return target.to == to; };
    if (out_.too_many_targets || std::ranges::any_of(out_.targets, same)) return;
    out_.too_many_targets = out_.targets.size() >= max_file_targets;
    if (!out_.too_many_targets) out_.targets.push_back({to, std::move(place)});
  }

  void check_documents() {
    const std::vector<yaml::Node>& documents = out_.parsed.documents;
    for (const yaml::DuplicateKey& key : out_.parsed.duplicate_keys) {
      add({.rule = "duplicate-key",
           .place = place_at(out_.file, key.repeated),
           .text = printable(key.key),
           .message = "this key stands here and on line " + std::to_string(key.first.line) + " as well",
           .fix = "keep one of them; for another edge write another file"});
    }
    if (documents.size() > 1) {
      add({.rule = "several-documents",
           .place = place_at(out_.file, documents[1].mark),
           .message = "a second YAML document begins here",
           .fix = "write each document into a file of its own, without '---'"});
    }
    if (documents.empty() || documents.front().kind != Kind::mapping) {
      const std::string what = documents.empty() ? "nothing" : std::string(describe(documents.front().kind));
      add({.rule = "not-a-mapping",
           .place = documents.empty() ? graph::Place{.file = out_.file, .line = 1, .column = 1}
                                      : place_at(out_.file, documents.front().mark),
           .message = "the file holds " + what + ", not a mapping with 'to' and 'from'",
           .fix = "write 'to: VERSION' and 'from: EXPRESSION'"});
    }
  }

  // A key that is no scalar has no name: its meaning is unknown.
  void check_keys(const yaml::Node& node) {
    for (const yaml::Node& item : node.items) check_keys(item);
    for (const auto& [key, value] : node.entries) {
      if (!key.is_scalar()) {
        add({.rule = "key-type",
             .place = place_at(out_.file, key.mark),
             .message = "this key is " + std::string(describe(key.kind)) + ", not a word",
             .fix = "write a plain key"});
      }
      check_keys(value);
    }
  }

  void read_targets(const yaml::Node& mapping) {
    for (const Entry& entry : mapping.entries) {
      const auto& [key, value] = entry;
      if (!key.is_scalar() || key.scalar != "to") continue;
      const graph::Place place = place_of_value(out_.file, entry);
      if (!value.is_scalar()) {
        add({.rule = "to",
             .place = place,
             .message = "'to' is " + std::string(describe(value.kind)) + ", not a version",
             .fix = "write 'to: VERSION'"});
        continue;
      }
      if (Result<Version> version = Version::parse(value.scalar)) {
        add_target(*version, place);
        continue;
      }
      const std::vector<Version> recovered = recover_versions(value.scalar);
      Fault fault{.rule = "to",
                  .place = place,
                  .text = printable(value.scalar),
                  .message = "'to' is not a semantic version",
                  .fix = "write the version that is updated to, like 4.7.4"};
      if (!recovered.empty()) fault.fix = "write 'to: " + recovered.front().to_string() + "'";
      if (recovered.size() > 1) fault.fix += ", and a file of its own for each other version";
      for (const Version& version : recovered) add_target(version, place);
      add(std::move(fault));
    }
  }

  void read_mapping(const yaml::Node& mapping) {
    if (find_entry(mapping, "to") == nullptr) {
      add({.rule = "to",
           .place = place_at(out_.file, mapping.mark),
           .message = "there is no 'to'",
           .fix = "write 'to: VERSION'"});
    }
    read_from(mapping);
    graph::Risk& risk = out_.block.risk;
    risk.url = read_text(mapping, "url");
    risk.name = read_text(mapping, "name");
    risk.message = read_text(mapping, "message");
    const bool complete = !risk.url.empty() && !risk.name.empty() && !risk.message.empty();
    const Entry* rules = find_entry(mapping, "matchingRules");
    if (rules != nullptr) read_rules(*rules);

    if (rules != nullptr && !risk.matching_rules.empty()) {
      out_.block.effect = graph::Block::Effect::conditional;
      if (!complete) {
        std::vector<std::string> missing;
        if (risk.url.empty()) missing.emplace_back("url");
        if (risk.name.empty()) missing.emplace_back("name");
        if (risk.message.empty()) missing.emplace_back("message");
        add({.rule = "rules-without-texts",
             .place = place_at(out_.file, rules->key.mark),
             .text = "matchingRules",
             .message = "there are matchingRules, but " + join(missing, ", ") +
                        (missing.size() > 1 ? " are" : " is") + " missing or empty",
             .fix = "give url, name and message, all three"});
      }
    } else if (complete) {
      out_.block.effect = graph::Block::Effect::conditional;
      risk.matching_rules = graph::always_rule();
    } else {
      out_.block.effect = graph::Block::Effect::removed;
      risk = {};
    }
  }

  void read_from(const yaml::Node& mapping) {
    const Entry* from = find_entry(mapping, "from");
    if (from == nullptr || !from->value.is_scalar()) {
      add({.rule = "from",
           .place = from == nullptr ? place_at(out_.file, mapping.mark) : place_of_value(out_.file, *from),
           .message = from == nullptr
                          ? std::string("there is no 'from'")
                          : "'from' is " + std::string(describe(from->value.kind)) + ", not an expression",
           .fix = "write 'from: EXPRESSION'; '.*' is every release"});
      return;
    }
    const Result<Pattern>& pattern = budget_.compile(from->value.scalar);
    if (pattern) {
      out_.block.from = *pattern;
      return;
    }
    add({.rule = "from-regex",
         .place = place_of_value(out_.file, *from),
         .text = printable(from->value.scalar),
         .message = pattern.error().message,
         .fix = "write an expression in RE2 syntax (no look-ahead, no back-references)"});
  }

  std::string read_text(const yaml::Node& mapping, std::string_view key) {
    const Entry* entry = find_entry(mapping, key);
    if (entry == nullptr || entry->value.kind == Kind::null) return {};
    if (entry->value.is_scalar() && entry->value.scalar.size() > max_text_bytes) {
      add({.rule = "text-type",
           .place = place_of_value(out_.file, *entry),
           .text = {},
           .message = "'" + std::string(key) + "' has " + std::to_string(entry->value.scalar.size()) +
                      " bytes; the limit is " + std::to_string(max_text_bytes),
           .fix = "shorten it"});
      return {};
    }
    // Text without visible characters is empty.
    if (entry->value.is_scalar()) return trim(entry->value.scalar).empty() ? "" : entry->value.scalar;
    add({.rule = "text-type",
         .place = place_of_value(out_.file, *entry),
         .text = {},
         .message =
             "'" + std::string(key) + "' is " + std::string(describe(entry->value.kind)) + ", not a text",
         .fix = "write '" + std::string(key) + ": TEXT'"});
    return {};
  }

  void read_rules(const Entry& entry) {
    const auto& [key, value] = entry;
    if (value.kind == Kind::null) return;
    if (value.kind != Kind::sequence) {
      add({.rule = "matching-rules",
           .place = place_of_value(out_.file, entry),
           .message = "'matchingRules' is " + std::string(describe(value.kind)) + ", not a list of rules",
           .fix = "write a list: '- type: Always'"});
      return;
    }
    json::Array& rules = out_.block.risk.matching_rules;
    for (const yaml::Node& item : value.items) {
      if (check_rule(item)) rules.push_back(rule_to_json(item));
    }
    graph::canonicalize_rules(rules);
    if (const std::size_t bytes = json::to_text(rules).size(); bytes > max_rules_bytes) {
      add({.rule = "matching-rules",
           .place = place_of_value(out_.file, entry),
           .message = "'matchingRules' has " + std::to_string(bytes) + " bytes; the limit is " +
                      std::to_string(max_rules_bytes),
           .fix = "write shorter rules"});
    }
    // Broken rules are rules: without url, name and message they must not pass for a plain removal.
    if (rules.empty() && !value.items.empty()) rules = graph::always_rule();
  }

  // A query that is a bare number or word is taken by its text, as url, name and message are: consumers need
  // a string.
  static json::Value rule_to_json(const yaml::Node& rule) {
    json::Value value = yaml::to_json(rule);
    if (rule.find("type")->scalar != "PromQL") return value;
    for (const std::string_view outer : {"promql", "PromQL"}) {
      const yaml::Node* property = rule.find(outer);
      if (property == nullptr) continue;
      for (const std::string_view inner : {"promql", "PromQL"}) {
        if (const yaml::Node* query = property->find(inner))
          value.as_object().at(outer).as_object().at(inner) = query->scalar;
      }
    }
    return value;
  }

  bool bad_rule(const graph::Place& place, std::string message, std::string fix, std::string text = {}) {
    add({.rule = "matching-rules",
         .place = place,
         .text = std::move(text),
         .message = std::move(message),
         .fix = std::move(fix)});
    return false;
  }

  static int depth_of(const yaml::Node& node) {
    int depth = 0;
    for (const yaml::Node& item : node.items) depth = std::max(depth, depth_of(item));
    for (const auto& [key, value] : node.entries) depth = std::max(depth, depth_of(value));
    return depth + 1;
  }

  // The enhancement of docs/risks.md, section Cluster-condition type registry.
  bool check_rule(const yaml::Node& rule) {
    const graph::Place place = place_at(out_.file, rule.mark);
    if (rule.kind != Kind::mapping) {
      return bad_rule(place,
                      "this rule is " + std::string(describe(rule.kind)) + ", not a mapping with a type",
                      "write '- type: Always' or '- type: PromQL'", printable(rule.scalar));
    }
    if (depth_of(rule) > max_rule_depth) {
      return bad_rule(place,
                      "this rule is nested more than " + std::to_string(max_rule_depth) + " levels deep",
                      "write it flatter");
    }
    const Entry* type = find_entry(rule, "type");
    if (type == nullptr)
      return bad_rule(place, "this rule has no type", "write '- type: Always' or '- type: PromQL'");
    const json::Value type_value = yaml::to_json(type->value);
    if (!type_value.is_string() || type_value.get_string().empty()) {
      return bad_rule(place_of_value(out_.file, *type), "the type of this rule is no text, or empty",
                      "write '- type: Always' or '- type: PromQL'", printable(type->value.scalar));
    }
    return type->value.scalar != "PromQL" || check_promql(rule);
  }

  // A `promql` of another shape would make every consumer's decoder refuse the whole answer.
  bool check_promql(const yaml::Node& rule) {
    const Entry* outer = find_property(rule);
    if (outer == nullptr) return !both_;
    if (outer->value.kind != Kind::mapping) {
      return bad_rule(place_of_value(out_.file, *outer),
                      "'promql' is " + std::string(describe(outer->value.kind)) + ", not a mapping",
                      "write 'promql:' and below it, indented, 'promql: QUERY'",
                      printable(outer->value.scalar));
    }
    const Entry* inner = find_property(outer->value);
    if (both_) return false;
    if (inner == nullptr || !inner->value.is_scalar()) {
      return bad_rule(place_of_value(out_.file, inner == nullptr ? *outer : *inner),
                      inner == nullptr
                          ? std::string("there is no query below 'promql'")
                          : "the query is " + std::string(describe(inner->value.kind)) + ", not a text",
                      "write 'promql: QUERY' below 'promql:'");
    }
    return true;
  }

  // `promql`, or `PromQL` as the specification also has it; nullptr where there is none, or both (a fault).
  const Entry* find_property(const yaml::Node& mapping) {
    const Entry* lower = find_entry(mapping, "promql");
    const Entry* upper = find_entry(mapping, "PromQL");
    both_ = lower != nullptr && upper != nullptr;
    if (!both_) return lower != nullptr ? lower : upper;
    bad_rule(place_at(out_.file, upper->key.mark), "'promql' and 'PromQL' both stand here",
             "keep one of them", "PromQL");
    return nullptr;
  }

  BlockedEdgeFile& out_;
  Budget& budget_;
  bool both_ = false;
};

}  // namespace

const yaml::Node* BlockedEdgeFile::mapping() const {
  if (parsed.documents.empty() || parsed.documents.front().kind != yaml::Node::Kind::mapping) return nullptr;
  return &parsed.documents.front();
}

bool is_blocked_edge(std::string_view path) {
  return path.starts_with("blocked-edges/") && is_yaml(path) && counts(path);
}

BlockedEdgeFile read_blocked_edge(const std::string& file, const std::string& text, Budget& budget) {
  BlockedEdgeFile out;
  out.file = is_utf8(file) ? file : printable(file);
  if (text.size() > max_yaml_bytes || !is_utf8(file)) {
    BlockedEdgeReader(out, budget).read_unfit(text);
    return out;
  }
  BlockedEdgeReader(out, budget).read(text);
  std::ranges::sort(out.faults, precedes);
  if (!out.faults.empty() || out.targets.empty()) return out;
  graph::Block& block = out.block;
  block.file = file;
  block.place = out.targets.front().place;
  block.to = out.targets.front().to;
  if (block.effect == graph::Block::Effect::removed && block.to.build().empty() &&
      block.to.prerelease() == architecture_prerelease) {
    block.to = block.to.with_build(std::string(architecture_prerelease));
  }
  return out;
}

}  // namespace fairway::graphdata
