// SPDX-License-Identifier: Apache-2.0

// An object that is being validated: its fields, its path, and where its errors go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/validation/errors.h"
#include "apiserver/internal/validation/path.h"
#include "base/json.h"
#include "k8s/names.h"
#include "k8s/view.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::validation {

struct PodFacts;

/// An object within the one that is validated. Objects have the form of `kinds::read_typed`: what Go omits is
/// absent, so that an absent text is "" and an absent number 0.
class Scope {
 public:
  Scope(const json::Object& object, const Path& path, const PodFacts& facts, Errors& errors)
      : object_(&object), path_(path), facts_(&facts), errors_(&errors) {}

  const json::Object& json() const { return *object_; }
  const Path& path() const { return path_; }
  /// Facts about the Pod around the object.
  const PodFacts& facts() const { return *facts_; }
  Errors& errors() const { return *errors_; }

  /// Finds a member; nullptr if it is absent or null. "." is the object's own value, which is none.
  const json::Value* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Returns a text; "" if it is absent.
  std::string_view text(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  /// Returns a list; an empty one if it is absent.
  const json::Array& list(std::string_view name) const;
  /// Returns an object; an empty one if it is absent.
  const json::Object& object(std::string_view name) const;
  std::vector<std::string_view> texts(std::string_view name) const;
  k8s::StringMap map(std::string_view name) const;
  /// Returns a member's value for an error; null if it is absent.
  json::Value value(std::string_view name) const;

  /// Returns the scope of a member that is an object, as if it were empty if it is absent.
  Scope child(std::string_view name) const { return {object(name), path_.child(name), *facts_, *errors_}; }
  /// Returns the scope of another object.
  Scope other(const json::Object& object, const Path& path) const {
    return {object, path, *facts_, *errors_};
  }
  /// Calls `visit` with the scope of each object of a list, and its index.
  template <class Visit>
  void each(std::string_view name, Visit visit) const {
    const Path list_path = path_.child(name);
    std::size_t index = 0;
    for (const json::Value& item : list(name)) {
      const Path item_path = list_path.item(index++);
      if (const json::Object* object = item.if_object()) visit(other(*object, item_path), index - 1);
    }
  }

  // Report an error of a member; "." is the object itself.
  void invalid(std::string_view name, const json::Value& value, std::string_view detail) const {
    errors_->push_back(k8s::FieldError::invalid(path_.text(name), value, detail));
  }
  /// Reports a value as invalid that the message does not show.
  void invalid_unshown(std::string_view name, std::string_view detail) const;
  void required(std::string_view name, std::string_view detail = {}) const {
    errors_->push_back(k8s::FieldError::required(path_.text(name), detail));
  }
  void forbidden(std::string_view name, std::string_view detail) const {
    errors_->push_back(k8s::FieldError::forbidden(path_.text(name), detail));
  }
  void duplicate(std::string_view name, const json::Value& value) const {
    errors_->push_back(k8s::FieldError::duplicate(path_.text(name), value));
  }
  void not_found(std::string_view name, const json::Value& value) const {
    errors_->push_back(k8s::FieldError::not_found(path_.text(name), value));
  }
  void too_long(std::string_view name, std::size_t most) const {
    errors_->push_back(k8s::FieldError::too_long(path_.text(name), most));
  }
  void too_many(std::string_view name, std::size_t count, std::size_t most) const;
  void not_supported(std::string_view name, const json::Value& value,
                     const std::vector<std::string_view>& supported) const {
    errors_->push_back(k8s::FieldError::not_supported(path_.text(name), value, supported));
  }
  /// Reports each fault of a text.
  void faults(std::string_view name, std::string_view value, const k8s::Faults& faults) const;

 private:
  const json::Object* object_;
  Path path_;
  const PodFacts* facts_;
  Errors* errors_;
};

/// Reports each fault of a text at a path.
void add_faults(Errors& errors, const Path& path, std::string_view value, const k8s::Faults& faults);

}  // namespace fairway::apiserver::validation
