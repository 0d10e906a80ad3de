// SPDX-License-Identifier: Apache-2.0

// Estimated costs of macros, by the loops and bindings that CEL expands them to.
#include "cel/internal/cost/estimator.h"

namespace fairway::cel {

void Estimator::push_variables(const Comprehension& macro, const Path& path,
                               const std::optional<EntrySize>& entries, TypeKind kind) {
  const bool list = entries ? entries->list : kind == TypeKind::list;
  const auto key = entries ? std::optional(entries->key) : std::nullopt;
  const auto value = entries ? std::optional(entries->value) : std::nullopt;
  if (macro.variable2.empty()) {
    locals_.push_back({macro.variable, path.extended(list ? items_step : keys_step), list ? value : key, {}});
    return;
  }
  locals_.push_back({macro.variable, path.extended(list ? indices_step : keys_step), key, {}});
  locals_.push_back({macro.variable2, path.extended(list ? items_step : values_step), value, {}});
}

Estimator::Loop Estimator::loop(const Comprehension& macro) {
  Loop made;
  const auto collected = [](const SizeRange& item) { return EntrySize{true, exactly(1), {0, item.max}}; };
  const CostEstimate filter = macro.filter ? cost(*macro.filter) : CostEstimate{};
  const CostEstimate body = cost(*macro.body);
  const auto unless_filtered = [&](const CostEstimate& step) {
    return macro.filter ? filter + united(step, exactly(1)) : step;
  };
  switch (macro.macro) {
    case Macro::all:
      made.round = exactly(2) + CostEstimate{1, plus(1, body.max)};
      break;
    case Macro::exists:
      made.round = exactly(3) + CostEstimate{1, plus(1, body.max)};
      break;
    case Macro::exists_one:
      made.round = body + CostEstimate{1, 2};
      made.result = exactly(2);
      break;
    case Macro::filter: {
      made.first = exactly(10);
      made.round = body + united(exactly(13), exactly(1));
      // The loop collects the variable itself.
      const Local& variable = locals_.back();
      auto size = limit_at(variable.path);
      const auto& types = checked_.type_of(*macro.range)->parameters;
      if (!size && !types.empty() && is_scalar(*types[0])) size = exactly(1);
      if (!size) size = variable.size;
      made.entries = collected(size.value_or(SizeRange{0, unbounded}));
      break;
    }
    case Macro::transform_map:
    case Macro::transform_map_entry:
      made.first = exactly(30);
      made.round = unless_filtered(body + exactly(macro.macro == Macro::transform_map ? 3 : 2));
      break;
    default:
      made.first = exactly(10);
      made.round = unless_filtered(exactly(12) + body);
      made.entries = collected(size_or_unbounded(*macro.body));
      break;
  }
  return made;
}

CostEstimate Estimator::comprehension(const Expression& expression, const Comprehension& macro) {
  if (macro.macro == Macro::opt_map || macro.macro == Macro::opt_flat_map)
    return optional_map(expression, macro);
  if (macro.macro == Macro::sort_by) return sort_by(expression, macro);
  const CostEstimate range = cost(*macro.range);
  const std::size_t outside = locals_.size();
  push_variables(macro, path_of(*macro.range), entries_of(*macro.range),
                 checked_.type_of(*macro.range)->kind);
  const Loop made = loop(macro);
  locals_.resize(outside);
  // cel-go asks for this size after the loop, not before: see Path.
  const SizeRange count = size_or_unbounded(*macro.range);
  const bool is_quantifier =
      macro.macro == Macro::all || macro.macro == Macro::exists || macro.macro == Macro::exists_one;
  set_size(expression, is_quantifier ? exactly(1) : count);
  set_entries(expression, made.entries);
  return range + made.first + made.result + count * made.round;
}

CostEstimate Estimator::optional_map(const Expression& expression, const Comprehension& macro) {
  const CostEstimate target = cost(*macro.range);
  const TypePtr& type = checked_.type_of(*macro.range);
  const bool scalar = type->kind == TypeKind::optional && is_scalar(*type->parameters[0]);
  locals_.push_back({macro.variable, {}, scalar ? std::optional(exactly(1)) : std::nullopt, {}});
  const CostEstimate body = cost(*macro.body);
  locals_.pop_back();
  // `target.hasValue() ? optional.of(bind(target.value(), body)) : optional.none()`; a bind has an empty
  // list.
  CostEstimate present = exactly(10) + target + exactly(1) + body;
  if (macro.macro == Macro::opt_map) present = present + exactly(1);
  const SizeRange absent_size =
      is_scalar(*checked_.type_of(expression)) ? exactly(1) : SizeRange{0, unbounded};
  set_size(expression,
           macro.macro == Macro::opt_map ? absent_size : united(size_or_unbounded(*macro.body), absent_size));
  return target + exactly(1) + united(present, exactly(1));
}

CostEstimate Estimator::sort_by(const Expression& expression, const Comprehension& macro) {
  const CostEstimate range = cost(*macro.range);
  // The list is bound to a variable, of which `map` makes the list of keys.
  const Path path = path_of(*macro.range);
  const auto bound_size = size_of(*macro.range);
  const std::size_t outside = locals_.size();
  push_variables(macro, path, entries_of(*macro.range), checked_.type_of(*macro.range)->kind);
  const CostEstimate body = cost(*macro.body);
  locals_.resize(outside);
  auto size = limit_at(path);
  if (!size) size = bound_size;
  const SizeRange count = size.value_or(SizeRange{0, unbounded});
  const CostEstimate keys = exactly(12) + count * (exactly(12) + body);
  const TypeKind kind = checked_.type_of(*macro.body)->kind;
  const bool text = kind == TypeKind::string || kind == TypeKind::bytes;
  const SizeRange pairs = count * count;
  const CostEstimate sort{scaled(pairs.min, text ? 2.1 : 2.0),
                          scaled(pairs.max, text || kind == TypeKind::dyn ? 2.1 : 2.0)};
  set_size(expression, pairs);
  return exactly(10) + range + exactly(1) + keys + sort + exactly(11);
}

}  // namespace fairway::cel
