// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/scope.h"

#include <algorithm>
#include <cstdint>

namespace fairway::apiserver::validation {

const json::Value* Scope::find(std::string_view name) const {
  const json::Value* found = object_->if_contains(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string_view Scope::text(std::string_view name) const {
  const json::Value* found = find(name);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
}

std::optional<std::int64_t> Scope::integer(std::string_view name) const {
  const json::Value* found = find(name);
  if (found == nullptr) return std::nullopt;
  // Objects that the server makes have numbers of C++'s types.
  if (found->is_uint64())
    return static_cast<std::int64_t>(std::min(found->get_uint64(), std::uint64_t{INT64_MAX}));
  return found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
}

bool Scope::flag(std::string_view name) const {
  const json::Value* found = find(name);
  return found != nullptr && found->is_bool() && found->get_bool();
}

const json::Array& Scope::list(std::string_view name) const {
  static const json::Array none;
  const json::Value* found = find(name);
  return found != nullptr && found->is_array() ? found->get_array() : none;
}

const json::Object& Scope::object(std::string_view name) const {
  static const json::Object none;
  const json::Value* found = find(name);
  return found != nullptr && found->is_object() ? found->get_object() : none;
}

std::vector<std::string_view> Scope::texts(std::string_view name) const {
  std::vector<std::string_view> made;
  for (const json::Value& one : list(name)) {
    if (one.is_string()) made.emplace_back(one.get_string());
  }
  return made;
}

k8s::StringMap Scope::map(std::string_view name) const {
  return k8s::StringMap(&object(name));
}

json::Value Scope::value(std::string_view name) const {
  const json::Value* found = find(name);
  return found != nullptr ? *found : json::Value();
}

void Scope::invalid_unshown(std::string_view name, std::string_view detail) const {
  errors_->push_back({"FieldValueInvalid", path_.text(name), "Invalid value: " + std::string(detail)});
}

void Scope::too_many(std::string_view name, std::size_t count, std::size_t most) const {
  errors_->push_back({"FieldValueTooMany", path_.text(name),
                      "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(most) +
                          (most == 1 ? " item" : " items")});
}

void Scope::faults(std::string_view name, std::string_view value, const k8s::Faults& faults) const {
  add_faults(*errors_, path_.child(name), value, faults);
}

void add_faults(Errors& errors, const Path& path, std::string_view value, const k8s::Faults& faults) {
  for (const std::string& fault : faults)
    errors.push_back(k8s::FieldError::invalid(path.text(), json::Value(value), fault));
}

}  // namespace fairway::apiserver::validation
