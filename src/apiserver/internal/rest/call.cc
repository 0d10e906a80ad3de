// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/call.h"

#include "apiserver/internal/access/attributes.h"
#include "apiserver/internal/protobuf/answer.h"
#include "base/quoted_text.h"
#include "http/web_socket.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

k8s::StatusResult<watch::IncludeObject> parse_include(std::string_view text) {
  if (text.empty() || text == "Metadata") return watch::IncludeObject::metadata;
  if (text == "None") return watch::IncludeObject::none;
  if (text == "Object") return watch::IncludeObject::object;
  return std::unexpected(k8s::answer::bad_request(
      "Unable to convert to Table as requested: includeObject: Invalid value: " + quote(text) +
      ": must be 'Metadata', 'Object', 'None', or empty"));
}

/// Returns whether the kind is that of an object's metadata.
bool is_metadata(const k8s::GroupVersionKind& as) {
  return k8s::is_table_or_metadata(as) && as.kind != k8s::representation::table;
}

}  // namespace

bool Call::pretty() const {
  const auto asked = query.find("pretty");
  return asked && *asked != "0" && *asked != "false";
}

bool Call::may_be_protobuf() const {
  // A definition may have the group and the kind of a message.
  return !resource->is_custom && protobuf::has_messages(resource->kind);
}

std::vector<std::string> Call::all_warnings() const {
  std::vector<std::string> all;
  if (!resource->deprecation.empty()) all.push_back(resource->deprecation);
  all.insert(all.end(), warnings.begin(), warnings.end());
  all.insert(all.end(), notes.warnings.begin(), notes.warnings.end());
  return all;
}

k8s::StatusResult<void> authorize_create(const Services& services, const Call& call) {
  access::Attributes attributes;
  attributes.verb = "create";
  attributes.is_resource = true;
  attributes.group = call.resource->kind.group;
  attributes.version = call.resource->kind.version;
  attributes.resource = call.resource->plural;
  attributes.subresource = call.path.subresource;
  attributes.namespace_name = call.path.access_namespace();
  attributes.name = call.path.name;
  attributes.path = call.http.path;
  const access::Decision decision = services.extensions.authorize(call.user, attributes);
  if (decision.allowed) return {};
  return std::unexpected(k8s::answer::forbidden(call.resource->group_resource(), call.path.name,
                                                attributes.refusal(call.user.name, decision.reason)));
}

k8s::StatusResult<std::shared_ptr<const watch::ObjectForm>> negotiate_form(const Call& call, bool stream) {
  const bool in_text = stream && http::asks_for_web_socket(call.http);
  const auto in_protobuf = [&](const k8s::GroupVersionKind& as) {
    if (in_text) return false;
    return as.kind.empty() ? call.may_be_protobuf() : as.kind != k8s::representation::table;
  };
  // There are no Tables of what is answered and not stored: reviews, tokens, evictions, bindings.
  const std::string_view part = call.path.subresource;
  const bool has_tables = (call.resource->has_verb("get") || call.resource->has_verb("list")) &&
                          part != "token" && part != "eviction" && part != "binding";
  auto found = k8s::negotiate(call.http.headers_joined("Accept"),
                              has_tables ? &k8s::is_table_or_metadata : &is_metadata, stream, in_protobuf);
  if (!found) return std::unexpected(found.error());
  auto include = watch::IncludeObject::metadata;
  if (found->as.kind == k8s::representation::table) {
    const auto asked = parse_include(call.query.find("includeObject").value_or(""));
    if (!asked) return std::unexpected(asked.error());
    include = *asked;
  }
  const auto encoding = found->protobuf ? watch::Encoding::protobuf : watch::Encoding::json;
  return std::make_shared<const watch::ObjectForm>(call.resource, found->as, include, call.clock, encoding);
}

}  // namespace fairway::apiserver::rest
