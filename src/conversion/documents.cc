#include "conversion/documents.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "base/yaml.h"

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

}  // namespace

Result<json::Value> convert_documents(const Converters& converters, std::string_view text,
                                      std::string_view version) {
  const auto parsed = yaml::parse(text);
  if (!parsed) {
    return fail(ErrorCode::invalid,
                "line " + std::to_string(parsed.error().mark.line) + ": " + parsed.error().message);
  }
  if (!parsed->duplicate_keys.empty()) {
    const yaml::DuplicateKey& twice = parsed->duplicate_keys.front();
    return fail(ErrorCode::invalid, "line " + std::to_string(twice.again.line) + ": '" +
                                        printable(twice.key, 80) +
                                        "' stands here again; it was set at line " +
                                        std::to_string(twice.first.line) + ", and one of them would be lost");
  }
  json::Array converted;
  bool is_list = false;
  for (const yaml::Node& node : parsed->documents) {
    if (node.kind == yaml::Node::Kind::null) continue;
    const json::Value document = yaml::to_json(node);
    const json::Array* items = items_of(document);
    is_list = is_list || items != nullptr;
    const json::Array alone = items == nullptr ? json::Array{document} : json::Array{};
    for (const json::Value& one : items != nullptr ? *items : alone) {
      if (auto done = convert_into(converted, converters, one, version); !done) {
        return fail(done.error().within("the document at line " + std::to_string(node.mark.line)));
      }
    }
  }
  if (converted.empty() && !is_list) return fail(ErrorCode::invalid, "there are no objects in it");
  if (converted.size() == 1 && !is_list) return std::move(converted.front());
  return json::Value(json::Object{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(converted)}});
}

}  // namespace fairway::conversion
