// SPDX-License-Identifier: Apache-2.0

// Certificates and keys as OpenSSL has them, read from PEM. For this module's own files.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::http {

/// An object of OpenSSL's with the function that frees it.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

/// Returns the reason why OpenSSL's last call failed, and clears it.
std::string openssl_error();

/// All certificates of a text. Errors do not name the text: `invalid` if a certificate is broken or there is
/// none.
Result<std::vector<Owned<X509>>> parse_certificates(std::string_view pem);
/// The text's first private key. Error: `invalid` if there is none without a password.
Result<Owned<EVP_PKEY>> parse_private_key(std::string_view pem);

}  // namespace fairway::http
