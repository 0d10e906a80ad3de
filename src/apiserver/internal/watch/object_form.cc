// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/watch/object_form.h"

#include <functional>
#include <utility>

#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/protobuf/answer.h"
#include "apiserver/internal/protobuf/list_answer.h"
#include "apiserver/internal/table/table_text.h"
#include "k8s/wire/media_type.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::watch {
namespace {

using Frame = k8s::StatusResult<http::Bytes>;

/// Size from which a text is sent to all clients without a copy; copying a smaller one costs less.
constexpr std::size_t shared_bytes = std::size_t{32} << 10;

/// Returns the part of its object that a row includes.
std::string included(const k8s::Dynamic& object, IncludeObject include, const std::string& version) {
  if (include == IncludeObject::none) return "null";
  const std::string resource_version(object.resource_version());
  if (include == IncludeObject::object) return objects::to_text(object, resource_version);
  return objects::to_text(k8s::to_partial_metadata(object, version), resource_version);
}

void add_row(table::TableWriter& writer, const resources::ServedResource& resource, k8s::Dynamic object,
             IncludeObject include, const std::string& version, WallTime now, bool is_marked = false) {
  const std::string text = included(object, include, version);
  table::Row row = resource.columns->row(json::Value(object.release()), now);
  if (is_marked) resource.columns->mark(row);
  writer.add(row, text);
}

/// Returns the record whose row has the mark; nullptr: none has.
k8s::StatusResult<const storage::Record*> marked(const resources::ServedResource& resource,
                                                 const std::vector<storage::RecordPtr>& records) {
  const storage::Record* found = nullptr;
  std::string newest;
  if (!resource.columns->has_mark()) return found;
  for (const storage::RecordPtr& record : records) {
    auto object = objects::object_in_version(*record, resource);
    if (!object) return std::unexpected(object.error());
    std::string created(object->text("metadata.creationTimestamp"));
    if (!resource.columns->asks_for_mark(json::Value(object->release()))) continue;
    // Times of this form are in the order of their texts.
    if (found != nullptr && (created < newest || (created == newest && record->name() > found->name())))
      continue;
    found = record.get();
    newest = std::move(created);
  }
  return found;
}

}  // namespace

ObjectForm::ObjectForm(resources::ServedResourcePtr resource, const k8s::GroupVersionKind& as,
                       IncludeObject include, const Clock& clock, Encoding encoding)
    : resource_(std::move(resource)),
      as_(as),
      kind_(as.kind.empty() ? resource_->kind : as),
      include_(include),
      clock_(&clock),
      encoding_(encoding) {
  // PartialObjectMetadataList is asked for in lists, and its items are PartialObjectMetadata.
  if (!is_plain() && !is_table()) kind_.kind = k8s::representation::metadata;
  std::string identity = "form " + resource_->kind_and_form() + " as " + kind_.to_string();
  if (is_table()) {
    identity +=
        " " + std::to_string(static_cast<int>(include)) + " " + std::to_string(resource_->columns->id());
  }
  if (encoding_ == Encoding::protobuf) identity += " in protobuf";
  tag_ = std::hash<std::string>{}(identity);
}

k8s::GroupVersionKind ObjectForm::list_kind() const {
  if (is_plain()) return resource_->list_kind();
  return {kind_.group, kind_.version, kind_.kind + "List"};
}

bool ObjectForm::is_table() const {
  return as_.kind == k8s::representation::table;
}

k8s::StatusResult<const std::string*> ObjectForm::text(const storage::Record& record) const {
  if (is_plain()) return objects::text_in_version(record, *resource_);
  using Text = k8s::StatusResult<std::string>;
  const auto& text = record.derived().get<Text>(tag_, [&]() -> Text {
    const auto object = objects::object_in_version(record, *resource_);
    if (!object) return std::unexpected(object.error());
    return apiserver::objects::to_text(k8s::to_partial_metadata(*object, kind_.version),
                                       std::to_string(record.revision()));
  });
  if (!text) return std::unexpected(text.error());
  return &*text;
}

k8s::StatusResult<std::string> ObjectForm::make_message(const storage::Record& record) const {
  const auto text = this->text(record);
  if (!text) return std::unexpected(text.error());
  const auto object = json::parse(**text);
  if (!object) return std::unexpected(k8s::answer::internal_error(object.error().message));
  auto message = protobuf::to_message(object->get_object(), kind_);
  if (!message) return std::unexpected(k8s::answer::internal_error(message.error().message));
  return *std::move(message);
}

k8s::StatusResult<const std::string*> ObjectForm::message(const storage::Record& record) const {
  using Message = k8s::StatusResult<std::string>;
  // Beside the text of this form, which has the tag itself.
  const auto& message =
      record.derived().get<Message>(tag_ + 1, [&]() -> Message { return make_message(record); });
  if (!message) return std::unexpected(message.error());
  return &*message;
}

