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

/// An object of OpenSSL's, and how it is freed.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

/// Why OpenSSL's last call failed; forgets it.
std::string openssl_error();

/// All certificates of a text. Errors say what is wrong, not with what: `invalid` where one is broken or
/// there is none.
Result<std::vector<Owned<X509>>> parse_certificates(std::string_view pem);
/// The text's first private key. Error: `invalid` where there is none without a password.
Result<Owned<EVP_PKEY>> parse_private_key(std::string_view pem);

}  // namespace fairway::http
