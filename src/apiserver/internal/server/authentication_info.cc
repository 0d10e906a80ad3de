// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/server/authentication_info.h"

#include "base/log.h"

namespace fairway::apiserver::server {

Result<void> publish_authentication_info(objects::Objects& objects, const std::string& client_authority) {
  const resources::ServedResourcePtr config_maps = objects.registry().find({"", "v1", "configmaps"});
  const objects::WriteContext context{
      .user = {.name = "system:apiserver", .groups = {std::string(access::masters_group)}},
      .room = storage::Room::server};
  k8s::Dynamic wanted;
  wanted.set("kind", "ConfigMap");
  wanted.set("apiVersion", "v1");
  wanted.set_name("extension-apiserver-authentication");
  wanted.set_namespace_name("kube-system");
  wanted.set_entry("data", "client-ca-file", client_authority);
  const objects::Objects::UpdateRequest request{
      .key = wanted.key(), .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic changed = *current;
        changed.set_entry("data", "client-ca-file", client_authority);
        return changed;
      }};
  auto done = objects.update(*config_maps, request, context);
  if (!done && done.error().is_failure(k8s::reason::not_found)) {
    done = objects.create(*config_maps, wanted, context);
  }
  if (done) return {};
  if (done.error().is_failure(k8s::reason::invalid)) {
    // It is immutable: what somebody has made of it does not keep the server from starting.
    log::warning("the authority of client certificates could not be published",
                 {{"object", wanted.key().to_string()}, {"why", done.error().to_error().message}});
    return {};
  }
  return fail(done.error().to_error().within("publishing " + wanted.key().to_string()));
}

}  // namespace fairway::apiserver::server
