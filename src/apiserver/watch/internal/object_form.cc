#include "apiserver/watch/internal/object_form.h"

#include <functional>

#include "apiserver/objects/internal/object_text.h"
#include "k8s/wire/media_type.h"

namespace fairway::apiserver {
namespace {

using Frame = k8s::StatusResult<http::Bytes>;

Frame make_frame(k8s::WatchEvent::Type type, const k8s::StatusResult<const std::string*>& text) {
  if (!text) return std::unexpected(text.error());
  std::string line;
  constexpr std::size_t envelope = 40;
  line.reserve((*text)->size() + envelope);
  k8s::append_watch_event(line, type, **text);
  return http::make_bytes(std::move(line));
}

}  // namespace

ObjectForm::ObjectForm(ServedResourcePtr resource, const k8s::GroupVersionKind& as)
    : resource_(std::move(resource)), as_(as), kind_(as.kind.empty() ? resource_->kind : as) {
  // PartialObjectMetadataList is asked for in lists, and its items are PartialObjectMetadata.
  if (!is_plain()) kind_.kind = k8s::representation::metadata;
  tag_ = std::hash<std::string>{}("form " + resource_->kind_and_form() + " as " + kind_.to_string());
}

k8s::GroupVersionKind ObjectForm::list_kind() const {
  if (is_plain()) return resource_->list_kind();
  return {kind_.group, kind_.version, kind_.kind + "List"};
}

k8s::StatusResult<const std::string*> ObjectForm::text(const storage::Record& record) const {
  if (is_plain()) return text_in_version(record, *resource_);
  using Text = k8s::StatusResult<std::string>;
  const auto& text = record.derived().get<Text>(tag_, [&]() -> Text {
    const auto object = object_in_version(record, *resource_);
    if (!object) return std::unexpected(object.error());
    return apiserver::to_text(k8s::to_partial_metadata(*object, kind_.version),
                              std::to_string(record.revision()));
  });
  if (!text) return std::unexpected(text.error());
  return &*text;
}

Frame ObjectForm::frame(const storage::Event& event, k8s::WatchEvent::Type type) const {
  return event.derived.get<Frame>(tag_ + static_cast<std::uint64_t>(type) + 1,
                                  [&] { return make_frame(type, text(*event.record)); });
}

Frame ObjectForm::frame_of_leaving(const storage::Event& event) const {
  constexpr std::uint64_t leaving = 17;
  return event.derived.get<Frame>(tag_ + leaving, [&]() -> Frame {
    const storage::RecordPtr last = event.previous->at(event.revision());
    return make_frame(k8s::WatchEvent::Type::deleted, text(*last));
  });
}

}  // namespace fairway::apiserver
