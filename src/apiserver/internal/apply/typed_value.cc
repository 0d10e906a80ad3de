// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/typed_value.h"

#include <algorithm>
#include <utility>

#include "apiserver/internal/apply/forms.h"
#include "apiserver/internal/apply/trail.h"
#include "apiserver/internal/apply/values.h"

namespace fairway::apiserver::apply {

namespace {

using internal::Faults, internal::Trail;

class Validation {
 public:
  explicit Validation(Duplicates duplicates) : duplicates_(duplicates) {}
  const Faults& faults() const { return faults_; }

  void run(const json::Value& value, TypeRef ref, const Trail& at) {
    const Type& type = ref.resolve();
    switch (internal::first_form(internal::forms_of(type, &value))) {
      case internal::map_form:
        return run_map(value, *type.map, at);
      case internal::scalar_form: {
        const std::string fault = internal::check_scalar(*type.scalar, &value, "");
        if (!fault.empty()) faults_.add(at, fault);
        return;
      }
      case internal::list_form:
        return run_list(value, *type.list, at);
      default:
        faults_.add(at, internal::no_form(type));
    }
  }

 private:
  void run_map(const json::Value& value, const MapType& map, const Trail& at) {
    if (value.is_null()) return;
    const json::Object* object = value.if_object();
    if (object == nullptr) return faults_.add(at, "expected map, got &{" + internal::go_text(value) + "}");
    for (const auto& member : *object) {
      const Trail below(at, member.key());
      const TypeRef type = internal::member_type(map, member.key());
      if (!type) {
        if (map.find(member.key()) != nullptr) {
          faults_.add(below, internal::no_form(Type::none()));
          continue;
        }
        // structured-merge-diff leaves the other members alone then.
        return faults_.add(below, "field not declared in schema");
      }
      run(member.value(), type, below);
    }
  }

  void run_list(const json::Value& value, const ListType& list, const Trail& at) {
    if (value.is_null()) return;
    const json::Array* array = value.if_array();
    if (array == nullptr) return faults_.add(at, "expected list, got &{" + internal::go_text(value) + "}");
    std::vector<PathElement> names;
    const bool associative = list.relationship == Relationship::associative;
    for (std::size_t i = 0; i < array->size(); ++i) {
      auto name = PathElement::index(static_cast<std::int64_t>(i));
      if (associative) {
        auto found = internal::name_item(list, (*array)[i]);
        if (!found) return faults_.add(at, "element " + std::to_string(i) + ": " + found.error());
        name = std::move(*found);
        if (duplicates_ == Duplicates::refused) names.push_back(name);
      }
      run((*array)[i], list.element, Trail(at, name));
    }
    report_repeated(std::move(names), at);
  }

  void report_repeated(std::vector<PathElement> names, const Trail& at) {
    std::ranges::sort(names);
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (names[i - 1] == names[i]) faults_.add(at, "duplicate entries for key " + names[i].to_string());
    }
  }

  Duplicates duplicates_;
  Faults faults_;
};

class FieldSetWalk {
 public:
  const Faults& faults() const { return faults_; }

  void run(const json::Value& value, TypeRef ref, const Trail& at) {
    const Type& type = ref.resolve();
    switch (internal::first_form(internal::forms_of(type, &value))) {
      case internal::map_form:
        if (type.map->relationship == Relationship::atomic) return at.insert(0);
        if (const json::Object* object = value.if_object()) run_map(*object, *type.map, at);
        return;
      case internal::scalar_form:
        return at.insert(0);
      case internal::list_form:
        if (type.list->relationship == Relationship::atomic) return at.insert(0);
        if (const json::Array* array = value.if_array()) run_list(*array, *type.list, at);
        return;
      default:
        faults_.add(Trail(), internal::no_form(type));
    }
  }

 private:
  void run_map(const json::Object& object, const MapType& map, const Trail& at) {
    for (const auto* member : internal::members_of(object)) {
      const Trail below(at, member->key());
      const MapType::Field* field = map.find(member->key());
      const json::Value& value = member->value();
      run(value, field != nullptr ? field->type : map.element, below);
      const json::Object* inner = value.if_object();
      if (value.is_null() || (inner != nullptr && inner->empty()) || field == nullptr) below.insert(0);
    }
  }

