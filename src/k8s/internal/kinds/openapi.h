// Members of API types, from a server's OpenAPI document, and paths checked against them.
#pragma once

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

// Not constexpr: the compiler's message is that it is called.
void the_definition_has_no_member_of_this_type_at_this_path();

/// A path literal that leads to a member of one of the types; any other literal does not compile.
template <const Definition& definition, const Definition* of, Type... types>
class Path {
 public:
  // Implicit: accessors are written as those of other views.
  template <std::size_t size>
  consteval Path(const char (&text)[size]) : text_(text, size - 1) {
    if (!has_path(definition, text_, {types...}, of)) {
      the_definition_has_no_member_of_this_type_at_this_path();
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace fairway::k8s::openapi
