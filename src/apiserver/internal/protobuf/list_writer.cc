// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/protobuf/list_writer.h"

#include "apiserver/internal/protobuf/answer.h"
#include "apiserver/internal/protobuf/encoder_values.h"
#include "base/protobuf_wire.h"

namespace fairway::apiserver::protobuf {

ListWriter::ListWriter(const k8s::ObjectList& head, std::size_t bytes) {
  std::string metadata;
  wire::append_bytes(metadata, 1, {});  // selfLink, which nobody sets any more
  wire::append_bytes(metadata, 2, head.resource_version);
  wire::append_bytes(metadata, 3, head.continue_token);
  if (head.remaining) append_varint_field(metadata, 4, static_cast<std::uint64_t>(*head.remaining));
  message_.reserve(metadata.size() + bytes);
  wire::append_bytes(message_, 1, metadata);
}

void ListWriter::add(std::string_view message) {
  wire::append_bytes(message_, 2, message);
}

std::string ListWriter::end(const k8s::GroupVersionKind& kind) const {
  return enveloped(kind, message_);
}

std::string watch_frame(std::string_view type, std::string_view enveloped_object) {
  std::string object;
  wire::append_bytes(object, 1, enveloped_object);
  std::string frame(4, '\0');
  constexpr std::size_t rest = 24;
  frame.reserve(frame.size() + object.size() + type.size() + rest);
  wire::append_bytes(frame, 1, type);
  wire::append_bytes(frame, 2, object);
  const std::size_t size = frame.size() - 4;
  for (std::size_t i = 0; i < 4; ++i) frame[i] = static_cast<char>(size >> (24 - 8 * i) & 0xff);
  return frame;
}

}  // namespace fairway::apiserver::protobuf
