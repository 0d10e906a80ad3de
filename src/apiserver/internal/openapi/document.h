// SPDX-License-Identifier: Apache-2.0

// One OpenAPI document, in the forms that clients ask for.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "apiserver/internal/openapi/dialect.h"
#include "base/clock.h"
#include "base/result.h"
#include "http/message.h"

namespace fairway::apiserver::openapi {

/// A document as JSON, which never changes, and as protobuf. Safe from all threads.
class Document {
 public:
  Document(Dialect dialect, std::string json, WallTime made);

  const http::Bytes& json() const { return json_; }
  /// Returns the document as protobuf. It is made when somebody first asks, and kept. Errors as
  /// `to_protobuf`.
  Result<http::Bytes> protobuf() const;
  /// Returns the hash of the JSON, which stands for all forms.
  const std::string& hash() const { return hash_; }
  /// Returns the time at which the document was made.
  WallTime made() const { return made_; }

 private:
  const Dialect dialect_;
  const http::Bytes json_;
  const std::string hash_;
  const WallTime made_;
  mutable std::mutex mutex_;
  mutable http::Bytes protobuf_;  ///< guarded by `mutex_`; null before somebody asks
};
using DocumentPtr = std::shared_ptr<const Document>;

}  // namespace fairway::apiserver::openapi
