// SPDX-License-Identifier: Apache-2.0

// One evaluation of a program.
#pragma once

#include <cstdint>
#include <span>

#include "cel/internal/eval/node.h"
#include "cel/internal/values/call_context.h"
#include "cel/values/scratch.h"
#include "cel/values/value.h"

namespace fairway::cel {

class Evaluation : public CallContext {
 public:
  Evaluation(const CompiledProgram& program, std::span<const Value> variables, Scratch& scratch,
             std::uint64_t cost_limit)
      : CallContext(program.patterns, scratch, cost_limit), program_(program), variables_(variables) {}

  Value run();
  std::uint64_t cost() const { return cost_; }
  bool cost_exceeded() const { return exceeded_; }

 private:
  Value evaluate(const Node& node);
  Value select(const Node& node, const Value& operand);
  Value field(const Node& node, const Value& operand, bool& found);
  Value has(const Node& node);
  Value optional_select(const Node& node);
  Value index(const Node& node, const Value& operand, const Value& key);
  Value element(const Value& operand, const Value& key, bool& found);
  Value optional_index(const Node& node);
  Value call(const Node& node);
  /// Calls a function with room for `most` arguments: most calls have one or two.
  template <std::size_t most>
  Value call_with(const Node& node);
  Value logical(const Node& node, bool decides);
  Value list(const Node& node);
  Value map(const Node& node);
  Value in_constants(const Node& node);
  Value comprehension(const Node& node);
  Value quantifier(const Node& node, const Value& range);
  Value exists_one(const Node& node, const Value& range);
  Value make_list(const Node& node, const Value& range);
  Value make_map(const Node& node, const Value& range);
  Value optional_map(const Node& node);
  Value sort_by(const Node& node);
  /// Sets the variables of a comprehension for one item; an error value if an item is an error.
  Value set_item(const Node& node, const Value& range, std::size_t index);
  /// Refunds the cost of a selection that finds nothing in an optional.
  void refund() {
    if (cost_ > 0) --cost_;
  }
  std::uint64_t call_cost(CallCost cost, const Value* arguments, std::size_t count,
                          const Value& result) const;

  const CompiledProgram& program_;
  std::span<const Value> variables_;
  Value* frame_ = nullptr;
};

/// Returns the size that cost is counted by: code points, bytes, items; 1 for other values.
std::uint64_t cost_size(const Value& value);

}  // namespace fairway::cel
