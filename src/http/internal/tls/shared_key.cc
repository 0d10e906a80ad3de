// SPDX-License-Identifier: Apache-2.0

#include "http/internal/tls/shared_key.h"

#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "http/internal/tls/pem.h"

namespace fairway::http {
namespace {

/// The name of the key, the same on every end: there is only one key.
constexpr std::string_view identity = "fairway";
/// A pre-shared key belongs to one hash function, so to the suites that use it (RFC 8446, section 4.2.11).
constexpr const char* suite_name = "TLS_AES_128_GCM_SHA256";
constexpr std::array<unsigned char, 2> suite = {0x13, 0x01};
constexpr std::chrono::minutes time_between_lines{1};

/// The key of a context.
struct KeySource {
  SharedKey key;
  /// Guards `last_logged`. Anybody who can reach the port begins handshakes, so a missing key is logged once
  /// a minute.
  mutable std::mutex mutex;
  mutable std::optional<std::chrono::steady_clock::time_point> last_logged;

  void tell(const Error& error) const {
    const auto now = std::chrono::steady_clock::now();
    {
      const std::scoped_lock lock(mutex);
      if (last_logged && now - *last_logged < time_between_lines) return;
      last_logged = now;
    }
    log::error("connections end: there is no key for them", {{"reason", error.message}});
  }
};

void free_key(void*, void* source, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<KeySource*>(source);
}

/// Returns the index of OpenSSL's extra data under which a context keeps its key: sessions may outlive the
/// owner of their context.
int key_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_key);
  return index;
}

const KeySource* source_of(const SSL* session) {
  return static_cast<const KeySource*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), key_index()));
}

/// Makes the session in which OpenSSL expects a pre-shared key; null after an error.
SSL_SESSION* make_psk(SSL* session) {
  const KeySource* source = source_of(session);
  if (source == nullptr) return nullptr;
  const auto secret = source->key();
  if (!secret) {
    source->tell(secret.error());
    return nullptr;
  }
  // The derived key is of no use elsewhere, and has the same length for all secrets.
  const std::string bytes = hmac_sha256_hex(*secret, "fairway shared key for TLS");
  std::unique_ptr<SSL_SESSION, void (*)(SSL_SESSION*)> psk(SSL_SESSION_new(), SSL_SESSION_free);
  const SSL_CIPHER* cipher = SSL_CIPHER_find(session, suite.data());
  const bool is_made =
      psk && cipher != nullptr &&
      SSL_SESSION_set1_master_key(psk.get(), reinterpret_cast<const unsigned char*>(bytes.data()),
                                  bytes.size()) == 1 &&
      SSL_SESSION_set_cipher(psk.get(), cipher) == 1 &&
      SSL_SESSION_set_protocol_version(psk.get(), TLS1_3_VERSION) == 1;
  return is_made ? psk.release() : nullptr;
}

/// Offers the key, at the client's end. Without a key there is no handshake: nothing else would authenticate
/// the ends.
int offer(SSL* session, const EVP_MD*, const unsigned char** id, std::size_t* id_size, SSL_SESSION** psk) {
  *psk = make_psk(session);
  if (*psk == nullptr) return 0;
  *id = reinterpret_cast<const unsigned char*>(identity.data());
  *id_size = identity.size();
  return 1;
}

/// Looks for the key that was offered, at the server's end.
int find(SSL* session, const unsigned char* id, std::size_t id_size, SSL_SESSION** psk) {
  *psk = nullptr;
  if (std::string_view(reinterpret_cast<const char*>(id), id_size) != identity) return 1;
  *psk = make_psk(session);
  return *psk != nullptr ? 1 : 0;
}

}  // namespace

Result<void> use_shared_key(SSL_CTX* context, SharedKey key) {
  const int index = key_index();
  auto held = std::make_unique<KeySource>();
  held->key = std::move(key);
  const bool is_set = index >= 0 && SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
                      SSL_CTX_set_ciphersuites(context, suite_name) == 1 &&
                      SSL_CTX_set_ex_data(context, index, held.get()) == 1;
  if (!is_set) return fail(ErrorCode::internal, "setting up TLS with a shared key: " + openssl_error());
  [[maybe_unused]] const KeySource* freed_with_context = held.release();
  // A ticket would let in whoever had the key before it changed.
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_psk_use_session_callback(context, offer);
  SSL_CTX_set_psk_find_session_callback(context, find);
  return {};
}

bool has_shared_key(const SSL* session) {
  return source_of(session) != nullptr;
}

}  // namespace fairway::http
