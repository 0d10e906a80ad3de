// SPDX-License-Identifier: Apache-2.0

// Reads and writes a JSON object by paths; the base of typed views.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace fairway::k8s {

/// A JSON object of strings, such as labels or the data of a ConfigMap. Members that are not strings are
/// ignored.
class StringMap {
 public:
  using Entry = std::pair<std::string_view, std::string_view>;
  class Iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Entry operator*() const { return {at_->key(), std::string_view(at_->value().get_string())}; }
    Iterator& operator++() { return ++at_, skip(), *this; }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    friend class StringMap;
    Iterator(json::Object::const_iterator at, json::Object::const_iterator end) : at_(at), end_(end) {
      skip();
    }
    void skip() {
      while (at_ != end_ && !at_->value().is_string()) ++at_;
    }
    json::Object::const_iterator at_{}, end_{};
  };

  StringMap() = default;
  explicit StringMap(const json::Object* object) : object_(object) {}
  std::optional<std::string_view> find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key).has_value(); }
  bool empty() const { return begin() == end(); }
  Iterator begin() const;
  Iterator end() const;

 private:
  const json::Object* object_ = nullptr;
};

/// A view of a JSON object within an API object, which must outlive this.
///
/// A path is dot-separated names, as in Kubernetes field paths: "spec.ports". Use `map` for keys that contain
/// dots. A member that is absent, null or of another type reads as absent: null means absent in the API, and
/// types are validated by the server's schema.
class View {
 public:
  explicit View(const json::Object& object) : object_(&object) {}

  const json::Object& json() const { return *object_; }

  /// Returns the value at a path, null included; nullptr if absent.
  const json::Value* find(std::string_view path) const;
  /// Returns whether the member is present and not null.
  bool has(std::string_view path) const;

  std::optional<std::string_view> find_text(std::string_view path) const;
  std::string_view text(std::string_view path, std::string_view otherwise = {}) const {
    return find_text(path).value_or(otherwise);
  }
  /// Returns an integer. Integers beyond 64 bits, and numbers with a fraction, read as absent.
  std::optional<std::int64_t> find_integer(std::string_view path) const;
  std::int64_t integer(std::string_view path, std::int64_t otherwise = 0) const {
    return find_integer(path).value_or(otherwise);
  }
  std::optional<bool> find_flag(std::string_view path) const;
  bool flag(std::string_view path, bool otherwise = false) const {
    return find_flag(path).value_or(otherwise);
  }
  /// Returns a time, from an RFC 3339 text.
  std::optional<WallTime> find_time(std::string_view path) const;
  StringMap map(std::string_view path) const;
  /// Returns the strings of a list; other items are ignored.
  std::vector<std::string_view> texts(std::string_view path) const;
  /// Returns an object, or an empty one if absent.
  View at(std::string_view path) const;
  /// Returns the objects of a list, each as an `Item`, a class constructible from `const json::Object&`.
  template <class Item = View>
  std::vector<Item> items(std::string_view path) const {
    std::vector<Item> result;
    if (const json::Array* list = find_array(path); list != nullptr) {
      result.reserve(list->size());
      for (const json::Value& item : *list) {
        if (const json::Object* object = item.if_object(); object != nullptr) result.emplace_back(*object);
      }
    }
    return result;
  }

 protected:
  const json::Object* object_;

 private:
  const json::Array* find_array(std::string_view path) const;
};

/// A view that can be written. Keys keep their order, and everything else is preserved byte for byte.
class Editor : public View {
 public:
  explicit Editor(json::Object& object) : View(object) {}

  using View::json;
  json::Object& json() { return *target(); }

  /// Writes a member. Missing parent objects are created; a parent that is not an object is replaced by one.
  void set(std::string_view path, json::Value value);
  void set(std::string_view path, std::string_view text);
  void set(std::string_view path, const char* text) { set(path, std::string_view(text)); }
  void set(std::string_view path, std::nullptr_t) = delete;  // erase it: null means absent
  /// Writes a time in seconds, the API's precision.
  void set_time(std::string_view path, WallTime time);
  /// Removes a member; false if there was none. Its parents stay, empty or not.
  bool erase(std::string_view path);

  /// Returns the object or list at a path, created if absent (replacing a value of another type).
  json::Object& object(std::string_view path);
  json::Array& array(std::string_view path);
  /// Writes a key that may contain dots into the object at `path`: labels, annotations, data.
  void set_entry(std::string_view path, std::string_view key, std::string_view text);
  /// Removes a key that may contain dots, and the object with its last key; false if absent.
  bool erase_entry(std::string_view path, std::string_view key);
  /// Returns the object at a path, for writing.
  Editor edit(std::string_view path) { return Editor(object(path)); }
  /// Appends an empty object to the list at a path. The editor is valid until the list grows again.
  Editor append(std::string_view path);
  /// Returns the objects of a list, for writing.
  std::vector<Editor> edit_items(std::string_view path);

 private:
  // An Editor is only constructed from a mutable object.
  json::Object* target() { return const_cast<json::Object*>(object_); }
  json::Value* existing(std::string_view path) { return const_cast<json::Value*>(find(path)); }
  json::Value& place(std::string_view path);
};

}  // namespace fairway::k8s
