// SPDX-License-Identifier: Apache-2.0

#include "schema/internal/place.h"

namespace fairway::schema::internal {

namespace {

void append_item(std::string& out, std::size_t index) {
  out += '[' + std::to_string(index) + ']';
}

void append_in_body(std::string& out, const Place& place) {
  if (place.parent == nullptr) return;
  append_in_body(out, *place.parent);
  if (place.kind == Place::Kind::item) return append_item(out, place.index);
  if (place.kind == Place::Kind::key || !out.empty()) out += '.';
  out += place.name;
}

void append_field(std::string& out, const Place& place) {
  if (place.parent == nullptr) return;
  append_field(out, *place.parent);
  if (place.kind == Place::Kind::item) return append_item(out, place.index);
  if (place.kind == Place::Kind::key) {
    out.append("[").append(place.name).append("]");
  } else {
    if (!out.empty()) out += '.';
    out += place.name;
  }
}

void append_in_document(std::string& out, const Place& place) {
  if (place.parent == nullptr) return;
  append_in_document(out, *place.parent);
  if (place.kind == Place::Kind::item) return append_item(out, place.index);
  if (!out.empty()) out += '.';
  out += place.name;
}

}  // namespace

std::string Place::in_body() const {
  std::string text;
  append_in_body(text, *this);
  return text;
}

std::string Place::field(std::string_view prefix) const {
  std::string text(prefix);
  append_field(text, *this);
  return text.empty() ? "<nil>" : text;
}

std::string Place::in_document() const {
  std::string text;
  append_in_document(text, *this);
  return text;
}

std::string below(std::string_view prefix, std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  std::string text(prefix);
  if (!text.empty() && !path.empty()) text += '.';
  text += path;
  return text.empty() ? "<nil>" : text;
}

}  // namespace fairway::schema::internal
