// SPDX-License-Identifier: Apache-2.0

#include "risk/condition.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "promql/parser/go_text.h"

namespace fairway::risk {

void Registry::add(std::unique_ptr<ConditionType> type) {
  std::string name(type->name());
  types_[std::move(name)] = std::move(type);
}

const ConditionType* Registry::find(std::string_view name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? nullptr : found->second.get();
}

Registry standard_registry(const promql::CostLimits& limits) {
  Registry registry;
  registry.add(make_always());
  registry.add(make_promql(limits));
  return registry;
}

Result<Condition> read_rule(const Registry& registry, const json::Value& rule) {
  const json::Object* object = rule.if_object();
  if (object == nullptr) {
    return fail(ErrorCode::invalid,
                "skipping a cluster condition that is not an object: " + printable(json::to_text(rule), 80));
  }
  const std::string_view name = json::find_string(rule, "type").value_or("");
  const ConditionType* type = registry.find(name);
  if (type == nullptr) {
    return fail(ErrorCode::unsupported,
                "skipping unrecognized cluster condition type " + promql::quote(name.substr(0, 200)));
  }
  return type->read(*object);
}

void append_canonical(std::string& out, const json::Value& value) {
  if (const auto* text = value.if_string()) {
    json::append_quoted(out, *text);
  } else if (const json::Array* array = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      append_canonical(out, (*array)[i]);
    }
    out += ']';
  } else if (const json::Object* object = value.if_object()) {
    std::vector<const json::Object::value_type*> members;
    members.reserve(object->size());
    for (const auto& member : *object) members.push_back(&member);
    std::ranges::sort(members, {}, [](const auto* member) { return std::string_view(member->key()); });
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out += ',';
      json::append_quoted(out, members[i]->key());
      out += ':';
      append_canonical(out, members[i]->value());
    }
    out += '}';
  } else {
    out += json::to_text(value);
  }
}

}  // namespace fairway::risk
