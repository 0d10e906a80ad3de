// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/openapi/document.h"

#include <utility>

#include "apiserver/internal/openapi/message_encoder.h"
#include "base/digest.h"
#include "base/json.h"

namespace fairway::apiserver::openapi {

Document::Document(Dialect dialect, std::string json, WallTime made)
    : dialect_(dialect), json_(http::make_bytes(std::move(json))), hash_(sha256_hex(*json_)), made_(made) {}

Result<http::Bytes> Document::protobuf() const {
  const std::scoped_lock lock(mutex_);
  if (protobuf_ != nullptr) return protobuf_;
  // Few ask for this form, and most of them once: the parsed document is not worth its memory.
  const auto document = json::parse(*json_);
  if (!document) return fail(document.error());
  auto bytes = to_protobuf(dialect_, *document);
  if (!bytes) return fail(bytes.error());
  protobuf_ = http::make_bytes(*std::move(bytes));
  return protobuf_;
}

}  // namespace fairway::apiserver::openapi
