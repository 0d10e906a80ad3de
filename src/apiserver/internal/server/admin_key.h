// SPDX-License-Identifier: Apache-2.0

// The private key of the administrator.
#pragma once

#include <future>
#include <string>

#include "apiserver/internal/storage/storage.h"
#include "apiserver/key_type.h"
#include "base/result.h"
#include "http/certificate.h"

namespace fairway::apiserver::server {

/// The administrator's key while the server starts: an RSA key is made by another thread meanwhile.
class AdminKey {
 public:
  /// Begins to make a key, unless the storage has one of this type. Elliptic keys are made when they are
  /// asked for. Errors: the storage cannot be read.
  static Result<AdminKey> begin(storage::Storage& storage, KeyType type);

  /// Returns the administrator's certificate of this run. Waits for the key, and keeps a new RSA key in the
  /// storage. Called once.
  Result<http::KeyedCertificate> certificate(const http::KeyedCertificate& authority);

 private:
  explicit AdminKey(storage::Storage& storage) : storage_(&storage) {}

  storage::Storage* storage_;
  /// A stored RSA key; empty: another one is made, or none is wanted.
  std::string stored_;
  std::future<Result<std::string>> made_;
};

}  // namespace fairway::apiserver::server
