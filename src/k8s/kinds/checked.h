// SPDX-License-Identifier: Apache-2.0

// Views of Kubernetes's own types, whose paths the compiler checks.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "k8s/condition.h"
#include "k8s/internal/kinds/openapi_meta.h"
#include "k8s/micro_time.h"
#include "k8s/object.h"

namespace fairway::k8s {

/// A view of an object of Kubernetes's API. It has the functions of `Base` (`View` for a part of an object,
/// `Dynamic` for a whole one), but a path must be a literal that leads to a member of the right type in
/// Kubernetes's OpenAPI documents: a path with a typo, which would read as absent, does not compile.
///
/// Where the tables end (`spec.affinity` of a Pod), `at` and `items` return plain Views. Functions of `View`
/// and `Editor` with a path from elsewhere are those of the base: `const View& view = pod;`.
template <class Base, const openapi::Definition& definition>
class Checked : public Base {
  template <openapi::Type... types>
  using Path = openapi::Path<definition, nullptr, types...>;
  using Type = openapi::Type;
  template <class V>
  static constexpr const openapi::Definition* definition_of() {
    if constexpr (requires { V::openapi_definition; }) return V::openapi_definition;
    return nullptr;
  }
  template <class V, Type type>
  using PathOf = openapi::Path<definition, definition_of<V>(), type>;
  using AnyPath = Path<Type::text, Type::time, Type::integer, Type::number, Type::flag, Type::object,
                       Type::text_list, Type::object_list, Type::text_map, Type::other>;

 public:
  static constexpr const openapi::Definition* openapi_definition = &definition;

  using Base::Base;

  const json::Value* find(AnyPath path) const { return Base::find(path.text()); }
  bool has(AnyPath path) const { return Base::has(path.text()); }
  std::optional<std::string_view> find_text(Path<Type::text> path) const {
    return Base::find_text(path.text());
  }
  std::string_view text(Path<Type::text> path, std::string_view otherwise = {}) const {
    return Base::text(path.text(), otherwise);
  }
  std::optional<std::int64_t> find_integer(Path<Type::integer> path) const {
    return Base::find_integer(path.text());
  }
  std::int64_t integer(Path<Type::integer> path, std::int64_t otherwise = 0) const {
    return Base::integer(path.text(), otherwise);
  }
  std::optional<bool> find_flag(Path<Type::flag> path) const { return Base::find_flag(path.text()); }
  bool flag(Path<Type::flag> path, bool otherwise = false) const {
    return Base::flag(path.text(), otherwise);
  }
  std::optional<WallTime> find_time(Path<Type::time> path) const { return Base::find_time(path.text()); }
  /// Returns a time as the server wrote it.
  std::string_view time_text(Path<Type::time> path) const { return Base::text(path.text()); }
  StringMap map(Path<Type::text_map> path) const { return Base::map(path.text()); }
  std::vector<std::string_view> texts(Path<Type::text_list> path) const { return Base::texts(path.text()); }
  /// Returns an object as a view of the member's own definition, or as a plain View.
  template <class V = View>
  V at(PathOf<V, Type::object> path) const {
    return V(Base::at(path.text()).json());
  }
  template <class Item = View>
  std::vector<Item> items(PathOf<Item, Type::object_list> path) const {
    return Base::template items<Item>(path.text());
  }
  /// Returns the condition of a type in `status.conditions`.
  std::optional<Condition> condition(std::string_view type) const {
    static_assert(has_conditions(), "the definition has no status.conditions that Condition can read");
    return find_condition(*this, type);
  }
  bool condition_is_true(std::string_view type) const {
    const auto found = condition(type);
    return found && found->is_true();
  }

  void set(Path<Type::text> path, std::string_view text) { Base::set(path.text(), text); }
  template <std::same_as<bool> Flag>
  void set(Path<Type::flag> path, Flag flag) {
    Base::set(path.text(), json::Value(flag));
  }
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  void set(Path<Type::integer> path, Integer integer) {
    Base::set(path.text(), json::Value(static_cast<std::int64_t>(integer)));
  }
  void set_time(Path<Type::time> path, WallTime time) { Base::set_time(path.text(), time); }
  /// Writes a time with microseconds, for members that are a MicroTime.
  void set_micro_time(Path<Type::time> path, WallTime time) {
    Base::set(path.text(), format_micro_time(time));
  }
  /// Writes any JSON; its members are not checked.
  void set_json(AnyPath path, json::Value value) { Base::set(path.text(), std::move(value)); }
  bool erase(AnyPath path) { return Base::erase(path.text()); }
  void set_entry(Path<Type::text_map> path, std::string_view key, std::string_view text) {
    Base::set_entry(path.text(), key, text);
  }
  bool erase_entry(Path<Type::text_map> path, std::string_view key) {
    return Base::erase_entry(path.text(), key);
  }
  template <class V = Editor>
  V edit(PathOf<V, Type::object> path) {
    return V(Base::object(path.text()));
  }
  template <class V = Editor>
  V append(PathOf<V, Type::object_list> path) {
    return V(Base::append(path.text()).json());
  }

 private:
  /// Returns whether `status.conditions` is a list of conditions that `Condition` can read.
  static consteval bool has_conditions() {
    const openapi::Member* list = openapi::find_member(definition, "status.conditions");
    return list != nullptr && list->type == Type::object_list && list->of != nullptr &&
           openapi::has_path(*list->of, "type", {Type::text}) &&
           openapi::has_path(*list->of, "status", {Type::text}) &&
           openapi::has_path(*list->of, "reason", {Type::text}) &&
           openapi::has_path(*list->of, "message", {Type::text}) &&
           openapi::has_path(*list->of, "lastTransitionTime", {Type::time});
  }
};

}  // namespace fairway::k8s
