// SPDX-License-Identifier: Apache-2.0

// An expression made ready to be evaluated many times.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cel/checker/checked.h"
#include "cel/checker/environment.h"
#include "cel/syntax/ast.h"
#include "cel/values/scratch.h"
#include "cel/values/value.h"

namespace fairway::cel {

/// Limits of costs in Kubernetes: 1,000,000 for one evaluation, and 10,000,000 for all rules of an object
/// together.
inline constexpr std::uint64_t per_call_cost_limit = 1'000'000;
inline constexpr std::uint64_t per_object_cost_limit = 10'000'000;

struct Outcome {
  /// Value, which may be an error.
  Value value = {};
  /// Cost of the evaluation; at most a little more than the limit.
  std::uint64_t cost = 0;
  /// True if the evaluation ended at the limit; the value is an error.
  bool cost_exceeded = false;
};

struct CompiledProgram;

/// A compiled expression. Immutable: threads may share it. Keeps neither the tree nor the environment, but
/// its functions.
class Program {
 public:
  /// Compiles an expression. Never fails: names and functions that do not exist become errors of the
  /// evaluation; the checker finds them before. With the checker's result, functions are chosen by type and
  /// fields are resolved beforehand.
  Program(const Expression& expression, const Environment& environment, const Checked* checked = nullptr);
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  /// Evaluates the expression. `variables` has a value for each variable of the environment, in its order.
  /// The result refers to them, to this program and to `scratch`.
  Outcome evaluate(std::span<const Value> variables, Scratch& scratch,
                   std::uint64_t cost_limit = per_call_cost_limit) const;

 private:
  std::unique_ptr<const CompiledProgram> compiled_;
};

}  // namespace fairway::cel
