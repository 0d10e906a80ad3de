// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/values/call_context.h"

#include <re2/re2.h>

#include <new>

namespace fairway::cel {

namespace {

const EvaluationError cost_error{"operation cancelled: actual cost limit exceeded"};
const EvaluationError memory_error{"operation cancelled: evaluation needs too much memory"};

}  // namespace

bool CallContext::exceed() {
  exceeded_ = true;
  ended_ = true;
  return false;
}

Value CallContext::cancelled() {
  return Value::error(&cost_error);
}

Value CallContext::out_of_memory() {
  ended_ = true;
  return Value::error(&memory_error);
}

Value CallContext::error(std::string_view message) {
  const Value copy = copied_string(message, scratch_);
  void* place = scratch_.allocate(sizeof(EvaluationError));
  if (!place || copy.is(ValueKind::error)) return out_of_memory();
  return Value::error(new (place) EvaluationError{copy.text(), offset_});
}

Value CallContext::no_such_overload() {
  return error("no such overload");
}

Value CallContext::string(std::string_view text) {
  const Value copy = copied_string(text, scratch_);
  return copy.is(ValueKind::error) ? out_of_memory() : copy;
}

Value CallContext::bytes(std::string_view text) {
  const Value copy = string(text);
  return copy.is(ValueKind::error) ? copy : Value::bytes(copy.text());
}

Value* CallContext::items(std::size_t count) {
  Value* place = scratch_.allocate_array<Value>(count);
  if (!place) ended_ = true;
  return place;
}

Value CallContext::optional_of(const Value& value) {
  Value* place = items(1);
  return place ? Value::optional(new (place) Value(value)) : out_of_memory();
}

const re2::RE2* CallContext::pattern(std::string_view text, std::unique_ptr<re2::RE2>& own, Value& out) {
  const re2::RE2* found = nullptr;
  for (const auto& [known, compiled] : patterns_)
    if (known == text.data() && compiled->pattern() == text) found = compiled.get();
  if (!found) {
    RE2::Options options;
    options.set_log_errors(false);
    own = std::make_unique<RE2>(text, options);
    found = own.get();
  }
  if (found->ok()) return found;
  out = error("error parsing regexp: " + found->error());
  return nullptr;
}

}  // namespace fairway::cel
