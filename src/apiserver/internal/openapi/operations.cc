// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/openapi/operations.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace fairway::apiserver::openapi {
namespace {

struct Verb {
  std::string_view verb, method;
  /// Member `x-kubernetes-action`, and the first word of operationId.
  std::string_view action, word;
};
constexpr std::array item_verbs{Verb{"get", "get", "get", "read"}, Verb{"update", "put", "put", "replace"},
                                Verb{"patch", "patch", "patch", "patch"},
                                Verb{"delete", "delete", "delete", "delete"}};
constexpr std::array collection_verbs{
    Verb{"list", "get", "list", "list"}, Verb{"create", "post", "post", "create"},
    Verb{"deletecollection", "delete", "deletecollection", "deletecollection"}};

constexpr std::array<std::string_view, 4> patch_types{
    "application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml",
    "application/strategic-merge-patch+json"};

std::string capitalized(std::string_view word) {
  std::string text(word);
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// Returns the group and version for operationId: "AppsV1", "ExampleComV1".
std::string title_of(const k8s::GroupVersionKind& kind) {
  std::string_view group = kind.group.empty() ? std::string_view("core") : std::string_view(kind.group);
  if (group.ends_with(".k8s.io")) group.remove_suffix(std::string_view(".k8s.io").size());
  std::string title;
  const auto add = [&](std::string_view word) {
    if (word.empty()) return;
    title += capitalized(word);
  };
  for (const std::string_view word : split(group, '.')) add(word);
  add(kind.version);
  return title;
}

std::vector<std::pair<std::string_view, std::string_view>> query_of(std::string_view verb) {
  using Parameters = std::vector<std::pair<std::string_view, std::string_view>>;
  Parameters selection{{"allowWatchBookmarks", "boolean"},
                       {"continue", "string"},
                       {"fieldSelector", "string"},
                       {"labelSelector", "string"},
                       {"limit", "integer"},
                       {"resourceVersion", "string"},
                       {"resourceVersionMatch", "string"},
                       {"sendInitialEvents", "boolean"},
                       {"timeoutSeconds", "integer"},
                       {"watch", "boolean"}};
  Parameters deletion{{"dryRun", "string"},
                      {"gracePeriodSeconds", "integer"},
                      {"orphanDependents", "boolean"},
                      {"propagationPolicy", "string"}};
  if (verb == "list") return selection;
  if (verb == "delete") return deletion;
  if (verb == "deletecollection") {
    Parameters both = selection;
    std::erase_if(both,
                  [](const auto& one) { return one.first == "watch" || one.first == "allowWatchBookmarks"; });
    both.insert(both.end(), deletion.begin(), deletion.end());
    return both;
  }
  if (verb == "get") return {};
  Parameters write{{"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}};
  if (verb == "patch") write.emplace_back("force", "boolean");
  return write;
}

/// Writes the operations of one resource.
class Paths {
 public:
  Paths(Dialect dialect, const resources::ServedResource& resource, Schemas& schemas, json::Object& paths)
      : dialect_(dialect), resource_(resource), schemas_(schemas), paths_(paths) {}

  void add() {
    const k8s::GroupVersionKind& kind = resource_.kind;
    const std::string root =
        kind.group.empty() ? "/api/" + kind.version + "/" : "/apis/" + kind.group + "/" + kind.version + "/";
    const std::string base = root + (resource_.is_namespaced() ? "namespaces/{namespace}/" : "");
    add_path(base + resource_.plural, collection_verbs, "", "");
    if (resource_.is_namespaced()) {
      add_path(root + resource_.plural, std::span(collection_verbs).first(1), "", "ForAllNamespaces");
    }
    add_path(base + resource_.plural + "/{name}", item_verbs, "", "");
    for (const resources::Subresource& subresource : resource_.subresources) {
      constexpr std::array verbs{item_verbs[0], item_verbs[1], item_verbs[2], item_verbs[3],
                                 collection_verbs[1]};
      add_path(base + resource_.plural + "/{name}/" + subresource.name, verbs, subresource.name, "");
    }
  }

 private:
  void add_path(const std::string& path, std::span<const Verb> verbs, std::string_view subresource,
                std::string_view suffix) {
    json::Object item;
    for (const Verb& verb : verbs) {
      const resources::Subresource* part = resource_.find_subresource(subresource);
      const auto& allowed = part == nullptr ? resource_.verbs : part->verbs;
      if (std::ranges::find(allowed, verb.verb) == allowed.end()) continue;
      item[verb.method] = operation(verb, part, suffix);
    }
    if (item.empty()) return;
    json::Array parameters;
    for (const std::string_view name : {"name", "namespace"}) {
      if (path.find("{" + std::string(name) + "}") != std::string::npos) {
        parameters.push_back(parameter(name, "path", "string"));
      }
    }
    parameters.push_back(parameter("pretty", "query", "string"));
    item["parameters"] = std::move(parameters);
    paths_[path] = std::move(item);
  }

  json::Object parameter(std::string_view name, std::string_view in, std::string_view type) const {
    json::Object made{{"name", name}, {"in", in}};
    if (in == "path") made["required"] = true;
    if (dialect_ == Dialect::v3) {
      made["schema"] = json::Object{{"type", type}, {"uniqueItems", true}};
    } else {
      made["type"] = type;
      made["uniqueItems"] = true;
    }
    return made;
  }

  json::Object schema_of(const k8s::GroupVersionKind& kind) {
    if (!resource_.is_custom || kind != resource_.kind) return schemas_.built_in(kind);
    return schemas_.custom(resource_);
  }

  json::Object schema_of_list() {
    if (resource_.is_custom) return schemas_.custom_list(resource_);
    return schemas_.built_in(resource_.list_kind());
  }

  json::Object operation(const Verb& verb, const resources::Subresource* part, std::string_view suffix) {
    const k8s::GroupVersionKind& kind = part == nullptr ? resource_.kind : part->kind;
    std::string id = std::string(verb.word) + title_of(resource_.kind);
    if (verb.action == "deletecollection") id = "delete" + title_of(resource_.kind) + "Collection";
    if (resource_.is_namespaced() && suffix.empty()) id += "Namespaced";
    id += resource_.kind.kind;
    if (part != nullptr) id += capitalized(part->name);
    id += suffix;
    json::Array parameters;
    for (const auto& [name, type] : query_of(verb.verb)) parameters.push_back(parameter(name, "query", type));
    json::Object made{{"operationId", id}};
    add_body(verb, kind, made, parameters);
    // Kubernetes's own readers leave an empty list out when they write a document again.
    if (!parameters.empty()) made["parameters"] = std::move(parameters);
    made["responses"] = responses(verb, kind);
    made["x-kubernetes-action"] = verb.action;
    made["x-kubernetes-group-version-kind"] =
        json::Object{{"group", kind.group}, {"kind", kind.kind}, {"version", kind.version}};
    return made;
  }

  void add_body(const Verb& verb, const k8s::GroupVersionKind& kind, json::Object& operation,
                json::Array& parameters) {
    const bool deletes = verb.method == "delete";
    if (verb.method == "get") return;
    json::Object schema = verb.verb == "patch" ? schemas_.patch()
                          : deletes            ? schemas_.built_in({"", "v1", "DeleteOptions"})
                                               : schema_of(kind);
    std::vector<std::string_view> types{"*/*"};
    if (verb.verb == "patch") {
      types.assign(patch_types.begin(), patch_types.end());
      if (resource_.patch_schema == nullptr) types.pop_back();
    }
    if (dialect_ == Dialect::v2) {
      json::Array consumes;
      for (const std::string_view type : types) consumes.emplace_back(type);
      operation["consumes"] = std::move(consumes);
      json::Object body{{"name", "body"}, {"in", "body"}, {"schema", std::move(schema)}};
      if (!deletes) body["required"] = true;
      parameters.insert(parameters.begin(), json::Value(std::move(body)));
      return;
    }
    json::Object content;
    for (const std::string_view type : types) content[type] = json::Object{{"schema", schema}};
    operation["requestBody"] = json::Object{{"content", std::move(content)}};
    if (!deletes) operation["requestBody"].as_object()["required"] = true;
  }

  json::Object responses(const Verb& verb, const k8s::GroupVersionKind& kind) {
    const bool deletes = verb.method == "delete";
    const json::Object schema = verb.verb == "list" ? schema_of_list()
                                : deletes           ? schemas_.built_in({"", "v1", "Status"})
                                                    : schema_of(kind);
    const auto response = [&](std::string_view description) {
      json::Object made{{"description", description}};
      if (dialect_ == Dialect::v3) {
        made["content"] = json::Object{{"application/json", json::Object{{"schema", schema}}}};
      } else {
        made["schema"] = schema;
      }
      return made;
    };
    json::Object made{{"200", response("OK")}};
    if (verb.method == "post" || verb.method == "put" || verb.method == "patch") {
      made["201"] = response("Created");
    }
    if (verb.method == "post" || verb.verb == "delete") made["202"] = response("Accepted");
    made["401"] = json::Object{{"description", "Unauthorized"}};
    return made;
  }

  Dialect dialect_;
  const resources::ServedResource& resource_;
  Schemas& schemas_;
  json::Object& paths_;
};

}  // namespace

void add_paths(Dialect dialect, const resources::ServedResource& resource, Schemas& schemas,
               json::Object& paths) {
  Paths(dialect, resource, schemas, paths).add();
}

}  // namespace fairway::apiserver::openapi
