// SPDX-License-Identifier: Apache-2.0

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

namespace fairway::apiserver::watch {

/// The part of their objects that the rows of a Table include: `includeObject`.
enum class IncludeObject { none, metadata, object };

/// The encoding of objects on the wire.
enum class Encoding : std::uint8_t { json, protobuf };

/// The objects of one resource as they are, as PartialObjectMetadata, or as rows of a Table. Texts made from
/// a record or an event are cached with it, for all clients that ask for the same. Rows of lists are not,
/// since they show ages.
class ObjectForm {
 public:
  /// Makes a form. `as` is empty for the objects themselves. `clock`, which must outlive this, is for ages.
  /// There is protobuf of built-in kinds and of PartialObjectMetadata, not of Tables.
  ObjectForm(resources::ServedResourcePtr resource, const k8s::GroupVersionKind& as, IncludeObject include,
             const Clock& clock, Encoding encoding = Encoding::json);

  const resources::ServedResource& resource() const { return *resource_; }
  bool is_plain() const { return as_.kind.empty(); }
  Encoding encoding() const { return encoding_; }

  /// Returns one object: the reply to a get.
  k8s::StatusResult<http::Bytes> document(const storage::RecordPtr& record) const;
  /// Returns an object that is in the version of the resource, in JSON: the reply to a write.
  http::Bytes document(k8s::Dynamic object) const;
  /// Returns a list, whose `head` has no items.
  k8s::StatusResult<http::Bytes> list(const k8s::ObjectList& head,
                                      const std::vector<storage::RecordPtr>& records) const;

  // Lines of a watch, which are frames with a length in protobuf. `first`: none has been sent to this client;
  // a Table defines its columns there.

  /// Appends the line of an event. It is serialised once for each event and type; a large object is not
  /// copied.
  k8s::StatusResult<void> append_frame(std::vector<http::Bytes>& pieces, const storage::Event& event,
                                       k8s::WatchEvent::Type type, bool first) const;
  /// Returns the line of an event whose object leaves the selection: DELETED, with the state before and the
  /// version of the event.
  k8s::StatusResult<http::Bytes> frame_of_leaving(const storage::Event& event, bool first) const;
  /// Appends ADDED for an object that exists when the watch begins. A large one is not copied: `lines` become
  /// a piece, and the object's text another one.
  k8s::StatusResult<void> append_initial(std::vector<http::Bytes>& pieces, std::string& lines,
                                         const storage::RecordPtr& record, bool first) const;
  void append_bookmark(std::string& lines, storage::Revision revision, bool ends_initial, bool first) const;
  /// Appends the ERROR event, which ends a watch.
  void append_error(std::string& lines, const k8s::Status& status) const;
  /// Returns whether a piece of a watch ends with a whole event.
  bool ends_event(std::string_view piece) const {
    return encoding_ == Encoding::protobuf || piece.ends_with('\n');
  }

 private:
  k8s::GroupVersionKind list_kind() const;
  bool is_table() const;
  /// Returns the JSON of a record that is not shown in a Table; it lives as long as the record.
  k8s::StatusResult<const std::string*> text(const storage::Record& record) const;
  /// Returns the message of a record in protobuf.
  k8s::StatusResult<std::string> make_message(const storage::Record& record) const;
  /// Returns the same message, which is kept with the record.
  k8s::StatusResult<const std::string*> message(const storage::Record& record) const;
  k8s::StatusResult<http::Bytes> protobuf_list(const k8s::ObjectList& head,
                                               const std::vector<storage::RecordPtr>& records) const;
  /// Appends one object, in a Table of its own if Tables are asked for.
  k8s::StatusResult<void> append(std::string& out, const storage::Record& record, bool columns) const;
  void append_table(std::string& out, k8s::Dynamic object, bool columns, bool is_bookmark = false) const;
  /// Appends an event with the text of a record, which the piece keeps.
  static void append_shared(std::vector<http::Bytes>& pieces, std::string lines, k8s::WatchEvent::Type type,
                            const storage::RecordPtr& record, const std::string& text, std::string& rest);
  k8s::StatusResult<http::Bytes> frame(const storage::Event& event, k8s::WatchEvent::Type type,
                                       bool first) const;
  k8s::StatusResult<http::Bytes> make_frame(k8s::WatchEvent::Type type, const storage::Record& record,
                                            bool first) const;

  resources::ServedResourcePtr resource_;
  /// Kind that is asked for, and that of one object: PartialObjectMetadata if that or its list is asked for.
  k8s::GroupVersionKind as_, kind_;
  IncludeObject include_;
  const Clock* clock_;
  Encoding encoding_;
  std::uint64_t tag_ = 0;
};

}  // namespace fairway::apiserver::watch
