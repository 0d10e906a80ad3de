// SPDX-License-Identifier: Apache-2.0

// One value with what another one says.
#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "apiserver/internal/apply/forms.h"
#include "apiserver/internal/apply/trail.h"
#include "apiserver/internal/apply/typed_value.h"

namespace fairway::apiserver::apply {

namespace {

using internal::Faults, internal::Forms, internal::Trail;
using Merged = std::optional<json::Value>;

/// The items of a list and their names.
class NamedItems {
 public:
  std::vector<PathElement> names;

  NamedItems(const json::Array* list, const ListType& type, bool allow_repeated, Faults& faults,
             const Trail& at) {
    static const json::Value null;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      auto name = internal::name_item(type, (*list)[i]);
      if (!name) {
        faults.add(at, "element " + std::to_string(i) + ": " + name.error());
        continue;
      }
      names.push_back(std::move(*name));
      values_.push_back(&(*list)[i]);
    }
    for (std::size_t i = 0; i < names.size(); ++i) order_.push_back(i);
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
    for (std::size_t i = 1; i < order_.size(); ++i) {
      if (!(names[order_[i - 1]] == names[order_[i]])) continue;
      if (!allow_repeated) faults.add(at, "duplicate entries for key " + names[order_[i]].to_string());
      repeated_.push_back(order_[i]);
    }
    // Repeated items are not merged with anything.
    for (const std::size_t one : repeated_) values_[place_of(names[one]).value()] = &null;
  }

  /// Returns the index of the first item of that name.
  std::optional<std::size_t> place_of(const PathElement& name) const {
    const auto at = std::ranges::lower_bound(order_, name, {},
                                             [&](std::size_t i) -> const PathElement& { return names[i]; });
    if (at == order_.end() || !(names[*at] == name)) return std::nullopt;
    return *at;
  }
  bool contains(const PathElement& name) const { return place_of(name).has_value(); }
  /// Returns the item of that name; null if there are several, nullptr if there is none.
  const json::Value* find(const PathElement& name) const {
    const auto first = place_of(name);
    return first ? values_[*first] : nullptr;
  }

 private:
  std::vector<const json::Value*> values_;
  std::vector<std::size_t> order_, repeated_;
};

class MergeWalk {
 public:
  const Faults& faults() const { return faults_; }

  /// Merges two values; nullptr: absent, but not both.
  Merged run(const json::Value* a, const json::Value* b, TypeRef ref, const Trail& at) {
    const Type& type = ref.resolve();
    const Forms a_forms = internal::forms_of(type, a), b_forms = internal::forms_of(type, b);
    if (b == nullptr) return run_form(a_forms, a, b, type, at);
    // A value that takes another form is looked at as both; the new form is what it is then.
    if (a != nullptr && a_forms != b_forms) run_form(a_forms, a, b, type, at);
    return run_form(b_forms, a, b, type, at);
  }

 private:
  Merged run_form(Forms forms, const json::Value* a, const json::Value* b, const Type& type,
                  const Trail& at) {
    switch (internal::first_form(forms)) {
      case internal::map_form:
        return run_map(a, b, *type.map, at);
      case internal::scalar_form:
        return run_scalar(a, b, *type.scalar, at);
      case internal::list_form:
        return run_list(a, b, *type.list, at);
      default:
        faults_.add(at, internal::no_form(type));
        return std::nullopt;
    }
  }

  static Merged leaf(const json::Value* a, const json::Value* b) {
    return json::Value(b != nullptr ? *b : *a, json::Storage{});
  }

  Merged run_scalar(const json::Value* a, const json::Value* b, Scalar scalar, const Trail& at) {
    const std::string left = internal::check_scalar(scalar, a, "lhs: "),
                      right = internal::check_scalar(scalar, b, "rhs: ");
    if (left.empty() || right.empty()) return leaf(a, b);
    faults_.add(at, left);
    faults_.add(at, right);
    return std::nullopt;
  }