  void run_list(const json::Array& array, const ListType& list, const Trail& at) {
    struct Named {
      PathElement name;
      const json::Value* item;
    };
    std::vector<Named> items;
    items.reserve(array.size());
    for (const json::Value& item : array) {
      if (auto name = internal::name_item(list, item)) items.push_back({std::move(*name), &item});
    }
    std::ranges::stable_sort(items, {}, &Named::name);
    for (std::size_t i = 0; i < items.size();) {
      std::size_t end = i + 1;
      while (end < items.size() && items[end].name == items[i].name) ++end;
      // Of items that are there twice, only that they are there is owned.
      const Trail below(at, items[i].name);
      if (end == i + 1) run(*items[i].item, list.element, below);
      below.insert(0);
      i = end;
    }
  }

  Faults faults_;
};

class Reconciliation {
 public:
  const Faults& faults() const { return faults_; }

  void run(const FieldSet* set, TypeRef ref, bool atomic, const Trail& at) {
    const Type& type = ref.resolve();
    const auto form = internal::first_form(internal::forms_of(type, nullptr));
    if (form == internal::map_form) {
      run_map(set, *type.map, atomic, at);
    } else if (form == internal::list_form) {
      if (!atomic && type.list->relationship == Relationship::atomic) return at.insert(0);
      if (set != nullptr) {
        for_each_node(*set, at, [&](const PathElement&) { return type.list->element; });
      }
    } else if (form == 0) {
      faults_.add(Trail(), internal::no_form(type));
    }
  }

 private:
  void run_map(const FieldSet* set, const MapType& map, bool atomic, const Trail& at) {
    if (map.element.deduced && !map.has_fields()) return;
    if (!atomic && map.relationship == Relationship::atomic) {
      if (set != nullptr && !set->empty()) at.insert(0);
      return;
    }
    if (set == nullptr) return;
    for_each_node(*set, at, [&](const PathElement& element) {
      const std::string* name = element.field_name();
      return name != nullptr ? internal::member_type(map, *name) : map.element;
    });
  }

  template <class TypeOf>
  void for_each_node(const FieldSet& set, const Trail& at, TypeOf type_of) {
    const auto visit = [&](const PathElement& element, const FieldSet* below, bool member) {
      const TypeRef type = type_of(element);
      if (type) run(below, type, member && below == nullptr, Trail(at, element));
    };
    for (const FieldSet::Child& child : set.children()) {
      if (!set.has_member(child.element)) visit(child.element, &child.set, false);
    }
    for (const PathElement& member : set.members()) visit(member, set.child(member), true);
  }

  Faults faults_;
};

}  // namespace

TypedValue::TypedValue(std::shared_ptr<const json::Value> value, TypeRef type)
    : value_(std::move(value)), type_(type) {}

TypedValue TypedValue::unchecked(std::shared_ptr<const json::Value> value, TypeRef type) {
  return TypedValue(std::move(value), type);
}

Result<TypedValue> TypedValue::check(std::shared_ptr<const json::Value> value, TypeRef type,
                                     Duplicates duplicates) {
  Validation validation(duplicates);
  validation.run(*value, type, Trail());
  if (!validation.faults().empty()) return fail(validation.faults().to_error());
  return TypedValue(std::move(value), type);
}

Result<FieldSet> TypedValue::to_field_set() const {
  FieldSet set;
  FieldSetWalk walk;
  walk.run(*value_, type_, Trail(Trail::Sets{&set}));
  if (!walk.faults().empty()) return fail(walk.faults().to_error());
  return set;
}

Result<FieldSet> TypedValue::reconcile(const FieldSet& set) const {
  FieldSet changed;
  Reconciliation walk;
  walk.run(&set, type_, false, Trail(Trail::Sets{&changed}));
  if (!walk.faults().empty()) {
    return fail(walk.faults().to_error().within("errors reconciling field set with schema"));
  }
  if (changed.empty()) return set;
  return set.recursive_difference(changed).united(changed);
}

}  // namespace fairway::apiserver::apply
