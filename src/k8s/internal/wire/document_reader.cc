// SPDX-License-Identifier: Apache-2.0

#include "k8s/internal/wire/document_reader.h"

#include "base/text.h"

namespace fairway::k8s {

const json::Value* DocumentReader::find(std::string_view name) const {
  const json::Value* value = object_.if_contains(name);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

void DocumentReader::fail(std::string_view name, std::string_view why) {
  if (fault_.empty()) fault_ = path_ + std::string(name) + ": " + std::string(why);
}

std::string DocumentReader::text(std::string_view name) {
  const json::Value* value = find(name);
  if (value == nullptr) return {};
  if (value->is_string()) return std::string(value->get_string());
  fail(name, "must be a text");
  return {};
}

std::string DocumentReader::required(std::string_view name) {
  std::string value = text(name);
  if (value.empty()) fail(name, "is missing");
  return value;
}

bool DocumentReader::flag(std::string_view name) {
  const json::Value* value = find(name);
  if (value == nullptr) return false;
  if (!value->is_bool()) fail(name, "must be true or false");
  return value->is_bool() && value->get_bool();
}

std::vector<std::string> DocumentReader::texts(std::string_view name) {
  std::vector<std::string> result;
  const json::Value* value = find(name);
  if (value == nullptr) return result;
  if (!value->is_array()) return fail(name, "must be a list"), result;
  for (const json::Value& item : value->get_array()) {
    if (!item.is_string()) return fail(name, "must be a list of texts"), result;
    result.emplace_back(item.get_string());
  }
  return result;
}

std::vector<DocumentReader> DocumentReader::items(std::string_view name) {
  std::vector<DocumentReader> result;
  const json::Value* value = find(name);
  if (value == nullptr) return result;
  if (!value->is_array()) return fail(name, "must be a list"), result;
  const json::Array& list = value->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = path_ + std::string(name) + "[" + std::to_string(i) + "]";
    const json::Object* item = list[i].if_object();
    if (item == nullptr) {
      fail(std::string(name) + "[" + std::to_string(i) + "]", "must be an object");
      break;
    }
    result.emplace_back(*item, at + ".", fault_);
  }
  return result;
}

std::optional<DocumentReader> DocumentReader::object(std::string_view name) {
  const json::Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_object()) return DocumentReader(value->get_object(), path_ + std::string(name) + ".", fault_);
  fail(name, "must be an object");
  return std::nullopt;
}

}  // namespace fairway::k8s
