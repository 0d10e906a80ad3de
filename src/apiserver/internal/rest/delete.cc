// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/body.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/verbs.h"
#include "k8s/wire/list.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

/// Reads the options of a delete, from a body of any media type, or the query.
k8s::StatusResult<k8s::DeleteOptions> read_options(Call& call) {
  if (call.http.body.empty()) return k8s::parse_delete_options(call.query, "");
  const auto body = read_value(call, {"", "v1", "DeleteOptions"});
  if (!body) return std::unexpected(body.error());
  return k8s::parse_delete_options(call.query, json::to_text(*body));
}

}  // namespace

VerbResult remove(const Services& services, Call& call) {
  const auto options = read_options(call);
  if (!options) return std::unexpected(options.error());
  const auto write =
      begin_write(services, call, call.resource->kind, {.field_manager = {}, .dry_run = options->dry_run});
  if (!write) return std::unexpected(write.error());
  const auto outcome = services.objects.remove(*call.resource, call.key(), *options, write->context);
  if (!outcome) return std::unexpected(outcome.error());
  if (!outcome->gone && options->orphan_dependents == false) {
    return reply_json(call, 202, outcome->text);
  }
  return reply_outcome(call, *outcome);
}

VerbResult remove_collection(const Services& services, Call& call) {
  auto which = k8s::parse_delete_collection_options(call.query);
  if (!which) return std::unexpected(which.error());
  const auto options = read_options(call);
  if (!options) return std::unexpected(options.error());
  const auto selection =
      objects::Selection::of(call.resource, std::move(which->labels), std::move(which->fields));
  if (!selection) return std::unexpected(selection.error());
  auto all = services.objects.storage().list(
      {.resource = call.resource->storage, .namespace_name = call.path.namespace_name});
  if (!all) return std::unexpected(resources::status_of(all.error()));
  const auto write =
      begin_write(services, call, call.resource->kind, {.field_manager = {}, .dry_run = options->dry_run});
  if (!write) return std::unexpected(write.error());
  k8s::ObjectList head;
  head.resource_version = std::to_string(all->revision);
  std::string body;
  k8s::ListWriter writer(body, call.resource->list_kind(), head);
  for (const storage::RecordPtr& record : all->records) {
    if (!selection->matches(*record)) continue;
    const k8s::Key key{std::string(record->namespace_name()), std::string(record->name())};
    const auto outcome = services.objects.remove(*call.resource, key, *options, write->context);
    // Somebody else was faster.
    if (!outcome && outcome.error().is_failure(k8s::reason::not_found)) continue;
    if (!outcome) return std::unexpected(outcome.error());
    const auto text = objects::text_in_version(*record, *call.resource);
    if (!text) return std::unexpected(text.error());
    objects::append_item(writer, body, **text, *call.resource);
  }
  writer.end();
  return reply_json(call, 200, http::make_bytes(std::move(body)));
}

}  // namespace fairway::apiserver::rest
