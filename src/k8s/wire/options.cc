// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/options.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "k8s/view.h"
#include "k8s/wire/status_errors.h"

namespace fairway::k8s {

namespace {

std::string_view name_of(FieldValidation validation) {
  switch (validation) {
    case FieldValidation::server_default:
      return "";
    case FieldValidation::ignore:
      return "Ignore";
    case FieldValidation::warn:
      return "Warn";
    case FieldValidation::strict:
      return "Strict";
  }
  return "";
}

std::string_view name_of(Propagation propagation) {
  switch (propagation) {
    case Propagation::server_default:
      return "";
    case Propagation::foreground:
      return "Foreground";
    case Propagation::background:
      return "Background";
    case Propagation::orphan:
      return "Orphan";
  }
  return "";
}

void add_selectors(Query& query, const LabelSelector& labels, const FieldSelector& fields) {
  query.add_if_set("labelSelector", labels.to_string());
  query.add_if_set("fieldSelector", fields.to_string());
}

void add_timeout(Query& query, const std::optional<std::chrono::seconds>& timeout) {
  if (timeout) query.add("timeoutSeconds", std::to_string(timeout->count()));
}

}  // namespace

std::string_view content_type(PatchType type) {
  switch (type) {
    case PatchType::json:
      return "application/json-patch+json";
    case PatchType::merge:
      return "application/merge-patch+json";
    case PatchType::strategic:
      return "application/strategic-merge-patch+json";
    case PatchType::apply:
      return "application/apply-patch+yaml";
  }
  return "";
}

StatusResult<PatchType> parse_patch_type(std::string_view header, const std::vector<PatchType>& offered) {
  const std::string type = to_lower(trim(header.substr(0, header.find(';'))));
  std::vector<std::string_view> names;
  for (const PatchType one : offered) {
    if (content_type(one) == type) return one;
    names.push_back(content_type(one));
  }
  return std::unexpected(answer::unsupported_media_type(names));
}

Query to_query(const GetOptions& options) {
  Query query;
  query.add_if_set("resourceVersion", options.resource_version);
  return query;
}

Query to_query(const ListOptions& options) {
  Query query;
  add_selectors(query, options.labels, options.fields);
  if (options.limit != 0) query.add("limit", std::to_string(options.limit));
  query.add_if_set("continue", options.continue_token);
  // A continued list is of the version it began with, and servers refuse to be given another.
  if (options.continue_token.empty()) {
    query.add_if_set("resourceVersion", options.resource_version);
    query.add_if_set("resourceVersionMatch", options.resource_version_match);
  }
  add_timeout(query, options.timeout);
  return query;
}

Query to_query(const WatchOptions& options) {
  Query query;
  query.add("watch", "true");
  add_selectors(query, options.labels, options.fields);
  query.add_if_set("resourceVersion", options.resource_version);
  if (options.initial_events) {
    query.add("sendInitialEvents", *options.initial_events ? "true" : "false");
    query.add("resourceVersionMatch", "NotOlderThan");
  }
  if (options.bookmarks) query.add("allowWatchBookmarks", "true");
  add_timeout(query, options.timeout);
  return query;
}

Query to_query(const WriteOptions& options) {
  Query query;
  query.add_if_set("fieldManager", options.field_manager);
  if (options.dry_run) query.add("dryRun", "All");
  query.add_if_set("fieldValidation", name_of(options.validation));
  return query;
}

Query to_query(const ApplyOptions& options) {
  Query query = to_query(WriteOptions{
      .field_manager = options.field_manager, .dry_run = options.dry_run, .validation = options.validation});
  if (options.force) query.add("force", *options.force ? "true" : "false");
  return query;
}

std::string to_body(const DeleteOptions& options) {
  json::Object body;
  Editor editor(body);
  if (!options.uid.empty()) editor.set("preconditions.uid", options.uid);
  if (!options.resource_version.empty())
    editor.set("preconditions.resourceVersion", options.resource_version);
  if (options.grace_period) {
    editor.set("gracePeriodSeconds", static_cast<std::int64_t>(options.grace_period->count()));
  }
  if (options.orphan_dependents) editor.set("orphanDependents", json::Value(*options.orphan_dependents));
  if (options.propagation != Propagation::server_default) {
    editor.set("propagationPolicy", name_of(options.propagation));
  }
  if (options.dry_run) editor.array("dryRun").emplace_back("All");
  if (body.empty()) return "";
  editor.set("kind", "DeleteOptions");
  editor.set("apiVersion", "v1");
  return json::to_text(body);
}

}  // namespace fairway::k8s
