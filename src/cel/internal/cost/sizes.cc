// SPDX-License-Identifier: Apache-2.0

// Sizes of values: known by the expression, or by the place in the schema that a value comes from.
#include <ranges>

#include "cel/internal/cost/estimator.h"
#include "cel/internal/syntax/utf8.h"

namespace fairway::cel {

namespace {

/// Returns the size that literals show.
std::optional<SizeRange> written_size(const Expression& expression) {
  if (const auto* list = std::get_if<ListLiteral>(&expression.node)) return exactly(list->elements.size());
  if (const auto* map = std::get_if<MapLiteral>(&expression.node)) return exactly(map->entries.size());
  const auto* literal = std::get_if<Literal>(&expression.node);
  if (literal == nullptr) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&literal->value)) return exactly(count_code_points(*text));
  if (const auto* bytes = std::get_if<BytesLiteral>(&literal->value)) return exactly(bytes->bytes.size());
  return exactly(1);
}

/// Returns the type one step below another, nullptr if there is none.
const Type* below(const Type& type, std::string_view step) {
  const bool map = type.kind == TypeKind::map, list = type.kind == TypeKind::list;
  if (step == items_step || step == values_step)
    return map ? type.parameters[1].get() : list ? type.parameters[0].get() : nullptr;
  if (step == keys_step) return map ? type.parameters[0].get() : nullptr;
  const auto field = type.fields.find(step);
  return field == type.fields.end() ? nullptr : field->second.type.get();
}

}  // namespace

bool is_scalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::floating:
    case TypeKind::duration:
    case TypeKind::integer:
    case TypeKind::timestamp:
    case TypeKind::unsigned_integer:
      return true;
    case TypeKind::optional:
      return is_scalar(*type.parameters[0]);
    default:
      return false;
  }
}

std::optional<EntrySize> united(const std::optional<EntrySize>& a, const std::optional<EntrySize>& b) {
  if (!a || !b) return std::nullopt;
  return EntrySize{a->list, united(a->key, b->key), united(a->value, b->value)};
}

const Estimator::Local* Estimator::find_local(std::string_view name) const {
  for (const Local& local : locals_ | std::views::reverse)
    if (local.name == name) return &local;
  return nullptr;
}

Argument Estimator::argument(const Expression& expression) {
  return {&expression, checked_.type_of(expression), path_of(expression), size_of(expression)};
}

Path Estimator::path_of(const Expression& expression) const {
  if (const auto* name = std::get_if<Identifier>(&expression.node))
    if (const Local* local = find_local(name->name)) return local->path;
  const auto found = paths_.find(&expression);
  return found == paths_.end() ? Path() : found->second;
}

std::optional<SizeRange> Estimator::limit_at(const Path& path) const {
  if (path.empty()) return std::nullopt;
  // Kubernetes skips the first step, whatever it is: a path that begins at the result of a function
  // (`@items`), or at the name of a type, leads below the value under the rule.
  auto variable = environment_.find_variable(path[0]);
  if (!variable) variable = environment_.find_variable("self");
  if (!variable) return std::nullopt;
  const Type* type = environment_.variables()[*variable].type.get();
  if (type->kind == TypeKind::optional) type = type->parameters[0].get();
  for (std::size_t i = 1; type != nullptr && i < path.size(); ++i) type = below(*type, path[i]);
  return type != nullptr && type->max_size ? std::optional(SizeRange{0, *type->max_size}) : std::nullopt;
}

std::optional<SizeRange> Estimator::size_of(const Expression& expression) {
  if (const auto known = sizes_.find(&expression); known != sizes_.end()) return known->second;
  if (const auto written = written_size(expression)) return written;
  if (const auto limit = limit_at(path_of(expression))) {
    sizes_.emplace(&expression, *limit);
    return limit;
  }
  if (is_scalar(*checked_.type_of(expression))) return exactly(1);
  if (const auto* name = std::get_if<Identifier>(&expression.node))
    if (const Local* local = find_local(name->name)) return local->size;
  return std::nullopt;
}

SizeRange Estimator::size_or_unbounded(const Expression& expression) {
  return size_of(expression).value_or(SizeRange{0, unbounded});
}

std::optional<EntrySize> Estimator::entries_of(const Expression& expression) const {
  if (const auto known = entries_.find(&expression); known != entries_.end()) return known->second;
  if (const auto* name = std::get_if<Identifier>(&expression.node))
    if (const Local* local = find_local(name->name)) return local->entries;
  return std::nullopt;
}

void Estimator::set_size(const Expression& expression, const std::optional<SizeRange>& size) {
  if (size) sizes_.insert_or_assign(&expression, *size);
}

void Estimator::set_entries(const Expression& expression, const std::optional<EntrySize>& entries) {
  if (entries) entries_.insert_or_assign(&expression, *entries);
}

}  // namespace fairway::cel
