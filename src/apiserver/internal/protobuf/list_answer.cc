// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/protobuf/list_answer.h"

#include "apiserver/internal/protobuf/answer.h"
#include "apiserver/internal/protobuf/encoder_values.h"
#include "base/protobuf_wire.h"

namespace fairway::apiserver::protobuf {

namespace {

/// Returns the size of a field of bytes with a number below 16.
std::size_t size_of_field(std::size_t bytes) {
  std::size_t size = 2 + bytes;
  for (std::size_t rest = bytes; rest >= 0x80; rest >>= 7) ++size;
  return size;
}

}  // namespace

std::string list_answer(const k8s::GroupVersionKind& kind, const k8s::ObjectList& head,
                        const std::vector<const std::string*>& messages) {
  std::string metadata;
  wire::append_bytes(metadata, 1, {});  // selfLink, which nobody sets any more
  wire::append_bytes(metadata, 2, head.resource_version);
  wire::append_bytes(metadata, 3, head.continue_token);
  if (head.remaining) append_varint_field(metadata, 4, static_cast<std::uint64_t>(*head.remaining));
  // Its size comes first, so that a large list is not copied into its envelope.
  std::size_t size = size_of_field(metadata.size());
  for (const std::string* message : messages) size += size_of_field(message->size());
  return enveloped(kind, size, [&](std::string& out) {
    wire::append_bytes(out, 1, metadata);
    for (const std::string* message : messages) wire::append_bytes(out, 2, *message);
  });
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
