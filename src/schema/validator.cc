// SPDX-License-Identifier: Apache-2.0

#include "schema/validator.h"

#include "schema/internal/check.h"
#include "schema/internal/node.h"

namespace fairway::schema {

struct Validator::Compiled {
  const json::Object* schema = nullptr;
  std::unique_ptr<internal::Node> root;
  internal::NodeIndex parts;
};

Validator::Validator(const json::Object& schema) {
  auto compiled = std::make_unique<Compiled>();
  compiled->schema = &schema;
  compiled->root = internal::compile(schema);
  internal::add_to_index(schema, *compiled->root, compiled->parts);
  compiled_ = std::move(compiled);
}

Validator::~Validator() = default;
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;

Violations Validator::validate(const json::Value& value, std::string_view prefix) const {
  if (is_valid(value)) return {};
  return internal::find_problems(*compiled_->root, value, nullptr, prefix);
}

Violations Validator::validate_update(const json::Value& value, const json::Value& old,
                                      std::string_view prefix) const {
  if (internal::is_valid(*compiled_->root, value, &old, internal::Missing::is_a_problem)) return {};
  return internal::find_problems(*compiled_->root, value, &old, prefix);
}

bool Validator::is_valid(const json::Value& value) const {
  return internal::is_valid(*compiled_->root, value, nullptr, internal::Missing::is_a_problem);
}

bool Validator::may_be(const json::Value& value, const json::Object& part) const {
  const auto found = compiled_->parts.find(&part);
  return found != compiled_->parts.end() &&
         internal::is_valid(*found->second, value, nullptr, internal::Missing::may_have_default);
}

const json::Object& Validator::schema() const {
  return *compiled_->schema;
}

}  // namespace fairway::schema
