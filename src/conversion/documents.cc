// SPDX-License-Identifier: Apache-2.0

#include "conversion/documents.h"

#include <algorithm>
#include <string>

#include "k8s/documents.h"

namespace fairway::conversion {

namespace {

/// The items of "v1, Kind=List", or of the list of a kind; nullptr for other documents: a kind may be called
/// AllowList, and have items of its own.
const json::Array* items_of(const json::Value& document) {
  const auto kind = json::find_string(document, "kind");
  const json::Value* items = json::find(document, "items");
  if (!kind || !kind->ends_with("List") || items == nullptr || !items->is_array()) return nullptr;
  const json::Array& list = items->get_array();
  if (kind == "List" && json::find_string(document, "apiVersion") == "v1") return &list;
  const auto is_object = [](const json::Value& item) { return json::find_string(item, "kind").has_value(); };
  return !list.empty() && std::ranges::all_of(list, is_object) ? &list : nullptr;
}

Result<void> convert_into(json::Array& converted, const Converters& converters, const json::Value& document,
                          std::string_view version) {
  auto object = k8s::Dynamic::from(document);
  if (!object) return fail(object.error());
  auto result = converters.convert(*std::move(object), version);
  if (!result) return fail(result.error());
  converted.emplace_back(result->release());
  return {};
}

/// The objects converted so far, of all texts.
struct Converted {
  json::Array objects;
  bool is_list = false;
};

Result<void> convert_text(Converted& converted, const Converters& converters, std::string_view text,
                          std::string_view version) {
  const auto documents = k8s::read_documents(text);
  if (!documents) return fail(documents.error());
  for (const k8s::Document& document : *documents) {
    const json::Array* items = items_of(document.value);
    converted.is_list = converted.is_list || items != nullptr;
    const json::Array alone = items == nullptr ? json::Array{document.value} : json::Array{};
    for (const json::Value& one : items != nullptr ? *items : alone) {
      if (auto done = convert_into(converted.objects, converters, one, version); !done) {
        return fail(done.error().within("the document at line " + std::to_string(document.line)));
      }
    }
  }
  return {};
}

}  // namespace

Result<json::Value> convert_documents(const Converters& converters, const std::vector<SourceText>& sources,
                                      std::string_view version) {
  Converted converted;
  for (const SourceText& source : sources) {
    const std::size_t before = converted.objects.size();
    if (auto done = convert_text(converted, converters, source.text, version); !done)
      return fail(done.error().within(source.name));
    if (converted.objects.size() == before && !converted.is_list)
      return fail(ErrorCode::invalid, source.name + ": there are no objects in it");
  }
  if (converted.objects.size() == 1 && !converted.is_list) return std::move(converted.objects.front());
  return json::Value(
      json::Object{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(converted.objects)}});
}

}  // namespace fairway::conversion
