// SPDX-License-Identifier: Apache-2.0

// One request for a resource, on its way through the server.
#pragma once

#include <string>
#include <vector>

#include "apiserver/internal/access/request_info.h"
#include "apiserver/internal/access/user.h"
#include "apiserver/internal/admission/attributes.h"
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/resources/served_resource.h"
#include "apiserver/internal/rest/extensions.h"
#include "apiserver/internal/watch/object_form.h"
#include "apiserver/internal/watch/watch_hub.h"
#include "base/clock.h"
#include "http/message.h"
#include "k8s/wire/media_type.h"
#include "k8s/wire/query.h"
#include "k8s/wire/resource_path.h"

namespace fairway::apiserver::rest {

/// The parts of the server that all requests share.
struct Services {
  objects::Objects& objects;
  watch::WatchHub& watches;
  const Extensions& extensions;
};

struct Call {
  const http::Request& http;
  const access::RequestInfo& info;
  const k8s::Query& query;
  const k8s::ResourcePath& path;
  resources::ServedResourcePtr resource;
  access::User user;
  const Clock& clock;
  /// Warnings for the client, sent as `Warning` headers.
  std::vector<std::string> warnings;
  /// Duplicate keys of the YAML in the body: `line 4: key "a" already set in map`.
  std::vector<std::string> duplicate_keys = {};
  /// Notes of admission.
  admission::Notes notes = {};

  resources::Handler handler() const {
    return path.subresource.empty() ? resource->handler
                                    : resource->find_subresource(path.subresource)->handler;
  }
  k8s::Key key() const { return {path.namespace_name, path.name}; }
  resources::Part part() const {
    if (path.subresource == "approval") return resources::Part::approval;
    if (path.subresource == "ephemeralcontainers") return resources::Part::ephemeral_containers;
    if (path.subresource == "resize") return resources::Part::resize;
    return path.subresource == "status" ? resources::Part::status : resources::Part::object;
  }
  /// Returns whether replies are indented for people.
  bool pretty() const;
  /// Returns whether there is protobuf of what the resource answers: of built-in ones. As in kube-apiserver,
  /// there is none of the Scale of a custom resource.
  bool may_be_protobuf() const;
  /// All warnings: that of a deprecated version first, those of admission last.
  std::vector<std::string> all_warnings() const;
};

/// Checks whether the user may create the object that the request names, before an update or an apply creates
/// it. The Status is that of a create without the right to it.
k8s::StatusResult<void> authorize_create(const Services& services, const Call& call);

/// Returns the form that the client asks for. Errors (406): it accepts none of the available ones.
k8s::StatusResult<std::shared_ptr<const watch::ObjectForm>> negotiate_form(const Call& call,
                                                                           bool stream = false);

}  // namespace fairway::apiserver::rest
