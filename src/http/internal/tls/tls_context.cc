// SPDX-License-Identifier: Apache-2.0

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "http/internal/tls/pem.h"
#include "http/internal/tls/shared_key.h"
#include "http/internal/tls/tls.h"

namespace fairway::http {
namespace {

std::unexpected<Error> broken(std::string_view what, std::string_view name, std::string_view why) {
  return fail(ErrorCode::invalid,
              "loading " + std::string(what) + " from " + std::string(name) + ": " + std::string(why));
}

Result<std::vector<Owned<X509>>> read_certificates(std::string_view what, std::string_view pem,
                                                   std::string_view name) {
  auto certificates = parse_certificates(pem);
  if (!certificates) return broken(what, name, certificates.error().message);
  return certificates;
}

Result<void> use_certificate(SSL_CTX* context, std::string_view certificate,
                             std::string_view certificate_name, std::string_view key,
                             std::string_view key_name) {
  auto chain = read_certificates("a certificate", certificate, certificate_name);
  if (!chain) return fail(chain.error());
  if (SSL_CTX_use_certificate(context, chain->front().get()) != 1) {
    return broken("a certificate", certificate_name, openssl_error());
  }
  SSL_CTX_clear_chain_certs(context);
  for (std::size_t i = 1; i < chain->size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, (*chain)[i].get()) != 1) {
      return broken("a certificate chain", certificate_name, openssl_error());
    }
  }
  const auto private_key = parse_private_key(key);
  if (!private_key) return broken("a private key", key_name, private_key.error().message);
  if (SSL_CTX_use_PrivateKey(context, private_key->get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    ERR_clear_error();
    return broken("a private key", key_name,
                  "it does not belong to the certificate in " + std::string(certificate_name));
  }
  return {};
}

Result<TlsContext> new_context(const SSL_METHOD* method) {
  TlsContext context(SSL_CTX_new(method), SSL_CTX_free);
  if (!context) return fail(ErrorCode::internal, "making a TLS context: " + openssl_error());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Idle connections hold no buffers, and a write may be tried again from another address.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context.get(), 1);
  // Each certificate of a CA file is trusted by itself, be it a root, an intermediate or one server's
  // certificate.
  X509_STORE_set_flags(SSL_CTX_get_cert_store(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  return context;
}

constexpr std::array<unsigned char, 9> alpn_http11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

/// The protocols of a server that speaks HTTP/2, in its order of preference.
constexpr std::array<unsigned char, 12> alpn_both = {2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

using Protocols = std::span<const unsigned char>;

/// Returns whether a client of HTTP/2 takes the cipher of a handshake: with TLS 1.2 those that lack forward
/// secrecy or authenticated encryption are forbidden, and browsers close such connections.
bool allows_http2(const SSL* session) {
  // spec: RFC 9113, section 9.2.2
  const SSL_CIPHER* cipher = SSL_get_pending_cipher(session);
  if (cipher == nullptr || SSL_CIPHER_is_aead(cipher) != 1) return false;
  const int exchange = SSL_CIPHER_get_kx_nid(cipher);  // "any" is TLS 1.3's
  return exchange == NID_kx_any || exchange == NID_kx_ecdhe || exchange == NID_kx_dhe;
}

/// Chooses among `ours`, a `Protocols`.
int choose_protocol(SSL* session, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned int offered_size, void* ours) {
  Protocols known = *static_cast<const Protocols*>(ours);
  if (known.size() == alpn_both.size() && !allows_http2(session)) known = alpn_http11;
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, known.data(), static_cast<unsigned int>(known.size()), offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

void speak_http_as_server(SSL_CTX* context, bool http2) {
  static Protocols one = alpn_http11, both = alpn_both;
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, http2 ? &both : &one);
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE);
}

void speak_http_as_client(SSL_CTX* context, bool verify, bool http2) {
  const Protocols ours = http2 ? Protocols(alpn_both) : Protocols(alpn_http11);
  SSL_CTX_set_alpn_protos(context, ours.data(), static_cast<unsigned int>(ours.size()));
  SSL_CTX_set_verify(context, verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
}

}  // namespace

Result<TlsContext> make_server_context(const TlsServerFiles& files) {
  auto context = new_context(TLS_server_method());
  if (!context) return context;
  SSL_CTX* raw = context->get();
  if (auto used = use_certificate(raw, files.certificate, files.certificate_name, files.key, files.key_name);
      !used) {
    return fail(used.error());
  }
  speak_http_as_server(raw, files.http2);
  constexpr std::array<unsigned char, 7> session_context = {'f', 'a', 'i', 'r', 'w', 'a', 'y'};
  SSL_CTX_set_session_id_context(raw, session_context.data(), session_context.size());
  if (files.client_ca_name.empty()) {
    if (files.require_client_certificate) {
      return fail(ErrorCode::invalid,
                  "setting up TLS: client certificates are required, but no file of CAs for them is given");
    }
    return context;
  }
  auto cas = read_certificates("the CAs of clients", files.client_ca, files.client_ca_name);
  if (!cas) return fail(cas.error());
  for (const Owned<X509>& ca : *cas) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(raw), ca.get());
    SSL_CTX_add_client_CA(raw, ca.get());
  }
  SSL_CTX_set_verify(
      raw, SSL_VERIFY_PEER | (files.require_client_certificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
      nullptr);
  return context;
}

Result<TlsContext> make_client_context(const TlsClientFiles& files) {
  auto context = new_context(TLS_client_method());
  if (!context) return context;
  SSL_CTX* raw = context->get();
  if (files.system_cas) SSL_CTX_set_default_verify_paths(raw);
  for (const auto& [pem, name] : files.cas) {
    auto cas = read_certificates("CAs", pem, name);
    if (!cas) return fail(cas.error());
    for (const Owned<X509>& ca : *cas) X509_STORE_add_cert(SSL_CTX_get_cert_store(raw), ca.get());
  }
  if (!files.certificate_name.empty()) {
    if (auto used =
            use_certificate(raw, files.certificate, files.certificate_name, files.key, files.key_name);
        !used) {
      return fail(used.error());
    }
  }
  speak_http_as_client(raw, files.verify, files.http2);
  return context;
}

Result<TlsContext> make_server_context(SharedKey key) {
  auto context = new_context(TLS_server_method());
  if (!context) return context;
  speak_http_as_server(context->get(), false);
  if (auto used = use_shared_key(context->get(), std::move(key)); !used) return fail(used.error());
  return context;
}

Result<TlsContext> make_client_context(SharedKey key) {
  auto context = new_context(TLS_client_method());
  if (!context) return context;
  // No CA is trusted: a server that shows a certificate in place of the key is refused.
  speak_http_as_client(context->get(), true, false);
  if (auto used = use_shared_key(context->get(), std::move(key)); !used) return fail(used.error());
  return context;
}

}  // namespace fairway::http
