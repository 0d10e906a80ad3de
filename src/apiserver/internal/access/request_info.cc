// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/request_info.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace fairway::apiserver::access {

namespace {

std::string_view verb_of(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return {};
}

/// Returns the only name that a list or watch asks for: a right to that name (`resourceNames`) is enough for
/// it.
std::string selected_name(const k8s::FieldSelector& selector) {
  for (const k8s::FieldRequirement& requirement : selector.requirements()) {
    if (requirement.equals && requirement.path == "metadata.name") return requirement.value;
  }
  return {};
}

/// Reads the options of a read of a collection, and sets the verb in the attributes. Options that cannot be
/// read are refused later, by the handler. Here they count as a list of everything, the most that they could
/// ask for.
void read_collection(RequestInfo& info) {
  info.attributes.verb = "list";
  if (!info.query) return;
  info.collection = k8s::parse_list_options(*info.query);
  if (!*info.collection) return;
  const CollectionOptions& options = **info.collection;
  if (const auto* watch = std::get_if<k8s::WatchOptions>(&options)) {
    info.attributes.verb = "watch";
    info.attributes.name = selected_name(watch->fields);
  } else {
    info.attributes.name = selected_name(std::get<k8s::ListOptions>(options).fields);
  }
}

}  // namespace

RequestInfo RequestInfo::read(std::string_view method, std::string_view path, std::string_view query) {
  RequestInfo info{.attributes = {},
                   .path = k8s::ApiPath::parse(path),
                   .query = k8s::Query::parse(query),
                   .collection = std::nullopt};
  if (!info.path) return info;
  Attributes& attributes = info.attributes;
  attributes.path = path;
  if (info.path->kind != k8s::ApiPath::Kind::resource) {
    attributes.verb = to_lower(method);
    return info;
  }
  const k8s::ResourcePath& asked = info.path->resource;
  attributes.is_resource = true;
  attributes.namespace_name = asked.access_namespace();
  attributes.group = asked.resource.group;
  attributes.version = asked.resource.version;
  attributes.resource = asked.resource.resource;
  attributes.subresource = asked.subresource;
  attributes.name = asked.name;
  const std::string_view verb = verb_of(method);
  if (verb.empty()) {
    attributes.verb = to_lower(method);
  } else if (!asked.name.empty()) {
    attributes.verb = verb;
  } else if (verb == "get") {
    read_collection(info);
  } else {
    attributes.verb = verb == "delete" ? "deletecollection" : verb;
  }
  return info;
}

std::shared_ptr<const RequestInfo> request_info(const http::Request& request) {
  if (request.context) return std::static_pointer_cast<const RequestInfo>(request.context);
  return std::make_shared<const RequestInfo>(RequestInfo::read(request.method, request.path, request.query));
}

}  // namespace fairway::apiserver::access
