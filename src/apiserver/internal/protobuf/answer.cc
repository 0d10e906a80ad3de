// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/protobuf/answer.h"

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/protobuf/encoder.h"
#include "apiserver/internal/protobuf/encoder_values.h"
#include "base/protobuf_wire.h"

namespace fairway::apiserver::protobuf {

namespace {

const kinds::MessageType* type_of(const k8s::GroupVersionKind& kind) {
  constexpr std::string_view meta = "meta.k8s.io", beta = "v1beta1";
  // Its messages are those of v1.
  if (kind.group == meta && kind.version == beta) return kinds::Kinds::find({kind.group, "v1", kind.kind});
  return kinds::Kinds::find(kind);
}

}  // namespace

bool has_messages(const k8s::GroupVersionKind& kind) {
  return type_of(kind) != nullptr;
}

Result<std::string> to_message(const json::Object& object, const k8s::GroupVersionKind& kind) {
  const kinds::MessageType* type = type_of(kind);
  if (type == nullptr) {
    return fail(
        ErrorCode::unsupported,
        "writing " + kind.to_string() + " as protobuf: it is not a built-in kind; ask for application/json");
  }
  Encoder encoder;
  std::string out;
  if (encoder.message(*type, object, out)) return out;
  return fail(ErrorCode::internal, "writing " + kind.to_string() + " as protobuf: " + encoder.error() +
                                       "; ask for application/json");
}

std::string enveloped(const k8s::GroupVersionKind& kind, std::string_view message) {
  return enveloped(kind, message.size(), [&](std::string& out) { out += message; });
}

std::string enveloped(const k8s::GroupVersionKind& kind, std::size_t size,
                      const std::function<void(std::string& out)>& append) {
  std::string type;
  wire::append_bytes(type, 1, kind.api_version());
  wire::append_bytes(type, 2, kind.kind);
  std::string out("k8s\0", 4);
  constexpr std::size_t rest = 24;
  out.reserve(out.size() + type.size() + size + rest);
  wire::append_bytes(out, 1, type);
  append_tag(out, 2, wire::Type::bytes);
  wire::append_varint(out, size);
  append(out);
  // Encoding and type of the content, which Go's code writes always.
  wire::append_bytes(out, 3, {});
  wire::append_bytes(out, 4, {});
  return out;
}

}  // namespace fairway::apiserver::protobuf
