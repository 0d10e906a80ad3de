// SPDX-License-Identifier: Apache-2.0

#include "conversion/documents.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "k8s/documents.h"

namespace fairway::conversion {

namespace {

/// Suffix of the kinds of lists.
constexpr std::string_view list_suffix = "List";

/// Returns whether a document is an object of its own: a list has neither name.
bool has_name(const json::Value& document) {
  const json::Value* metadata = json::find(document, "metadata");
  return metadata != nullptr &&
         (json::find(*metadata, "name") != nullptr || json::find(*metadata, "generateName") != nullptr);
}

/// Returns the items of "v1, Kind=List", or of the list of a kind; nullptr for other documents: a kind may be
/// called AllowList, and have items of its own.
const json::Array* items_of(const json::Value& document) {
  const auto kind = json::find_string(document, "kind");
  const json::Value* items = json::find(document, "items");
  if (!kind || !kind->ends_with(list_suffix) || items == nullptr || !items->is_array()) return nullptr;
  const json::Array& list = items->get_array();
  if (kind == list_suffix && json::find_string(document, "apiVersion") == "v1") return &list;
  const bool is_named = has_name(document);
  const auto is_object = [is_named](const json::Value& item) {
    return json::find_string(item, "kind").has_value() || (!is_named && has_name(item));
  };
  const bool is_list = list.empty() ? !is_named : std::ranges::all_of(list, is_object);
  return is_list ? &list : nullptr;
}

/// Returns an item of a list with its types. Lists of built-in kinds come from an API server with items that
/// have none: they are those of the list.
json::Value typed(const json::Value& item, const json::Value& list) {
  const std::string_view kind = json::find_string(list, "kind").value_or("");
  const auto version = json::find_string(list, "apiVersion");
  if (!item.is_object() || kind == list_suffix || !version) return item;
  json::Object made{{"apiVersion", *version}, {"kind", kind.substr(0, kind.size() - list_suffix.size())}};
  for (const auto& [key, value] : item.get_object()) made[key] = value;
  return json::Value(std::move(made));
}

/// Returns the objects of a document: the items of a list, or the document itself.
std::vector<json::Value> values_of(const json::Value& document) {
  const json::Array* items = items_of(document);
  if (items == nullptr) return {document};
  std::vector<json::Value> values;
  for (const json::Value& item : *items) values.push_back(typed(item, document));
  return values;
}

Result<void> convert_into(json::Array& converted, const Converters& converters, const json::Value& document,
                          std::string_view version) {
  auto object = k8s::Dynamic::from(document);
  if (!object) return fail(object.error());
  const std::string group = object->group_version_kind().group, kind(object->kind());
  auto result = converters.convert(*std::move(object), version);
  if (!result) {
    const KindConverters* known = converters.find(group, kind);
    const auto same = k8s::Dynamic::from(document);
    if (known == nullptr || !same) return fail(result.error());
    const std::string_view name = version.substr(version.find('/') + 1);
    return fail(known->with_values(*same, name, result.error()));
  }
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
    converted.is_list = converted.is_list || items_of(document.value) != nullptr;
    for (const json::Value& one : values_of(document.value)) {
      if (auto done = convert_into(converted.objects, converters, one, version); !done) {
        return fail(done.error().within("the document at line " + std::to_string(document.line)));
      }
    }
  }
  return {};
}

Error without_objects(const SourceText& source) {
  return {ErrorCode::invalid, source.name + ": there are no objects in it"};
}

}  // namespace

Result<std::vector<k8s::Dynamic>> read_objects(const SourceText& source) {
  const auto documents = k8s::read_documents(source.text);
  if (!documents) return fail(documents.error().within(source.name));
  std::vector<k8s::Dynamic> objects;
  bool is_list = false;
  for (const k8s::Document& document : *documents) {
    is_list = is_list || items_of(document.value) != nullptr;
    for (json::Value& value : values_of(document.value)) {
      auto object = k8s::Dynamic::from(std::move(value));
      if (!object) {
        return fail(object.error()
                        .within("the document at line " + std::to_string(document.line))
                        .within(source.name));
      }
      objects.push_back(*std::move(object));
    }
  }
  if (objects.empty() && !is_list) return fail(without_objects(source));
  return objects;
}

Result<json::Value> convert_documents(const Converters& converters, const std::vector<SourceText>& sources,
                                      std::string_view version) {
  Converted converted;
  for (const SourceText& source : sources) {
    const std::size_t before = converted.objects.size();
    if (auto done = convert_text(converted, converters, source.text, version); !done)
      return fail(done.error().within(source.name));
    if (converted.objects.size() == before && !converted.is_list) return fail(without_objects(source));
  }
  if (converted.objects.size() == 1 && !converted.is_list) return std::move(converted.objects.front());
  return json::Value(
      json::Object{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(converted.objects)}});
}

}  // namespace fairway::conversion
