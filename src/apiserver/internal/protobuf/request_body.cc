// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/protobuf/request_body.h"

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/protobuf/decoder.h"
#include "base/text.h"

namespace fairway::apiserver::protobuf {

namespace {

constexpr std::string_view prefix("k8s\0", 4);

/// The envelope of an object: runtime.Unknown.
struct Envelope {
  std::string api_version, kind, encoding;
  std::string_view raw;
};

std::unexpected<Error> malformed(std::string_view problem) {
  return fail(ErrorCode::invalid, "the envelope of the protobuf body: " + std::string(problem));
}

Result<void> read_type(std::string_view bytes, Envelope& envelope) {
  for (wire::Reader reader(bytes); !reader.at_end();) {
    const auto entry = reader.next();
    if (!entry) return malformed(reader.problem());
    if (entry->number > 2) continue;
    if (entry->type != wire::Type::bytes || !is_utf8(entry->bytes))
      return malformed("its apiVersion and kind must be text");
    (entry->number == 1 ? envelope.api_version : envelope.kind) = entry->bytes;
  }
  return {};
}

Result<Envelope> read_envelope(std::string_view bytes) {
  Envelope envelope;
  for (wire::Reader reader(bytes); !reader.at_end();) {
    const auto entry = reader.next();
    if (!entry) return malformed(reader.problem());
    if (entry->number > 4) continue;
    if (entry->type != wire::Type::bytes) return malformed("a field has another wire type");
    if (entry->number == 1) {
      if (auto read = read_type(entry->bytes, envelope); !read) return fail(read.error());
    } else if (entry->number == 2) {
      envelope.raw = entry->bytes;
    } else if (entry->number == 3) {
      envelope.encoding = entry->bytes;
    }
  }
  return envelope;
}

}  // namespace

bool is_protobuf(std::string_view body) {
  return body.starts_with(prefix);
}

Result<ProtobufBody> read_protobuf(std::string_view body,
                                   const std::optional<k8s::GroupVersionKind>& expected,
                                   const ProtobufLimits& limits, const json::Storage& storage) {
  if (body.empty()) return fail(ErrorCode::invalid, "the protobuf body is empty");
  if (!is_protobuf(body)) {
    return fail(ErrorCode::invalid,
                "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  auto envelope = read_envelope(body.substr(prefix.size()));
  if (!envelope) return fail(envelope.error());
  if (!envelope->encoding.empty()) {
    return fail(ErrorCode::unsupported, "the content of the protobuf body has the encoding '" +
                                            printable(envelope->encoding, 40) + "'; send it without");
  }
  if (expected && envelope->kind.empty()) envelope->kind = expected->kind;
  if (expected && envelope->api_version.empty()) envelope->api_version = expected->api_version();
  if (envelope->kind.empty()) return malformed("Object 'Kind' is missing");
  const auto group_version = k8s::GroupVersion::parse(envelope->api_version);
  if (!group_version) return malformed("Object 'apiVersion' is missing or malformed");
  ProtobufBody read{.kind = {group_version->group, group_version->version, envelope->kind},
                    .document = json::Value(storage),
                    .unknown_fields = {}};
  const kinds::MessageType* type = kinds::Kinds::find(read.kind);
  if (type == nullptr) {
    return fail(ErrorCode::unsupported, "protobuf is read for built-in kinds only, and " +
                                            printable(envelope->kind, 100) + " of " +
                                            printable(envelope->api_version, 100) + " is none: send JSON");
  }
  json::Object& object = read.document.emplace_object();
  if (type->has_type_meta()) {
    object.emplace("kind", envelope->kind);
    object.emplace("apiVersion", envelope->api_version);
  }
  Decoder decoder(limits, storage);
  if (!decoder.message(*type, envelope->raw, object)) return fail(decoder.error());
  read.unknown_fields = std::move(decoder.unknown_fields());
  return read;
}

}  // namespace fairway::apiserver::protobuf
