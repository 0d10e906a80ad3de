// SPDX-License-Identifier: Apache-2.0

// A certificate and its key, read from files.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::http {

/// The texts of two PEM files.
struct PemPair {
  std::string certificate, key;
};

/// Reads both files. `whose` says in errors what they are for: "TLS", "client".
Result<PemPair> read_pem_pair(const std::string& certificate_file, const std::string& key_file,
                              std::string_view whose);

}  // namespace fairway::http