k8s::StatusResult<http::Bytes> ObjectForm::protobuf_list(
    const k8s::ObjectList& head, const std::vector<storage::RecordPtr>& records) const {
  std::vector<const std::string*> messages;
  messages.reserve(records.size());
  for (const storage::RecordPtr& record : records) {
    const auto message = this->message(*record);
    if (!message) return std::unexpected(message.error());
    messages.push_back(*message);
  }
  return http::make_bytes(protobuf::list_answer(list_kind(), head, messages));
}

void ObjectForm::append_table(std::string& out, k8s::Dynamic object, bool columns, bool is_bookmark) const {
  k8s::ObjectList head;
  head.resource_version = object.resource_version();
  table::TableWriter writer(out, as_.version, head, columns ? resource_->columns.get() : nullptr);
  // The version of a bookmark, and that it ends the initial objects, is in its metadata.
  const bool needs_metadata = is_bookmark && include_ == IncludeObject::none;
  add_row(writer, *resource_, std::move(object), needs_metadata ? IncludeObject::metadata : include_,
          as_.version, clock_->now());
  writer.end();
}

k8s::StatusResult<void> ObjectForm::append(std::string& out, const storage::Record& record,
                                           bool columns) const {
  if (is_table()) {
    auto object = objects::object_in_version(record, *resource_);
    if (!object) return std::unexpected(object.error());
    append_table(out, *std::move(object), columns);
    return {};
  }
  const auto text = this->text(record);
  if (!text) return std::unexpected(text.error());
  out += **text;
  return {};
}

k8s::StatusResult<http::Bytes> ObjectForm::document(const storage::RecordPtr& record) const {
  if (is_table()) {
    std::string out;
    if (auto done = append(out, *record, true); !done) return std::unexpected(done.error());
    return http::make_bytes(std::move(out));
  }
  if (encoding_ == Encoding::protobuf) {
    const auto message = this->message(*record);
    if (!message) return std::unexpected(message.error());
    return http::make_bytes(protobuf::enveloped(kind_, **message));
  }
  const auto text = this->text(*record);
  if (!text) return std::unexpected(text.error());
  return http::Bytes(record, *text);
}

http::Bytes ObjectForm::document(k8s::Dynamic object) const {
  const std::string version(object.resource_version());
  std::string out;
  if (is_table()) {
    append_table(out, std::move(object), true);
  } else {
    out = apiserver::objects::to_text(is_plain() ? object : k8s::to_partial_metadata(object, kind_.version),
                                      version);
  }
  return http::make_bytes(std::move(out));
}

k8s::StatusResult<http::Bytes> ObjectForm::list(const k8s::ObjectList& head,
                                                const std::vector<storage::RecordPtr>& records) const {
  std::string body;
  if (is_table()) {
    table::TableWriter writer(body, as_.version, head, resource_->columns.get());
    const WallTime now = clock_->now();
    const auto default_one = marked(*resource_, records);
    if (!default_one) return std::unexpected(default_one.error());
    for (const storage::RecordPtr& record : records) {
      auto object = objects::object_in_version(*record, *resource_);
      if (!object) return std::unexpected(object.error());
      add_row(writer, *resource_, *std::move(object), include_, as_.version, now,
              record.get() == *default_one);
    }
    writer.end();
    return http::make_bytes(std::move(body));
  }
  if (encoding_ == Encoding::protobuf) return protobuf_list(head, records);
  std::vector<const std::string*> texts;
  texts.reserve(records.size());
  constexpr std::size_t head_bytes = 512;
  std::size_t size = head_bytes;
  for (const storage::RecordPtr& record : records) {
    const auto text = this->text(*record);
    if (!text) return std::unexpected(text.error());
    texts.push_back(*text);
    size += (*text)->size() + 1;
  }
  body.reserve(size);
  k8s::ListWriter writer(body, list_kind(), head);
  for (const std::string* text : texts) {
    if (is_plain()) {
      objects::append_item(writer, body, *text, *resource_);
    } else {
      writer.add(std::string_view(*text));
    }
  }
  writer.end();
  return http::make_bytes(std::move(body));
}

Frame ObjectForm::make_frame(k8s::WatchEvent::Type type, const storage::Record& record, bool first) const {
  std::string line;
  if (is_table()) {
    std::string table;
    if (auto done = append(table, record, first); !done) return std::unexpected(done.error());
    k8s::append_watch_event(line, type, std::string_view(table));
    return http::make_bytes(std::move(line));
  }
  if (encoding_ == Encoding::protobuf) {
    const auto message = make_message(record);
    if (!message) return std::unexpected(message.error());
    return http::make_bytes(
        protobuf::watch_frame(k8s::to_string(type), protobuf::enveloped(kind_, *message)));
  }
  const auto text = this->text(record);
  if (!text) return std::unexpected(text.error());
  constexpr std::size_t envelope = 40;
  line.reserve((*text)->size() + envelope);
  k8s::append_watch_event(line, type, std::string_view(**text));
  return http::make_bytes(std::move(line));
}

