// SPDX-License-Identifier: Apache-2.0

// Stores of image signatures: <store>/sha256=<hex>/signature-N, N from 1.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"
#include "oci/signature.h"
#include "oci/transport_options.h"

namespace fairway::oci {

class Transport;

/// A store of image signatures. Safe from all threads.
class SignatureStore {
 public:
  SignatureStore();
  ~SignatureStore();
  /// Opens a store; `url` is http(s)://... or file:///folder. Errors: an unknown scheme, CA files that cannot
  /// be read.
  static Result<std::unique_ptr<SignatureStore>> create(std::string_view url,
                                                        const TransportOptions& options);

  /// Fetches signature number `number` of an image ("sha256:<hex>"). `not_found` after the last one.
  Result<std::string> fetch(std::string_view digest, int number, const Limits& limits);

  /// Finds a signature that `keys` verify, and returns its docker-reference. Errors: `invalid` if there
  /// is none (the text says why the last one failed), `unavailable` and others if the store cannot be
  /// read.
  Result<std::string> verify(const KeyRing& keys, std::string_view digest, const Limits& limits);

 private:
  std::string url_;
  std::string name_;                      ///< the URL without its password, for messages
  std::string folder_;                    ///< folder of a file:// store
  std::unique_ptr<Transport> transport_;  ///< transport of http(s) stores
};

}  // namespace fairway::oci
