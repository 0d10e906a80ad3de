#include "apiserver/access/internal/attributes.h"

#include <variant>

#include "base/text.h"
#include "k8s/field_selector.h"
#include "k8s/wire/options.h"
#include "k8s/wire/query.h"
#include "k8s/wire/resource_path.h"

namespace fairway::apiserver::access {

namespace {

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

/// The one name that a list or watch asks for, as a right to that name (`resourceNames`) is enough for it.
std::string selected_name(const k8s::FieldSelector& selector) {
  for (const k8s::FieldRequirement& requirement : selector.requirements()) {
    if (requirement.equals && requirement.path == "metadata.name") return requirement.value;
  }
  return {};
}

std::string_view verb_of(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return {};
}

/// Of a request to a collection, whose verb by its method is `verb`. What cannot be read is refused later, by
/// whoever answers: it counts as a list of everything here, the most that it could be.
void set_collection_verb(Attributes& attributes, std::string_view verb, std::string_view query) {
  if (verb == "delete") {
    attributes.verb = "deletecollection";
    return;
  }
  attributes.verb = verb;
  if (verb != "get") return;
  attributes.verb = "list";
  const auto parsed = k8s::Query::parse(query);
  if (!parsed) return;
  const auto options = k8s::parse_list_options(*parsed);
  if (!options) return;
  if (const auto* watch = std::get_if<k8s::WatchOptions>(&*options)) {
    attributes.verb = "watch";
    attributes.name = selected_name(watch->fields);
  } else {
    attributes.name = selected_name(std::get<k8s::ListOptions>(*options).fields);
  }
}

}  // namespace

std::string Attributes::combined_resource() const {
  return subresource.empty() ? resource : resource + "/" + subresource;
}

std::string Attributes::refusal(std::string_view user, std::string_view reason) const {
  std::string text = "User " + in_quotes(user) + " cannot " + verb;
  if (is_resource) {
    text += " resource " + in_quotes(combined_resource()) + " in API group " + in_quotes(group);
    text +=
        namespace_name.empty() ? " at the cluster scope" : " in the namespace " + in_quotes(namespace_name);
  } else {
    text += " path " + in_quotes(path);
  }
  if (!reason.empty()) text += ": " + std::string(reason);
  return text;
}

k8s::StatusResult<Attributes> attributes_of(std::string_view method, std::string_view path,
                                            std::string_view query) {
  auto parsed = k8s::ApiPath::parse(path);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  Attributes attributes;
  attributes.path = path;
  if (parsed->kind != k8s::ApiPath::Kind::resource) {
    attributes.verb = to_lower(method);
    return attributes;
  }
  k8s::ResourcePath& asked = parsed->resource;
  attributes.is_resource = true;
  attributes.namespace_name = asked.access_namespace();
  attributes.group = std::move(asked.resource.group);
  attributes.version = std::move(asked.resource.version);
  attributes.resource = std::move(asked.resource.resource);
  attributes.subresource = std::move(asked.subresource);
  attributes.name = std::move(asked.name);
  const std::string_view verb = verb_of(method);
  if (verb.empty()) {
    attributes.verb = to_lower(method);
  } else if (attributes.name.empty()) {
    set_collection_verb(attributes, verb, query);
  } else {
    attributes.verb = verb;
  }
  return attributes;
}

}  // namespace fairway::apiserver::access