void ObjectForm::append_shared(std::vector<http::Bytes>& pieces, std::string lines,
                               k8s::WatchEvent::Type type, const storage::RecordPtr& record,
                               const std::string& text, std::string& rest) {
  const k8s::WatchEventEnvelope envelope = k8s::envelope_of(type);
  lines += envelope.begin;
  pieces.push_back(http::make_bytes(std::move(lines)));
  pieces.emplace_back(record, &text);
  rest = envelope.end;
}

k8s::StatusResult<void> ObjectForm::append_frame(std::vector<http::Bytes>& pieces,
                                                 const storage::Event& event, k8s::WatchEvent::Type type,
                                                 bool first) const {
  if (!is_table() && encoding_ == Encoding::json) {
    const auto text = this->text(*event.record);
    if (!text) return std::unexpected(text.error());
    if ((*text)->size() >= shared_bytes) {
      std::string end;
      append_shared(pieces, {}, type, event.record, **text, end);
      pieces.push_back(http::make_bytes(std::move(end)));
      return {};
    }
  }
  auto made = frame(event, type, first);
  if (!made) return std::unexpected(made.error());
  pieces.push_back(*std::move(made));
  return {};
}

Frame ObjectForm::frame(const storage::Event& event, k8s::WatchEvent::Type type, bool first) const {
  constexpr std::uint64_t with_columns = 32;
  const std::uint64_t tag =
      tag_ + static_cast<std::uint64_t>(type) + 1 + (first && is_table() ? with_columns : 0);
  return event.derived.get<Frame>(tag, [&] { return make_frame(type, *event.record, first); });
}

Frame ObjectForm::frame_of_leaving(const storage::Event& event, bool first) const {
  constexpr std::uint64_t leaving = 17, leaving_with_columns = 18;
  return event.derived.get<Frame>(tag_ + (first && is_table() ? leaving_with_columns : leaving),
                                  [&]() -> Frame {
                                    const storage::RecordPtr last = event.previous->at(event.revision());
                                    return make_frame(k8s::WatchEvent::Type::deleted, *last, first);
                                  });
}

k8s::StatusResult<void> ObjectForm::append_initial(std::vector<http::Bytes>& pieces, std::string& lines,
                                                   const storage::RecordPtr& record, bool first) const {
  if (is_table()) {
    std::string table;
    if (auto done = append(table, *record, first); !done) return done;
    k8s::append_watch_event(lines, k8s::WatchEvent::Type::added, std::string_view(table));
    return {};
  }
  if (encoding_ == Encoding::protobuf) {
    const auto message = this->message(*record);
    if (!message) return std::unexpected(message.error());
    lines += protobuf::watch_frame(k8s::to_string(k8s::WatchEvent::Type::added),
                                   protobuf::enveloped(kind_, **message));
    return {};
  }
  const auto text = this->text(*record);
  if (!text) return std::unexpected(text.error());
  if ((*text)->size() < shared_bytes) {
    k8s::append_watch_event(lines, k8s::WatchEvent::Type::added, std::string_view(**text));
    return {};
  }
  std::string rest;
  append_shared(pieces, std::move(lines), k8s::WatchEvent::Type::added, record, **text, rest);
  lines = std::move(rest);
  return {};
}

void ObjectForm::append_bookmark(std::string& lines, storage::Revision revision, bool ends_initial,
                                 bool first) const {
  k8s::Dynamic object =
      k8s::make_bookmark(is_table() ? resource_->kind : kind_, std::to_string(revision), ends_initial);
  if (encoding_ == Encoding::protobuf) {
    // It has a resourceVersion and an annotation, which fit each kind.
    const auto message = protobuf::to_message(object.json(), kind_);
    lines += protobuf::watch_frame(k8s::to_string(k8s::WatchEvent::Type::bookmark),
                                   protobuf::enveloped(kind_, message.value_or("")));
    return;
  }
  if (!is_table()) {
    k8s::append_watch_event(lines, k8s::WatchEvent::Type::bookmark, object.json());
    return;
  }
  std::string table;
  append_table(table, std::move(object), first, true);
  k8s::append_watch_event(lines, k8s::WatchEvent::Type::bookmark, std::string_view(table));
}

void ObjectForm::append_error(std::string& lines, const k8s::Status& status) const {
  if (encoding_ == Encoding::json) return k8s::append_watch_error(lines, status);
  const k8s::GroupVersionKind kind{"", "v1", "Status"};
  const auto object = json::parse(status.to_text());
  const auto message = object ? protobuf::to_message(object->get_object(), kind) : Result<std::string>("");
  lines += protobuf::watch_frame("ERROR", protobuf::enveloped(kind, message.value_or("")));
}

}  // namespace fairway::apiserver::watch
