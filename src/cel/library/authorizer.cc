// SPDX-License-Identifier: Apache-2.0

#include "cel/library/authorizer.h"

#include <new>
#include <type_traits>

#include "base/text.h"
#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"

namespace fairway::cel {

namespace {

/// An authorizer, and the parts of the question that are known so far.
struct CheckValue : Opaque {
  const Authorizer* authorizer = nullptr;
  Authorizer::Question question;
};
struct DecisionValue : Opaque {
  bool allowed = false;
  std::string_view reason;
};
// Nothing in the memory of an evaluation is destroyed.
static_assert(std::is_trivially_destructible_v<CheckValue> &&
              std::is_trivially_destructible_v<DecisionValue>);

Value make(Opaque::Kind kind, CheckValue check, Scratch& scratch) {
  void* place = scratch.allocate(sizeof(CheckValue));
  if (place == nullptr) return error_value("the evaluation needs too much memory", scratch);
  check.kind = kind;
  return Value::opaque(new (place) CheckValue(check));
}

const CheckValue& check_of(const Value& value) {
  return static_cast<const CheckValue&>(value.opaque());
}
const DecisionValue& decision_of(const Value& value) {
  return static_cast<const DecisionValue&>(value.opaque());
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

Value path(CallContext& context, const Value* a) {
  if (is_blank(a[1].text())) return context.error("path must not be empty");
  CheckValue check = check_of(a[0]);
  check.question.path = a[1].text();
  return make(Opaque::Kind::path_check, check, context.scratch());
}
Value group(CallContext& context, const Value* a) {
  CheckValue check = check_of(a[0]);
  check.question.group = a[1].text();
  return make(Opaque::Kind::group_check, check, context.scratch());
}

/// Returns whether a text is a label of RFC 1123, of any length.
bool is_label(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (text.empty() || !fits(text.front()) || !fits(text.back())) return false;
  for (const char c : text) {
    if (!fits(c) && c != '-') return false;
  }
  return true;
}
bool is_subdomain(std::string_view text) {
  constexpr std::size_t longest = 253;
  if (text.size() > longest) return false;
  for (const std::string_view part : split(text, '.')) {
    if (!is_label(part)) return false;
  }
  return true;
}

Value service_account(CallContext& context, const Value* a) {
  if (!is_subdomain(a[2].text())) return context.error("Invalid service account name");
  constexpr std::size_t longest_namespace = 63;
  if (a[1].text().size() > longest_namespace || !is_label(a[1].text()))
    return context.error("Invalid service account namespace");
  CheckValue check = check_of(a[0]);
  check.question.account_namespace = a[1].text();
  check.question.account_name = a[2].text();
  return make(Opaque::Kind::authorizer, check, context.scratch());
}
Value resource(CallContext& context, const Value* a) {
  if (is_blank(a[1].text())) return context.error("resource must not be empty");
  CheckValue check = check_of(a[0]);
  check.question.resource = a[1].text();
  return make(Opaque::Kind::resource_check, check, context.scratch());
}
template <std::string_view Authorizer::Question::* member>
Value with(CallContext& context, const Value* a) {
  CheckValue check = check_of(a[0]);
  check.question.*member = a[1].text();
  return make(Opaque::Kind::resource_check, check, context.scratch());
}
/// Returns the check unchanged: roles do not know selectors, so a right without one covers all.
Value with_selector(CallContext&, const Value* a) {
  return a[0];
}

Value check(CallContext& context, const Value* a) {
  Authorizer::Question question = check_of(a[0]).question;
  question.verb = a[1].text();
  const Authorizer::Answer answer = check_of(a[0]).authorizer->decide(question);
  const Value reason = context.string(answer.reason);
  if (reason.is(ValueKind::error)) return reason;
  void* place = context.scratch().allocate(sizeof(DecisionValue));
  if (place == nullptr) return context.out_of_memory();
  auto* decision = new (place) DecisionValue;
  decision->kind = Opaque::Kind::decision;
  decision->allowed = answer.allowed;
  decision->reason = reason.text();
  return Value::opaque(decision);
}
Value errored(CallContext&, const Value*) {
  return Value::boolean(false);
}
Value error_text(CallContext&, const Value*) {
  return Value::string("");
}
Value allowed(CallContext&, const Value* a) {
  return Value::boolean(decision_of(a[0]).allowed);
}
Value reason(CallContext&, const Value* a) {
  return Value::string(decision_of(a[0]).reason);
}

#define FAIRWAY_A "kubernetes.authorization."
using Question = Authorizer::Question;
constexpr Overload authorizer_rows[] = {
    {"path", true, FAIRWAY_A "Authorizer, string -> " FAIRWAY_A "PathCheck", path},
    {"group", true, FAIRWAY_A "Authorizer, string -> " FAIRWAY_A "GroupCheck", group},
    {"serviceAccount", true, FAIRWAY_A "Authorizer, string, string -> " FAIRWAY_A "Authorizer",
     service_account},
    {"resource", true, FAIRWAY_A "GroupCheck, string -> " FAIRWAY_A "ResourceCheck", resource},
    {"subresource", true, FAIRWAY_A "ResourceCheck, string -> " FAIRWAY_A "ResourceCheck",
     with<&Question::subresource>},
    {"namespace", true, FAIRWAY_A "ResourceCheck, string -> " FAIRWAY_A "ResourceCheck",
     with<&Question::namespace_name>},
    {"name", true, FAIRWAY_A "ResourceCheck, string -> " FAIRWAY_A "ResourceCheck", with<&Question::name>},
    {"fieldSelector", true, FAIRWAY_A "ResourceCheck, string -> " FAIRWAY_A "ResourceCheck", with_selector},
    {"labelSelector", true, FAIRWAY_A "ResourceCheck, string -> " FAIRWAY_A "ResourceCheck", with_selector},
    {"check", true, FAIRWAY_A "PathCheck, string -> " FAIRWAY_A "Decision", check, CallCost::authorization},
    {"check", true, FAIRWAY_A "ResourceCheck, string -> " FAIRWAY_A "Decision", check,
     CallCost::authorization},
    {"errored", true, FAIRWAY_A "Decision -> bool", errored},
    {"error", true, FAIRWAY_A "Decision -> string", error_text},
    {"allowed", true, FAIRWAY_A "Decision -> bool", allowed},
    {"reason", true, FAIRWAY_A "Decision -> string", reason},
};
#undef FAIRWAY_A

}  // namespace

Value authorizer_value(const Authorizer& authorizer, Scratch& scratch) {
  const CheckValue check{{Opaque::Kind::authorizer}, &authorizer, {}};
  return make(Opaque::Kind::authorizer, check, scratch);
}

Value resource_check_value(const Authorizer& authorizer, const AuthorizedResource& resource,
                           Scratch& scratch) {
  CheckValue check{{Opaque::Kind::resource_check}, &authorizer, {}};
  check.question.group = resource.group;
  check.question.resource = resource.resource;
  check.question.subresource = resource.subresource;
  check.question.namespace_name = resource.namespace_name;
  check.question.name = resource.name;
  return make(Opaque::Kind::resource_check, check, scratch);
}

const TypePtr& authorizer_type() {
  static const TypePtr type = opaque_type("kubernetes.authorization.Authorizer");
  return type;
}

const TypePtr& resource_check_type() {
  static const TypePtr type = opaque_type("kubernetes.authorization.ResourceCheck");
  return type;
}

std::span<const Overload> authorizer_overloads() {
  return authorizer_rows;
}

}  // namespace fairway::cel
