// SPDX-License-Identifier: Apache-2.0

// Objects as the server writes them.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/internal/resources/served_resource.h"
#include "apiserver/internal/resources/stored_object.h"
#include "apiserver/internal/storage/record.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/list.h"

namespace fairway::apiserver::objects {

/// Returns compact JSON with the members in the order of kube-apiserver: kind, apiVersion, metadata, then the
/// others as they are. Members of metadata have the order of Go's ObjectMeta, without null and empty ones.
/// `resource_version` replaces the object's own; empty: there is none.
std::string to_text(const k8s::Dynamic& object, std::string_view resource_version);

/// Returns the text of an object with an empty resourceVersion, for `storage::Body`, which puts the revision
/// there.
std::string to_stored_text(const k8s::Dynamic& object);

/// Returns an object in the version of a resource. It is the stored text itself if that has the version and
/// satisfies the rules of today; otherwise it is made once for each record, also by a webhook. The text lives
/// as long as the record.
k8s::StatusResult<const std::string*> text_in_version(const storage::Record& record,
                                                      const resources::ServedResource& resource);
/// Returns an object in the version of a resource, parsed. What a webhook has answered for this record is
/// kept.
k8s::StatusResult<k8s::Dynamic> object_in_version(const storage::Record& record,
                                                  const resources::ServedResource& resource);
/// Returns an object in the version of a resource, parsed, as a webhook answers now: for writes.
k8s::StatusResult<k8s::Dynamic> object_converted_now(const storage::Record& record,
                                                     const resources::ServedResource& resource);

/// Returns a record of the same object for which a webhook has not been asked yet: a copy if the object takes
/// a webhook to be read by this resource, otherwise `record`. kube-apiserver converts what it reads from etcd
/// for a get or a list each time, and once what its watch cache holds.
storage::RecordPtr to_be_asked_again(storage::RecordPtr record, const resources::ServedResource& resource);

/// Appends an object to the list that `writer` writes to `body`, without kind and apiVersion if the resource
/// is a built-in one: its lists say for all items what they are. Those of custom resources keep theirs, as in
/// kube-apiserver. `text` is an object in the version of the resource.
void append_item(k8s::ListWriter& writer, std::string& body, std::string_view text,
                 const resources::ServedResource& resource);

/// Returns whether a write of the object as it is would store the same text.
bool is_as_written_today(const storage::Record& record, const resources::ServedResource& resource);

}  // namespace fairway::apiserver::objects
