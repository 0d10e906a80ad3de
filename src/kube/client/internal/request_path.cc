#include "kube/client/internal/request_path.h"

#include "base/json.h"
#include "http/url.h"
#include "k8s/view.h"

namespace fairway::kube {

std::string resource_path(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                          std::string_view name, std::string_view subresource) {
  std::string path = resource.root_path();
  if (!namespace_name.empty()) path += "/namespaces/" + http::percent_encode(namespace_name);
  path += "/" + resource.resource;
  if (!name.empty()) path += "/" + http::percent_encode(name);
  if (!subresource.empty()) path += "/" + std::string(subresource);
  return path;
}

void Query::add(std::string_view name, std::string_view value) {
  if (!text_.empty()) text_ += '&';
  text_.append(name).append("=").append(http::percent_encode(value));
}

void Query::add(const ListOptions& options) {
  add_if_set("labelSelector", options.labels.to_string());
  add_if_set("fieldSelector", options.fields.to_string());
  if (options.limit > 0) add("limit", std::to_string(options.limit));
  add_if_set("continue", options.continue_token);
  // A continued list is of the version it began with, and servers refuse to be told another.
  if (options.continue_token.empty()) {
    add_if_set("resourceVersion", options.resource_version);
    add_if_set("resourceVersionMatch", options.resource_version_match);
  }
}

void Query::add(const WatchOptions& options) {
  add("watch", "true");
  add_if_set("labelSelector", options.labels.to_string());
  add_if_set("fieldSelector", options.fields.to_string());
  add_if_set("resourceVersion", options.resource_version);
  if (options.initial_events) {
    add("sendInitialEvents", "true");
    add("resourceVersionMatch", "NotOlderThan");
  }
  // The initial objects end with a bookmark.
  if (options.bookmarks || options.initial_events) add("allowWatchBookmarks", "true");
  if (options.timeout) add("timeoutSeconds", std::to_string(options.timeout->count()));
}

void Query::add(const WriteOptions& options) {
  add_if_set("fieldManager", options.field_manager);
  if (options.dry_run) add("dryRun", "All");
  add(options.validation);
}

void Query::add(FieldValidation validation) {
  switch (validation) {
    case FieldValidation::server_default:
      return;
    case FieldValidation::ignore:
      return add("fieldValidation", "Ignore");
    case FieldValidation::warn:
      return add("fieldValidation", "Warn");
    case FieldValidation::strict:
      return add("fieldValidation", "Strict");
  }
}

std::string delete_body(const DeleteOptions& options) {
  json::Object body;
  k8s::Editor editor(body);
  if (!options.uid.empty()) editor.set("preconditions.uid", options.uid);
  if (!options.resource_version.empty())
    editor.set("preconditions.resourceVersion", options.resource_version);
  if (options.grace_period) {
    editor.set("gracePeriodSeconds", static_cast<std::int64_t>(options.grace_period->count()));
  }
  switch (options.propagation) {
    case Propagation::server_default:
      break;
    case Propagation::foreground:
      editor.set("propagationPolicy", "Foreground");
      break;
    case Propagation::background:
      editor.set("propagationPolicy", "Background");
      break;
    case Propagation::orphan:
      editor.set("propagationPolicy", "Orphan");
      break;
  }
  if (options.dry_run) editor.array("dryRun").emplace_back("All");
  if (body.empty()) return "";
  editor.set("kind", "DeleteOptions");
  editor.set("apiVersion", "v1");
  return json::to_text(body);
}

}  // namespace fairway::kube
