// SPDX-License-Identifier: Apache-2.0

// The client's TLS settings, read from files and read again when those change.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "http/client.h"
#include "http/internal/tls/tls.h"

namespace fairway::http {

class ClientTls {
 public:
  explicit ClientTls(const ClientOptions& options) : options_(options) {}
  /// The context for a new connection. Files that changed and cannot be used any more leave the old context
  /// in place, with a warning; the first time that is an error.
  Result<TlsContext> context();

 private:
  Result<TlsContext> load() const;
  /// Returns a mark of each file, which changes with the file.
  std::vector<std::string> signature() const;

  const ClientOptions options_;
  std::mutex mutex_;
  std::vector<std::string> loaded_;
  TlsContext context_;
};

}  // namespace fairway::http
