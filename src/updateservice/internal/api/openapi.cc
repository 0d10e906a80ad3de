// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/api/openapi.h"

#include <string_view>

#include "base/json.h"
#include "updateservice/internal/api/openapi_text.h"

namespace fairway::updateservice {
namespace {

/// Returns the HEAD operation of a GET operation: its responses have the same descriptions and headers, and
/// no content.
json::Object head_of(const json::Object& get) {
  json::Object head = get;
  head["operationId"] = std::string(get.at("operationId").as_string()) + "Head";
  head["summary"] = "The same without the body.";
  for (auto& response : head["responses"].as_object()) {
    if (response.value().is_object()) response.value().as_object().erase("content");
  }
  return head;
}

/// Adds the refusals of the server itself, which any path may return.
void add_refusals(json::Object& operation) {
  json::Object& responses = operation["responses"].as_object();
  for (const auto& [status, name] :
       {std::pair("405", "MethodNotAllowed"), std::pair("413", "ContentTooLarge"),
        std::pair("429", "TooManyRequests")}) {
    responses[status] = json::Object{{"$ref", "#/components/responses/" + std::string(name)}};
  }
}

/// Returns the parts of the path as parameters, which every method has.
json::Array path_parameters(const json::Object& get) {
  json::Array parameters;
  for (const json::Value& parameter : get.at("parameters").as_array()) {
    if (json::find_string(parameter, "in") == "path") parameters.push_back(parameter);
  }
  return parameters;
}

json::Object options_of(const json::Object& get) {
  json::Object answer{{"description", "Which methods there are (Allow), and the answer to CORS preflights."}};
  return {
      {"operationId", std::string(get.at("operationId").as_string()) + "Options"},
      {"summary", "Methods of this path."},
      {"parameters", path_parameters(get)},
      {"responses", json::Object{{"204", std::move(answer)},
                                 {"401", json::Object{{"$ref", "#/components/responses/Unauthorized"}}}}}};
}

}  // namespace

std::string openapi_text(const std::string& path_prefix) {
  json::Value document = json::parse(openapi_template).value();
  json::Object paths;
  for (auto& entry : document.as_object()["paths"].as_object()) {
    json::Object& item = entry.value().as_object();
    const json::Object& get = item["get"].as_object();
    json::Object head = head_of(get);
    json::Object options = options_of(get);
    for (json::Object* operation : {&item["get"].as_object(), &head, &options}) add_refusals(*operation);
    item["head"] = std::move(head);
    item["options"] = std::move(options);
    paths[path_prefix + std::string(std::string_view(entry.key()))] = item;
  }
  document.as_object()["paths"] = std::move(paths);
  return json::to_text(document);
}

}  // namespace fairway::updateservice
