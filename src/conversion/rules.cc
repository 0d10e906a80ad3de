// SPDX-License-Identifier: Apache-2.0

#include "conversion/rules.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/yaml.h"
#include "k8s/equality.h"
#include "schema/field_path.h"

namespace fairway::conversion {

namespace {

/// "spec.ports[].protocol": members within an object, within each item of a list. Between lists stand the
/// names of members; of the last part, the last name is the field.
using Names = std::vector<std::string>;
struct RulePath {
  std::string text;
  std::vector<Names> parts;
};

struct FieldRule {
  std::optional<RulePath> older, newer;
  std::optional<json::Value> otherwise;
  /// Pairs of a value of the older and of the newer version.
  std::vector<std::pair<json::Value, json::Value>> values;
};

using FieldRules = std::vector<FieldRule>;

enum class Direction { up, down };

// Application of rules.

json::Object* descend(json::Object& object, const Names& names, std::size_t count) {
  json::Object* at = &object;
  for (std::size_t i = 0; i < count && at != nullptr; ++i) {
    json::Value* next = at->if_contains(names[i]);
    at = next != nullptr ? next->if_object() : nullptr;
  }
  return at;
}

/// Removes and returns a member, and removes objects that are empty then, except for the first `stay` on the
/// way.
std::optional<json::Value> take(json::Object& object, const Names& names, std::size_t stay,
                                std::size_t from = 0) {
  const auto found = object.find(names[from]);
  if (found == object.end()) return std::nullopt;
  std::optional<json::Value> taken;
  if (from + 1 == names.size()) {
    taken = std::move(found->value());
  } else {
    json::Object* inner = found->value().if_object();
    if (inner != nullptr) taken = take(*inner, names, stay, from + 1);
    if (!taken || from < stay || !inner->empty()) return taken;
  }
  object.stable_erase(object.find(names[from]));
  return taken;
}

void put(json::Object& object, const Names& names, json::Value value) {
  json::Object* at = &object;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    json::Value& next = (*at)[names[i]];
    if (!next.is_object()) next.emplace_object();
    at = &next.get_object();
  }
  (*at)[names.back()] = std::move(value);
}

Result<json::Value> translate(const FieldRule& rule, Direction direction, json::Value value) {
  if (rule.values.empty()) return value;
  std::vector<std::string> known;
  for (const auto& [older, newer] : rule.values) {
    const json::Value& from = direction == Direction::up ? older : newer;
    if (k8s::equal(from, value)) return direction == Direction::up ? newer : older;
    known.push_back(json::to_text(from));
  }
  return invalid_field(
      (direction == Direction::up ? rule.older : rule.newer)->text,
      printable(json::to_text(value), 80) + " has no counterpart; there are " + join(known, ", "));
}

/// Applies a rule to the object that part `at` of its paths is in.
Result<void> follow(const FieldRule& rule, Direction direction, json::Object& object, std::size_t at) {
  const auto &from = direction == Direction::up ? rule.older : rule.newer,
             &to = direction == Direction::up ? rule.newer : rule.older;
  const RulePath& any = from ? *from : *to;
  if (at + 1 < any.parts.size()) {
    const Names& names = any.parts[at];
    json::Object* holder = descend(object, names, names.size() - 1);
    json::Value* list = holder != nullptr ? holder->if_contains(names.back()) : nullptr;
    if (list == nullptr || !list->is_array()) return {};
    for (json::Value& item : list->get_array()) {
      if (!item.is_object()) continue;
      if (auto done = follow(rule, direction, item.get_object(), at + 1); !done) return done;
    }
    return {};
  }
  const std::size_t stay = at == 0 ? 1 : 0;  // `spec` and `status` stay
  if (from && to) {
    if (auto value = take(object, from->parts[at], stay)) {
      auto translated = translate(rule, direction, *std::move(value));
      if (!translated) return fail(translated.error());
      put(object, to->parts[at], *std::move(translated));
    }
  } else if (from) {
    take(object, from->parts[at], stay);
  } else if (rule.otherwise) {
    const Names& names = to->parts[at];
    const json::Object* holder = descend(object, names, names.size() - 1);
    if (holder == nullptr || !holder->contains(names.back())) put(object, names, *rule.otherwise);
  }
  return {};
}

Step step_of(std::shared_ptr<const FieldRules> rules, Direction direction) {
  return [rules = std::move(rules), direction](k8s::Dynamic object) -> Result<k8s::Dynamic> {
    for (std::size_t i = 0; i < rules->size(); ++i) {
      const FieldRule& rule = (*rules)[direction == Direction::up ? i : rules->size() - 1 - i];
      if (auto done = follow(rule, direction, object.json(), 0); !done) return fail(done.error());
    }
    return object;
  };
}

// Reading rules.

std::unexpected<Error> at_line(const yaml::Node& node, const std::string& why) {
  return fail(ErrorCode::invalid, "line " + std::to_string(node.mark.line) + ": " + why);
}

Result<void> check_keys(const yaml::Node& node, const std::vector<std::string>& known) {
  if (node.kind != yaml::Node::Kind::mapping)
    return at_line(node, "expected a mapping with " + join(known, ", "));
  for (const yaml::Entry& entry : node.entries) {
    if (std::ranges::find(known, entry.key.scalar) == known.end()) {
      return at_line(entry.key, "'" + printable(entry.key.scalar, 80) + "' is not known; there are " +
                                    join(known, ", "));
    }
  }
  return {};
}

Result<std::string> read_text(const yaml::Node& node, std::string_view key) {
  const yaml::Node* value = node.find(key);
  if (value == nullptr || !value->is_scalar() || value->scalar.empty()) {
    return at_line(node, std::string(key) + " is missing");
  }
  return value->scalar;
}

Result<RulePath> read_path(const yaml::Node& node) {
  RulePath path{node.scalar, {}};
  std::string_view rest = node.scalar;
  while (true) {
    const std::size_t list = rest.find("[].");
    const auto part = schema::FieldPath::parse(rest.substr(0, list));
    if (!part) return at_line(node, part.error().message);
    Names names;
    for (const schema::PathStep& step : part->steps()) {
      const auto* name = std::get_if<std::string>(&step);
      if (name == nullptr)
        return at_line(node, "'" + printable(node.scalar, 80) + "': write [] for each item of a list");
      names.push_back(*name);
    }
    path.parts.push_back(std::move(names));
    if (list == std::string_view::npos) break;
    rest.remove_prefix(list + 3);
  }
  const std::string& root = path.parts.front().front();
  if (root == "apiVersion" || root == "kind" || root == "metadata") {
    return at_line(node, root + " is not for rules to change");
  }
  return path;
}

Result<FieldRule> read_field(const yaml::Node& node) {
  if (auto known = check_keys(node, {"older", "newer", "default", "values"}); !known)
    return fail(known.error());
  FieldRule rule;
  for (const auto& [key, path] : {std::pair("older", &rule.older), std::pair("newer", &rule.newer)}) {
    const yaml::Node* value = node.find(key);
    if (value == nullptr) continue;
    auto read = read_path(*value);
    if (!read) return fail(read.error());
    *path = *std::move(read);
  }
  if (!rule.older && !rule.newer) return at_line(node, "older or newer is missing: the path of the field");
  if (rule.older && rule.newer) {
    const auto lists = [](const RulePath& path) {
      return std::vector<Names>(path.parts.begin(), path.parts.end() - 1);
    };
    if (lists(*rule.older) != lists(*rule.newer)) {
      return at_line(node, "both paths must be within the same list; move the list by a rule of its own");
    }
  }
  if (const yaml::Node* value = node.find("default")) {
    if (rule.older && rule.newer)
      return at_line(*value, "a default is for a field that only one version has");
    rule.otherwise = yaml::to_json(*value);
  }
  if (const yaml::Node* values = node.find("values")) {
    if (!rule.older || !rule.newer) return at_line(*values, "values are for a field that both versions have");
    if (values->kind != yaml::Node::Kind::sequence) return at_line(*values, "values must be a list");
    for (const yaml::Node& pair : values->items) {
      if (auto known = check_keys(pair, {"older", "newer"}); !known) return fail(known.error());
      const yaml::Node *older = pair.find("older"), *newer = pair.find("newer");
      if (older == nullptr || newer == nullptr) return at_line(pair, "a value needs older and newer");
      rule.values.emplace_back(yaml::to_json(*older), yaml::to_json(*newer));
    }
  }
  return rule;
}

Result<void> read_step(const yaml::Node& node, KindConverters& kind) {
  if (auto known = check_keys(node, {"older", "newer", "fields"}); !known) return known;
  const auto older = read_text(node, "older"), newer = read_text(node, "newer");
  if (!older) return fail(older.error());
  if (!newer) return fail(newer.error());
  if (*older == *newer) return at_line(node, "older and newer are the same version");
  const auto rules = std::make_shared<FieldRules>();
  if (const yaml::Node* fields = node.find("fields");
      fields != nullptr && fields->kind != yaml::Node::Kind::null) {
    if (fields->kind != yaml::Node::Kind::sequence) return at_line(*fields, "fields must be a list");
    for (const yaml::Node& field : fields->items) {
      auto rule = read_field(field);
      if (!rule) return fail(rule.error());
      rules->push_back(*std::move(rule));
    }
  }
  kind.step(*older, *newer, step_of(rules, Direction::up), step_of(rules, Direction::down));
  return {};
}

Result<void> read_kind(const yaml::Node& node, Converters& converters) {
  if (auto known = check_keys(node, {"group", "kind", "storage", "keepLostFields", "steps"}); !known)
    return known;
  const auto group = read_text(node, "group"), name = read_text(node, "kind");
  if (!group) return fail(group.error());
  if (!name) return fail(name.error());
  if (converters.find(*group, *name) != nullptr) {
    return at_line(node, *name + "." + *group + " has converters already");
  }
  KindConverters& kind = converters.kind(*group, *name);
  if (const yaml::Node* storage = node.find("storage")) kind.storage(storage->scalar);
  if (const yaml::Node* keep = node.find("keepLostFields")) {
    const json::Value flag = yaml::to_json(*keep);
    if (!flag.is_bool()) return at_line(*keep, "keepLostFields must be true or false");
    if (flag.get_bool()) kind.keep_lost_fields();
  }
  const yaml::Node* steps = node.find("steps");
  if (steps == nullptr || steps->kind != yaml::Node::Kind::sequence)
    return at_line(node, "steps must be a list");
  for (const yaml::Node& step : steps->items) {
    if (auto read = read_step(step, kind); !read) return read;
  }
  return {};
}

}  // namespace

Result<void> add_rules(std::string_view text, Converters& converters) {
  const auto parsed = yaml::parse(text);
  if (!parsed) {
    return fail(ErrorCode::invalid,
                "line " + std::to_string(parsed.error().mark.line) + ": " + parsed.error().message);
  }
  if (!parsed->duplicate_keys.empty()) {
    const yaml::DuplicateKey& twice = parsed->duplicate_keys.front();
    return fail(ErrorCode::invalid, "line " + std::to_string(twice.repeated.line) + ": '" +
                                        printable(twice.key, 80) + "' is there twice");
  }
  for (const yaml::Node& document : parsed->documents) {
    if (document.kind == yaml::Node::Kind::null) continue;
    if (auto read = read_kind(document, converters); !read) return read;
  }
  return {};
}

}  // namespace fairway::conversion
