// SPDX-License-Identifier: Apache-2.0

// Members of API types, from a server's OpenAPI document, and paths checked against them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

namespace fairway::k8s::openapi {

/// The JSON type of a member. `other`: a map of anything but strings, an integer or a string, any JSON.
enum class Type { text, time, integer, number, flag, object, text_list, object_list, text_map, other };

struct Definition;

struct Member {
  std::string_view name;
  Type type;
  /// Definition of the object, or of the list's items; nullptr: their members are not in the tables.
  const Definition* of = nullptr;
};

/// A definition of components.schemas.
struct Definition {
  std::string_view name;
  std::span<const Member> members;

  constexpr const Member* find(std::string_view member) const {
    for (const Member& one : members) {
      if (one.name == member) return &one;
    }
    return nullptr;
  }
};

/// Returns the member at a path of names joined by dots; nullptr if there is none, or if the tables end
/// before it.
constexpr const Member* find_member(const Definition& definition, std::string_view path) {
  const Definition* at = &definition;
  while (true) {
    const std::size_t dot = path.find('.');
    const Member* member = at->find(path.substr(0, dot));
    if (member == nullptr || dot == std::string_view::npos) return member;
    if (member->type != Type::object || member->of == nullptr) return nullptr;
    at = member->of;
    path.remove_prefix(dot + 1);
  }
}

/// Returns whether a path leads to a member of one of the types. `of`: objects, or items of a list, of that
/// definition; nullptr: of any.
constexpr bool has_path(const Definition& definition, std::string_view path,
                        std::initializer_list<Type> types, const Definition* of = nullptr) {
  const Member* member = find_member(definition, path);
  if (member == nullptr || (of != nullptr && member->of != of)) return false;
  for (const Type type : types) {
    if (member->type == type) return true;
  }
  return false;
}

/// Returns in how many letters two names differ: inserted, removed or replaced ones, or two that are swapped.
constexpr std::size_t distance(std::string_view one, std::string_view other) {
  constexpr std::size_t longest = 64;
  if (one.size() > longest || other.size() > longest) return longest;
  std::array<std::array<std::size_t, longest + 1>, 3> rows{};
  for (std::size_t column = 0; column <= other.size(); ++column) rows[0][column] = column;
  for (std::size_t row = 1; row <= one.size(); ++row) {
    const auto &before = rows[(row - 1) % 3], &two_before = rows[(row + 1) % 3];
    auto& now = rows[row % 3];
    now[0] = row;
    for (std::size_t column = 1; column <= other.size(); ++column) {
      const bool same = one[row - 1] == other[column - 1];
      now[column] = std::min({before[column] + 1, now[column - 1] + 1, before[column - 1] + (same ? 0 : 1)});
      if (row > 1 && column > 1 && one[row - 1] == other[column - 2] && one[row - 2] == other[column - 1])
        now[column] = std::min(now[column], two_before[column - 2] + 1);
    }
  }
  return rows[one.size() % 3][other.size()];
}

/// Returns the name of a member that is nearest to a name that the definition does not have, or "" if all
/// differ in more than a third of its letters.
constexpr std::string_view nearest_member(const Definition& definition, std::string_view name) {
  std::string_view nearest = "";
  std::size_t least = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const Member& one : definition.members) {
    if (const std::size_t letters = distance(name, one.name); letters < least) {
      least = letters;
      nearest = one.name;
    }
  }
  return nearest;
}

// Messages of the compiler. An order of two texts cannot be evaluated at compile time. g++ prints both texts,
// and the line with the names of the parameters; clang prints the call that leads there, with its arguments.

/// Fails to compile: a name in the path is none of the members that are there. `did_you_mean` is the nearest
/// of these, or says that there is none.
constexpr bool there_is_no_such_member(std::string_view did_you_mean, std::string_view path) {
  return did_you_mean.data() < path.data();
}

/// Fails to compile: the member is of another type than the function reads or writes.
constexpr bool the_member_has_another_type(std::string_view the_member_has_another_type_in,
                                           std::string_view path) {
  return the_member_has_another_type_in.data() < path.data();
}

/// Fails to compile: a path leads into a list, a map, or an object whose members are not in the tables.
constexpr bool the_path_goes_beyond_the_tables(std::string_view the_path_goes_beyond_the_tables_at,
                                               std::string_view path) {
  return the_path_goes_beyond_the_tables_at.data() < path.data();
}

/// Fails to compile, with the message that says what is wrong with a path.
constexpr bool refuse_path(const Definition& definition, std::string_view path) {
  const Definition* at = &definition;
  for (std::string_view rest = path;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    const Member* member = at->find(name);
    if (member == nullptr) {
      const std::string_view nearest = nearest_member(*at, name);
      // Never "": an empty path would be the same literal, whose order g++ knows.
      return there_is_no_such_member(nearest.empty() ? "(nothing is near)" : nearest, path);
    }
    if (dot == std::string_view::npos) break;
    if (member->type != Type::object || member->of == nullptr)
      return the_path_goes_beyond_the_tables(at->name, path);
    at = member->of;
    rest.remove_prefix(dot + 1);
  }
  return the_member_has_another_type(at->name, path);
}

/// A path literal that leads to a member of one of the types; any other literal does not compile.
template <const Definition& definition, const Definition* of, Type... types>
class Path {
 public:
  // Implicit: accessors are written as those of other views.
  template <std::size_t size>
  consteval Path(const char (&text)[size]) : text_(text, size - 1) {
    if (!has_path(definition, text_, {types...}, of) && refuse_path(definition, text_)) return;
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace fairway::k8s::openapi
