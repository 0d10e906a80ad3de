// The forms in which clients ask for objects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apiserver/internal/resources/served_resource.h"
#include "apiserver/internal/storage/record.h"
#include "apiserver/internal/storage/watch.h"
#include "base/clock.h"
#include "http/message.h"
#include "k8s/group_version.h"
#include "k8s/status.h"
#include "k8s/wire/list.h"
#include "k8s/wire/watch_event.h"

namespace fairway::apiserver {

/// What the rows of a Table hold of their objects: `includeObject`.
enum class IncludeObject { none, metadata, object };

/// The objects of one resource as they are, as PartialObjectMetadata, or as rows of a Table. What is made of
/// a record or an event is kept with it, for all who ask for the same; rows of lists are not, since they show
/// ages.
class ObjectForm {
 public:
  /// `as` is empty for the objects themselves. `clock`, which must outlive this, is for ages.
  ObjectForm(ServedResourcePtr resource, const k8s::GroupVersionKind& as, IncludeObject include,
             const Clock& clock);

  const ServedResource& resource() const { return *resource_; }
  bool is_plain() const { return as_.kind.empty(); }

  /// One object: the reply to a get.
  k8s::StatusResult<http::Bytes> document(const storage::RecordPtr& record) const;
  /// The same of an object that is in the version of the resource: the reply to a write.
  http::Bytes document(k8s::Dynamic object) const;
  /// A list, whose `head` has no items.
  k8s::StatusResult<http::Bytes> list(const k8s::ObjectList& head,
                                      const std::vector<storage::RecordPtr>& records) const;

  // Lines of a watch. `first`: none has been sent to this client; a Table defines its columns there.

  /// Serialised once for each event and type; a large object is not copied.
  k8s::StatusResult<void> append_frame(std::vector<http::Bytes>& pieces, const storage::Event& event,
                                       k8s::WatchEvent::Type type, bool first) const;
  /// Where the event's object leaves what is selected: DELETED, with the state before and the version of the
  /// event.
  k8s::StatusResult<http::Bytes> frame_of_leaving(const storage::Event& event, bool first) const;
  /// ADDED, of an object that is there when the watch begins. A large one is not copied: `lines` become a
  /// piece, and the object's text another one.
  k8s::StatusResult<void> append_initial(std::vector<http::Bytes>& pieces, std::string& lines,
                                         const storage::RecordPtr& record, bool first) const;
  void append_bookmark(std::string& lines, storage::Revision revision, bool ends_initial, bool first) const;

 private:
  k8s::GroupVersionKind list_kind() const;
  bool is_table() const;
  /// The JSON of a record that is not shown in a Table; it lives as long as the record.
  k8s::StatusResult<const std::string*> text(const storage::Record& record) const;
  /// Appends one object, in a Table of its own if they are asked for.
  k8s::StatusResult<void> append(std::string& out, const storage::Record& record, bool columns) const;
  void append_table(std::string& out, k8s::Dynamic object, bool columns, bool is_bookmark = false) const;
  /// Appends an event with the text of a record, which the piece keeps.
  static void append_shared(std::vector<http::Bytes>& pieces, std::string lines, k8s::WatchEvent::Type type,
                            const storage::RecordPtr& record, const std::string& text, std::string& rest);
  k8s::StatusResult<http::Bytes> frame(const storage::Event& event, k8s::WatchEvent::Type type,
                                       bool first) const;
  k8s::StatusResult<http::Bytes> make_frame(k8s::WatchEvent::Type type, const storage::Record& record,
                                            bool first) const;

  ServedResourcePtr resource_;
  /// Of what is asked for, and of one object: PartialObjectMetadata where that or its list is asked for.
  k8s::GroupVersionKind as_, kind_;
  IncludeObject include_;
  const Clock* clock_;
  std::uint64_t tag_ = 0;
};

}  // namespace fairway::apiserver
