// SPDX-License-Identifier: Apache-2.0

#include "k8s/view.h"

#include <cmath>

namespace fairway::k8s {

namespace {

/// Takes the first name off a path.
std::string_view take(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  return name;
}

std::string_view parent(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string_view last(std::string_view path) {
  return path.substr(path.rfind('.') + 1);  // npos + 1 is 0
}

const json::Object& empty_object() {
  static const json::Object object;
  return object;
}

}  // namespace

std::optional<std::string_view> StringMap::find(std::string_view key) const {
  const json::Value* value = object_ != nullptr ? object_->if_contains(key) : nullptr;
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

StringMap::Iterator StringMap::begin() const {
  return object_ != nullptr ? Iterator(object_->begin(), object_->end()) : end();
}

StringMap::Iterator StringMap::end() const {
  const json::Object& object = object_ != nullptr ? *object_ : empty_object();
  return {object.end(), object.end()};
}

const json::Value* View::find(std::string_view path) const {
  const json::Object* object = object_;
  while (true) {
    const json::Value* value = object->if_contains(take(path));
    if (path.empty() || value == nullptr) return value;
    object = value->if_object();
    if (object == nullptr) return nullptr;
  }
}

bool View::has(std::string_view path) const {
  const json::Value* value = find(path);
  return value != nullptr && !value->is_null();
}

std::optional<std::string_view> View::find_text(std::string_view path) const {
  const json::Value* value = find(path);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

std::optional<std::int64_t> View::find_integer(std::string_view path) const {
  const json::Value* value = find(path);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return value->get_int64();
  // 2^63 is a double, the greatest integer below it is not.
  if (value->is_double() && std::trunc(value->get_double()) == value->get_double() &&
      value->get_double() >= -0x1p63 && value->get_double() < 0x1p63) {
    return static_cast<std::int64_t>(value->get_double());
  }
  return std::nullopt;
}

std::optional<bool> View::find_flag(std::string_view path) const {
  const json::Value* value = find(path);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->get_bool();
}

std::optional<WallTime> View::find_time(std::string_view path) const {
  const auto text = find_text(path);
  if (!text) return std::nullopt;
  const auto time = parse_time(*text);
  return time ? std::optional(*time) : std::nullopt;
}

StringMap View::map(std::string_view path) const {
  const json::Value* value = find(path);
  return StringMap(value != nullptr ? value->if_object() : nullptr);
}

const json::Array* View::find_array(std::string_view path) const {
  const json::Value* value = find(path);
  return value != nullptr ? value->if_array() : nullptr;
}

std::vector<std::string_view> View::texts(std::string_view path) const {
  std::vector<std::string_view> result;
  if (const json::Array* list = find_array(path); list != nullptr) {
    for (const json::Value& item : *list) {
      if (item.is_string()) result.emplace_back(item.get_string());
    }
  }
  return result;
}

View View::at(std::string_view path) const {
  const json::Value* value = find(path);
  const json::Object* object = value != nullptr ? value->if_object() : nullptr;
  return View(object != nullptr ? *object : empty_object());
}

json::Value& Editor::place(std::string_view path) {
  json::Object* object = target();
  while (true) {
    json::Value& value = (*object)[take(path)];
    if (path.empty()) return value;
    if (!value.is_object()) value.emplace_object();
    object = &value.get_object();
  }
}

void Editor::set(std::string_view path, json::Value value) {
  place(path) = std::move(value);
}

void Editor::set(std::string_view path, std::string_view text) {
  place(path) = text;
}

void Editor::set_time(std::string_view path, WallTime time) {
  set(path, format_time(time));
}

bool Editor::erase(std::string_view path) {
  const std::string_view above = parent(path);
  json::Object* object = target();
  if (!above.empty()) {
    json::Value* value = existing(above);
    object = value != nullptr ? value->if_object() : nullptr;
    if (object == nullptr) return false;
  }
  const auto found = object->find(last(path));
  if (found == object->end()) return false;
  object->stable_erase(found);
  return true;
}

json::Object& Editor::object(std::string_view path) {
  json::Value& value = place(path);
  return value.is_object() ? value.get_object() : value.emplace_object();
}

json::Array& Editor::array(std::string_view path) {
  json::Value& value = place(path);
  return value.is_array() ? value.get_array() : value.emplace_array();
}

void Editor::set_entry(std::string_view path, std::string_view key, std::string_view text) {
  object(path)[key] = text;
}

bool Editor::erase_entry(std::string_view path, std::string_view key) {
  json::Value* value = existing(path);
  if (value == nullptr || !value->is_object()) return false;
  json::Object& entries = value->get_object();
  const auto found = entries.find(key);
  if (found == entries.end()) return false;
  entries.stable_erase(found);
  if (entries.empty()) erase(path);
  return true;
}

Editor Editor::append(std::string_view path) {
  return Editor(array(path).emplace_back(json::Object{}).get_object());
}

std::vector<Editor> Editor::edit_items(std::string_view path) {
  std::vector<Editor> result;
  json::Value* value = existing(path);
  if (value == nullptr || !value->is_array()) return result;
  for (json::Value& item : value->get_array()) {
    if (item.is_object()) result.emplace_back(item.get_object());
  }
  return result;
}

}  // namespace fairway::k8s