  Merged run_map(const json::Value* a, const json::Value* b, const MapType& map, const Trail& at) {
    const json::Object* left = internal::object_or_null(a);
    const json::Object* right = internal::object_or_null(b);
    const bool both_empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
    if (map.relationship == Relationship::atomic || both_empty) return leaf(a, b);
    json::Object out;
    const auto merge = [&](std::string_view name, const json::Value* x, const json::Value* y) {
      Merged merged = run(x, y, internal::member_type(map, name), Trail(at, name));
      if (merged) out.emplace(name, std::move(*merged));
    };
    if (left != nullptr) {
      for (const auto& member : *left) {
        merge(member.key(), &member.value(), right != nullptr ? right->if_contains(member.key()) : nullptr);
      }
    }
    if (right != nullptr) {
      for (const auto& member : *right) {
        if (left == nullptr || !left->contains(member.key())) merge(member.key(), nullptr, &member.value());
      }
    }
    if (out.empty()) return std::nullopt;
    return json::Value(std::move(out));
  }

  Merged run_list(const json::Value* a, const json::Value* b, const ListType& list, const Trail& at) {
    const json::Array* left = internal::array_or_null(a);
    const json::Array* right = internal::array_or_null(b);
    const bool both_empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
    if (list.relationship == Relationship::atomic || both_empty) return leaf(a, b);
    const std::size_t faults = faults_.size();
    const NamedItems right_items(right, list, false, faults_, at), left_items(left, list, true, faults_, at);
    if (faults_.size() != faults) return std::nullopt;
    json::Array out;
    merge_items(left, left_items, right_items, list, at, out);
    if (out.empty()) return std::nullopt;
    return json::Value(std::move(out));
  }

  /// Merges the items of two lists. The order is that of `right`, with the items that only `left` has where
  /// they were between those that both have.
  void merge_items(const json::Array* left, const NamedItems& left_items, const NamedItems& right_items,
                   const ListType& list, const Trail& at, json::Array& out) {
    const std::vector<PathElement>&l = left_items.names, &r = right_items.names;
    std::deque<const PathElement*> shared;
    for (const PathElement& name : r) {
      if (left_items.contains(name)) shared.push_back(&name);
    }
    const auto merge = [&](const PathElement& name, const json::Value* x, const json::Value* y) {
      // As in structured-merge-diff, faults inside of items do not count.
      const Faults kept = faults_;
      Merged merged = run(x, y, list.element, Trail(at, name));
      faults_ = kept;
      if (merged) out.push_back(std::move(*merged));
    };
    std::size_t i = 0, j = 0;
    while (i < l.size() || j < r.size()) {
      if (i < l.size() && j < r.size()) {
        if (l[i] == r[j]) {
          merge(l[i], left_items.find(l[i]), right_items.find(r[j]));
          ++i;
          ++j;
          if (!shared.empty()) shared.pop_front();
          continue;
        }
        if (!shared.empty() && !(*shared.front() == l[i]) && right_items.contains(l[i])) {
          ++i;  // another one is next of those that both have
          continue;
        }
      }
      if (i < l.size()) {
        if (!right_items.contains(l[i])) {
          merge(l[i], &(*left)[i], nullptr);
          ++i;
          continue;
        }
        if (right_items.place_of(l[i]).value() < j) ++i;  // it is there already
      }
      if (j < r.size()) {
        merge(r[j], left_items.find(r[j]), right_items.find(r[j]));
        if (!shared.empty() && *shared.front() == r[j]) shared.pop_front();
        ++j;
      }
    }
  }

  Faults faults_;
};

}  // namespace

Result<TypedValue> TypedValue::merge(const TypedValue& applied) const {
  if (type_.type != applied.type_.type) return fail(ErrorCode::invalid, "expected objects of the same type");
  MergeWalk walk;
  Merged merged = walk.run(value_.get(), applied.value_.get(), type_, Trail());
  if (!walk.faults().empty()) return fail(walk.faults().to_error());
  return TypedValue(std::make_shared<const json::Value>(merged ? std::move(*merged) : json::Value()), type_);
}

}  // namespace fairway::apiserver::apply
