// The forms in which clients ask for objects.
#pragma once

#include <cstdint>
#include <string>

#include "apiserver/resources/internal/served_resource.h"
#include "apiserver/storage/record.h"
#include "apiserver/storage/watch.h"
#include "http/message.h"
#include "k8s/group_version.h"
#include "k8s/status.h"
#include "k8s/wire/watch_event.h"

namespace fairway::apiserver {

/// The objects of one resource as they are, or as PartialObjectMetadata. What is made of a record or an event
/// is kept with it, for all who ask for the same.
class ObjectForm {
 public:
  /// `as` is empty for the objects themselves.
  ObjectForm(ServedResourcePtr resource, const k8s::GroupVersionKind& as);

  const ServedResource& resource() const { return *resource_; }
  /// "ConfigMapList", or "PartialObjectMetadataList".
  k8s::GroupVersionKind list_kind() const;
  /// Of the object of a bookmark.
  const k8s::GroupVersionKind& kind() const { return kind_; }
  bool is_plain() const { return as_.kind.empty(); }
  const k8s::GroupVersionKind& as() const { return as_; }

  /// The JSON of a record; it lives as long as the record.
  k8s::StatusResult<const std::string*> text(const storage::Record& record) const;
  /// One line of a watch: serialised once for each event and type.
  k8s::StatusResult<http::Bytes> frame(const storage::Event& event, k8s::WatchEvent::Type type) const;
  /// The line where the event's object leaves what is selected: DELETED, with the state before and the
  /// version of the event.
  k8s::StatusResult<http::Bytes> frame_of_leaving(const storage::Event& event) const;

 private:
  ServedResourcePtr resource_;
  k8s::GroupVersionKind as_, kind_;
  std::uint64_t tag_ = 0;
};

}  // namespace fairway::apiserver
