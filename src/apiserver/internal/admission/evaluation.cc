// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/evaluation.h"

#include <utility>

#include "base/quoted_text.h"

namespace fairway::apiserver::admission {

namespace {

constexpr std::string_view out_of_budget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

json::Value value_of(const json::Object* object) {
  return object == nullptr ? json::Value() : json::Value(*object);
}

json::Object kind_json(const k8s::GroupVersionKind& kind) {
  return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
}
json::Object resource_json(const k8s::GroupVersionResource& resource) {
  return {{"group", resource.group}, {"version", resource.version}, {"resource", resource.resource}};
}

json::Array list_of(const std::vector<std::string>& texts) {
  return json::Array(texts.begin(), texts.end());
}

json::Object user_json(const access::User& user) {
  json::Object info{{"username", user.name}};
  if (!user.uid.empty()) info["uid"] = user.uid;
  if (!user.groups.empty()) info["groups"] = list_of(user.groups);
  if (!user.extra.empty()) {
    json::Object& extra = info["extra"].emplace_object();
    for (const auto& [key, values] : user.extra) extra[key] = list_of(values);
  }
  return info;
}

json::Value request_json(const Attributes& attributes, const Matched& matched) {
  json::Object request{{"kind", kind_json(matched.kind)}, {"resource", resource_json(matched.resource)}};
  const auto set = [&](const char* member, const std::string& text) {
    if (!text.empty()) request[member] = text;
  };
  set("subResource", attributes.subresource);
  request["requestKind"] = kind_json(attributes.kind);
  request["requestResource"] = resource_json(attributes.resource.group_version_resource());
  set("requestSubResource", attributes.subresource);
  set("name", attributes.name);
  set("namespace", attributes.namespace_name);
  request["operation"] = k8s::to_string(attributes.operation);
  request["userInfo"] = user_json(attributes.user);
  request["dryRun"] = attributes.dry_run;
  request["options"] = attributes.options;
  return request;
}

std::string message_of(const cel::Value& error) {
  std::string why(error.error().message);
  // Of operators Kubernetes names nothing.
  if (why.starts_with("no such overload: _")) why = "no such overload";
  return why;
}

}  // namespace

Inputs inputs_of(const Attributes& attributes, const Matched& matched, const json::Object* object,
                 const json::Object* old) {
  Inputs inputs;
  inputs.object = value_of(object);
  inputs.old_object = value_of(old);
  inputs.request = request_json(attributes, matched);
  inputs.resource = {.group = attributes.resource.kind.group,
                     .resource = attributes.resource.plural,
                     .subresource = attributes.subresource,
                     .namespace_name = attributes.namespace_name,
                     .name = attributes.name};
  return inputs;
}

Evaluation::Evaluation(const Inputs& inputs, std::span<const Expression> variables, std::int64_t budget)
    : variables_(variables),
      values_(fixed_slots + variables.size(), cel::Value::null()),
      known_(variables.size()),
      budget_(budget) {
  const auto set = [&](Slot slot, const cel::Value& value) {
    values_[static_cast<std::size_t>(slot)] = value;
  };
  set(Slot::object, cel::Value::of_json(inputs.object, scratch_));
  set(Slot::old_object, cel::Value::of_json(inputs.old_object, scratch_));
  set(Slot::params, cel::Value::of_json(inputs.params, scratch_));
  set(Slot::request, cel::Value::of_json(inputs.request, *request_type(), scratch_));
  if (!inputs.namespace_object.is_null()) {
    set(Slot::namespace_object, cel::Value::of_json(inputs.namespace_object, *namespace_type(), scratch_));
  }
  if (inputs.authorizer == nullptr) return;
  set(Slot::authorizer, cel::authorizer_value(*inputs.authorizer, scratch_));
  set(Slot::request_resource, cel::resource_check_value(*inputs.authorizer, inputs.resource, scratch_));
}

cel::Outcome Evaluation::run(const Expression& expression) {
  for (const std::size_t index : expression.variables) find_variable(index);
  return expression.program->evaluate(values_, scratch_);
}

void Evaluation::find_variable(std::size_t index) {
  if (known_[index]) return;
  // It names only those before it.
  known_[index] = true;
  const Expression& variable = variables_[index];
  cel::Value& value = values_[fixed_slots + index];
  if (!variable.program) {
    value = cel::error_value("composited variable fails to compile: " + variable.error, scratch_);
    return;
  }
  const cel::Outcome outcome = run(variable);
  spent_ += static_cast<std::int64_t>(outcome.cost);
  value = outcome.value;
  if (value.is(cel::ValueKind::error)) {
    value = cel::error_value(
        "composited variable " + quote(variable.name) + " fails to evaluate: " + message_of(outcome.value),
        scratch_);
  }
}

std::expected<Evaluated, std::string> Evaluation::evaluate(const Expression& expression) {
  if (!expression.program) return Evaluated{.value = {}, .error = "compilation error: " + expression.error};
  const cel::Outcome outcome = run(expression);
  budget_ -= std::exchange(spent_, 0) + static_cast<std::int64_t>(outcome.cost);
  if (budget_ < 0) return std::unexpected(std::string(out_of_budget));
  if (!outcome.value.is(cel::ValueKind::error)) return Evaluated{.value = outcome.value, .error = {}};
  return Evaluated{
      .value = {},
      .error = "expression '" + expression.source + "' resulted in error: " + message_of(outcome.value)};
}

}  // namespace fairway::apiserver::admission
