// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/offline/sources.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "k8s/documents.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;

/// Returns an item of a list with its types. Lists of built-in kinds come from an API server with items that
/// have none: they are those of the list.
json::Value typed(const json::Value& item, const Dynamic& list) {
  if (!item.is_object() || list.kind() == "List") return item;
  json::Object made = item.get_object();
  std::string_view kind = list.kind();
  kind.remove_suffix(std::string_view("List").size());
  // `insert` leaves what is there.
  made.insert({{"apiVersion", list.api_version()}, {"kind", kind}});
  return json::Value(std::move(made));
}

Result<void> add(Objects& objects, json::Value document, const std::string& place, int depth) {
  auto object = Dynamic::from(std::move(document));
  if (!object) return fail(object.error().within(place));
  if (object->kind().ends_with("List") && object->find("items") != nullptr) {
    const json::Value* items = object->find("items");
    if (!items->is_array() || depth > 2)
      return fail(ErrorCode::invalid, place + ": items is no list of objects");
    for (const json::Value& item : items->get_array()) {
      if (auto added = add(objects, typed(item, *object), place, depth + 1); !added) return added;
    }
    return {};
  }
  if (object->name().empty()) {
    return fail(ErrorCode::invalid,
                place + ": " + printable(object->kind()) + " has no metadata.name; give it one");
  }
  objects.add(*std::move(object));
  return {};
}

}  // namespace

Result<Objects> read_sources(const std::vector<SourceText>& sources) {
  Objects objects;
  for (const SourceText& source : sources) {
    auto documents = k8s::read_documents(source.text);
    if (!documents) return fail(documents.error().within(source.name));
    for (k8s::Document& document : *documents) {
      const std::string place = source.name + ": line " + std::to_string(document.line);
      if (auto added = add(objects, std::move(document.value), place, 0); !added) return fail(added.error());
    }
  }
  return objects;
}

}  // namespace fairway::gateway
