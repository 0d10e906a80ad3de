// SPDX-License-Identifier: Apache-2.0

// The differences between two values of one type.
#include <algorithm>
#include <span>
#include <utility>

#include "apiserver/internal/apply/forms.h"
#include "apiserver/internal/apply/trail.h"
#include "apiserver/internal/apply/typed_value.h"
#include "apiserver/internal/apply/values.h"

namespace fairway::apiserver::apply {

namespace {

using internal::Faults, internal::Forms, internal::Trail;

constexpr std::size_t removed = 0, modified = 1, added = 2;

class CompareWalk {
 public:
  const Faults& faults() const { return faults_; }

  /// Compares two values; nullptr: absent, but not both.
  void run(const json::Value* a, const json::Value* b, TypeRef ref, const Trail& at) {
    const Type& type = ref.resolve();
    const Forms a_forms = internal::forms_of(type, a), b_forms = internal::forms_of(type, b);
    bool leaf = false;
    if (b == nullptr) {
      leaf = run_form(a_forms, a, b, type, at);
    } else {
      // A value that takes another form is compared as both.
      if (a != nullptr && a_forms != b_forms) run_form(a_forms, a, b, type, at);
      leaf = run_form(b_forms, a, b, type, at);
    }
    if (leaf) return;
    if (a == nullptr) {
      at.insert(added);
    } else if (b == nullptr) {
      at.insert(removed);
    }
  }

 private:
  /// Returns whether the value is a leaf.
  bool run_form(Forms forms, const json::Value* a, const json::Value* b, const Type& type, const Trail& at) {
    switch (internal::first_form(forms)) {
      case internal::map_form:
        return run_map(a, b, *type.map, at);
      case internal::scalar_form:
        return run_scalar(a, b, *type.scalar, at);
      case internal::list_form:
        return run_list(a, b, *type.list, at);
      default:
        faults_.add(at, internal::no_form(type));
        return false;
    }
  }

  bool run_leaf(const json::Value* a, const json::Value* b, const Trail& at) {
    if (a == nullptr) {
      at.insert(added);
    } else if (b == nullptr) {
      at.insert(removed);
    } else if (!internal::equal(*a, *b)) {
      at.insert(modified);
    }
    return true;
  }

  bool run_scalar(const json::Value* a, const json::Value* b, Scalar scalar, const Trail& at) {
    const std::string left = internal::check_scalar(scalar, a, "lhs: "),
                      right = internal::check_scalar(scalar, b, "rhs: ");
    if (left.empty() || right.empty()) return run_leaf(a, b, at);
    faults_.add(at, left);
    faults_.add(at, right);
    return false;
  }

  bool run_map(const json::Value* a, const json::Value* b, const MapType& map, const Trail& at) {
    const json::Object* left = internal::object_or_null(a);
    const json::Object* right = internal::object_or_null(b);
    const bool both_empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
    // Empty and null are told apart as leaves are.
    if (map.relationship == Relationship::atomic || both_empty) return run_leaf(a, b, at);
    if (left != nullptr) {
      std::size_t i = 0;
      for (const auto* member : internal::members_of(*left)) {
        // Most often both have their members in one order.
        const json::Value* other = nullptr;
        if (right != nullptr) {
          const auto beside = right->begin() + static_cast<std::ptrdiff_t>(std::min(i++, right->size()));
          other = beside != right->end() && beside->key() == member->key()
                      ? &beside->value()
                      : right->if_contains(member->key());
        }
        run(&member->value(), other, internal::member_type(map, member->key()), Trail(at, member->key()));
      }
    }
    if (right == nullptr) return false;
    for (const auto* member : internal::members_of(*right)) {
      if (left != nullptr && left->contains(member->key())) continue;
      run(nullptr, &member->value(), internal::member_type(map, member->key()), Trail(at, member->key()));
    }
    return false;
  }

  struct Item {
    PathElement name;
    const json::Value* value;
    bool in_next;
  };

  void collect(const json::Array* list, const ListType& type, bool in_next, std::vector<Item>& items,
               const Trail& at) {
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      auto name = internal::name_item(type, (*list)[i]);
      if (name) {
        items.push_back({std::move(*name), &(*list)[i], in_next});
      } else {
        faults_.add(at, "element " + std::to_string(i) + ": " + name.error());
      }
    }
  }

  bool run_list(const json::Value* a, const json::Value* b, const ListType& list, const Trail& at) {
    const json::Array* left = internal::array_or_null(a);
    const json::Array* right = internal::array_or_null(b);
    const bool both_empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
    if (list.relationship == Relationship::atomic || both_empty) return run_leaf(a, b, at);
    // To name all items costs more than to see that there is nothing to name.
    if (left != nullptr && right != nullptr && internal::equal(*a, *b)) return false;
    std::vector<Item> items;
    collect(left, list, false, items, at);
    collect(right, list, true, items, at);
    std::ranges::stable_sort(items, {}, &Item::name);
    for (std::size_t i = 0; i < items.size();) {
      std::size_t end = i;
      while (end < items.size() && items[end].name == items[i].name) ++end;
      const std::span<const Item> same(items.data() + i, end - i);
      const auto next = std::ranges::find(same, true, &Item::in_next);
      const auto old_count = static_cast<std::size_t>(next - same.begin());
      run_items(same.first(old_count), same.subspan(old_count), list, at);
      i = end;
    }
    return false;
  }

  /// Compares the items of one name. Duplicates are compared as if they were one atomic value.
  void run_items(std::span<const Item> a, std::span<const Item> b, const ListType& list, const Trail& at) {
    const PathElement& name = a.empty() ? b.front().name : a.front().name;
    const json::Value* left = a.size() == 1 ? a.front().value : nullptr;
    const json::Value* right = b.size() == 1 ? b.front().value : nullptr;
    if (a.size() > 1 && b.size() > 1) {
      const bool same = std::ranges::equal(
          a, b, [](const Item& x, const Item& y) { return internal::equal(*x.value, *y.value); });
      if (!same) at.insert(modified, name);
      return;
    }
    if (left != nullptr || right != nullptr) run(left, right, list.element, Trail(at, name));
    if (a.size() > 1) at.insert(removed, name);
    if (b.size() > 1) at.insert(added, name);
  }

  Faults faults_;
};

}  // namespace

Result<Comparison> TypedValue::compare(const TypedValue& next) const {
  if (type_.type != next.type_.type) return fail(ErrorCode::invalid, "expected objects of the same type");
  Comparison result;
  CompareWalk walk;
  walk.run(value_.get(), next.value_.get(), type_,
           Trail(Trail::Sets{&result.removed, &result.modified, &result.added}));
  if (!walk.faults().empty()) return fail(walk.faults().to_error());
  return result;
}

}  // namespace fairway::apiserver::apply
