// SPDX-License-Identifier: Apache-2.0

// The environment of an expression: the variables, functions and types that it may name.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/types/type.h"
#include "cel/values/functions.h"

namespace fairway::cel {

struct Variable {
  std::string name = {};
  TypePtr type = {};
};

/// Declarations of one kind of expression: the rules of a CRD's schema, of a policy. Values are given to a
/// program in the order of declaration.
class Environment {
 public:
  explicit Environment(std::shared_ptr<const Functions> functions) : functions_(std::move(functions)) {}

  /// Declares a variable, and returns its index among the values of an evaluation. A name may have dots.
  std::size_t declare(std::string name, TypePtr type);
  /// Sets the container, "a.b": names are looked up in this namespace and its parents first.
  void set_container(std::string name) { container_ = std::move(name); }

  const std::vector<Variable>& variables() const { return variables_; }
  const Functions& functions() const { return *functions_; }
  const std::shared_ptr<const Functions>& shared_functions() const { return functions_; }

  /// Returns the names that a name can mean in the container, in the order in which they are tried; a name
  /// with a leading dot means only itself.
  std::vector<std::string> candidates(std::string_view name) const;
  std::optional<std::size_t> find_variable(std::string_view name) const;
  /// Returns the type(T) of a type's name, nullptr if there is no such type.
  TypePtr find_type_name(std::string_view name) const;

 private:
  std::shared_ptr<const Functions> functions_;
  std::vector<Variable> variables_;
  std::string container_;
};

}  // namespace fairway::cel
