// One evaluation of a program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cel/eval/internal/node.h"
#include "cel/eval/scratch.h"
#include "cel/eval/value.h"

namespace fairway::cel {

class Evaluation {
 public:
  Evaluation(const CompiledProgram& program, std::span<const Value> variables, Scratch& scratch,
             std::uint64_t cost_limit)
      : program_(program), variables_(variables), scratch_(scratch), limit_(cost_limit) {}

  Value run();
  std::uint64_t cost() const { return cost_; }
  bool cost_exceeded() const { return exceeded_; }

  // For the functions of libraries.
  Scratch& scratch() { return scratch_; }
  /// An error at the place of the call.
  Value error(std::string_view message);
  Value no_such_overload();
  /// A copy of the text.
  Value string(std::string_view text);
  Value bytes(std::string_view text);
  /// An array for the items of a list; nullptr, and the evaluation ends, if there is no room.
  Value* items(std::size_t count);
  Value out_of_memory();
  /// The error of an evaluation that costs too much.
  static Value cancelled();
  Value optional_of(const Value& value);
  /// Compiled once if the pattern is a constant. nullptr, and an error in `out`, for a wrong pattern.
  const re2::RE2* pattern(std::string_view text, std::unique_ptr<re2::RE2>& own, Value& out);
  /// Ends the evaluation if so much more costs too much; false then.
  bool charge(std::uint64_t cost) {
    cost_ += cost;
    if (cost_ > limit_) [[unlikely]]
      return exceed();
    return true;
  }
  /// True if nothing may be evaluated any more: the value is an error that && and || do not absorb.
  bool ended() const { return ended_; }

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
  /// With room for so many arguments: most calls have one or two.
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
  /// Sets the variables of a comprehension for one item; an error value if an item is one.
  Value set_item(const Node& node, const Value& range, std::size_t index);
  /// Takes back the cost of a selection that finds nothing in an optional.
  void refund() {
    if (cost_ > 0) --cost_;
  }
  bool exceed();
  std::uint64_t call_cost(CallCost cost, const Value* arguments, std::size_t count,
                          const Value& result) const;

  const CompiledProgram& program_;
  std::span<const Value> variables_;
  Scratch& scratch_;
  Value* frame_ = nullptr;
  std::uint64_t cost_ = 0;
  std::uint64_t limit_;
  std::uint32_t offset_ = 0;
  bool exceeded_ = false;
  bool ended_ = false;
};

/// The size that cost is counted by: code points, bytes, items; 1 of other values.
std::uint64_t cost_size(const Value& value);

}  // namespace fairway::cel
