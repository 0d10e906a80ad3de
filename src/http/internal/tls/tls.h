// SPDX-License-Identifier: Apache-2.0

// TLS over a non-blocking socket, for both ends.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "http/message.h"
#include "http/shared_key.h"

struct ssl_ctx_st;
struct ssl_st;

namespace fairway::http {

/// Certificates and settings that many sessions share.
using TlsContext = std::shared_ptr<ssl_ctx_st>;

/// The files of a server: TLS 1.2 and later, ALPN http/1.1 and, if asked for, h2, the CAs of clients. The
/// texts are PEM; `names` say where they came from, for errors.
struct TlsServerFiles {
  std::string certificate, key, client_ca;
  std::string certificate_name, key_name, client_ca_name;
  bool require_client_certificate = false;
  bool http2 = false;
};
Result<TlsContext> make_server_context(const TlsServerFiles& files);

/// The certificates that a client trusts and presents.
struct TlsClientFiles {
  bool system_cas = true;
  bool verify = true;
  /// PEM texts of further CAs, with where each came from.
  std::vector<std::pair<std::string, std::string>> cas;
  /// The client's own chain and key; empty for none.
  std::string certificate, key;
  std::string certificate_name, key_name;
  bool http2 = false;  ///< offers h2 as well
};
Result<TlsContext> make_client_context(const TlsClientFiles& files);

/// The contexts of ends that know each other by a shared key (see `SharedKey`), without certificates.
Result<TlsContext> make_server_context(SharedKey key);
Result<TlsContext> make_client_context(SharedKey key);

/// One TLS connection. It does not own the descriptor.
class TlsSession {
 public:
  enum class Outcome { done, want_read, want_write, closed, failed };
  /// Bytes that a handshake in progress holds at the server's end: the session, and OpenSSL's buffers of
  /// records and messages (72,400 bytes with OpenSSL 3.0).
  static constexpr std::size_t handshake_bytes = std::size_t{72} << 10;

  /// Makes the server's end.
  TlsSession(const TlsContext& context, int fd);
  /// Makes a client's end; `name` (DNS name or IP address) is sent if it may be, and verified if `verify` is
  /// set.
  TlsSession(const TlsContext& context, int fd, const std::string& name, bool verify);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  Outcome handshake();
  /// Returns, after a failed handshake, whether the other side spoke plain HTTP.
  bool met_plain_http() const { return plain_http_; }
  /// Returns, after a handshake, whether both sides have chosen HTTP/2 (ALPN).
  bool chose_http2() const;
  /// Returns whether our own verification refused the other side's certificate; `error` says why.
  bool certificate_refused() const { return certificate_refused_; }
  /// Returns whether it was refused because its issuer is not trusted.
  bool issuer_unknown() const { return issuer_unknown_; }
  /// Returns, after a failed handshake with a shared key, whether the other side has another key.
  bool shared_key_differs() const { return shared_key_differs_; }
  /// The reason why the last call failed, for people.
  const std::string& error() const { return error_; }

  Outcome read(char* out, std::size_t room, std::size_t& got);
  /// Writes as much as the socket takes, from the first piece on; small pieces share a record. After `want_*`
  /// the next call must begin with the same bytes.
  Outcome write(std::span<const iovec> pieces, std::size_t& written);
  /// Sends close_notify as far as that is possible without waiting.
  void shutdown();

  /// The verified certificate of the other side: PEM and RFC 2253 subject; empty without one.
  void describe_peer(Peer& peer) const;

 private:
  Outcome outcome_of(int result);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> session_;
  std::string error_;
  bool plain_http_ = false;
  bool certificate_refused_ = false;
  bool issuer_unknown_ = false;
  bool shared_key_differs_ = false;
  bool failed_ = false;
};

}  // namespace fairway::http
