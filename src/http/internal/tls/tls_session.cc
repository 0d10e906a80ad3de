// SPDX-License-Identifier: Apache-2.0

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "base/digest.h"
#include "http/internal/tls/shared_key.h"
#include "http/internal/tls/tls.h"

namespace fairway::http {
namespace {

/// Largest size of a TLS record: small pieces are put together up to it.
constexpr std::size_t record_bytes = 16 * 1024;

int descriptor_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  // OpenSSL's own socket BIO would raise SIGPIPE when the other side is gone.
  const auto sent =
      ::send(descriptor_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && would_block()) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int bio_read(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto got = ::recv(descriptor_of(bio), bytes, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (got < 0 && would_block()) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long bio_control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* socket_method() {
  static const std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> method = [] {
    std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> made(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "fairway socket"), BIO_meth_free);
    BIO_meth_set_write(made.get(), bio_write);
    BIO_meth_set_read(made.get(), bio_read);
    BIO_meth_set_ctrl(made.get(), bio_control);
    return made;
  }();
  return method.get();
}

ssl_st* make_session(const TlsContext& context, int fd) {
  SSL* session = SSL_new(context.get());
  BIO* bio = BIO_new(socket_method());
  if (session == nullptr || bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, std::bit_cast<void*>(static_cast<std::intptr_t>(fd)));
  BIO_set_init(bio, 1);
  SSL_set_bio(session, bio, bio);
  return session;
}

bool is_address(const std::string& name) {
  std::array<unsigned char, 16> bytes;
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

}  // namespace

TlsSession::TlsSession(const TlsContext& context, int fd) : session_(make_session(context, fd), SSL_free) {
  SSL_set_accept_state(session_.get());
}

TlsSession::TlsSession(const TlsContext& context, int fd, const std::string& name, bool verify)
    : session_(make_session(context, fd), SSL_free) {
  SSL_set_connect_state(session_.get());
  const bool address = is_address(name);
  // RFC 6066, section 3: server names are DNS names, never addresses.
  if (!address) SSL_set_tlsext_host_name(session_.get(), name.c_str());
  if (!verify) return;
  X509_VERIFY_PARAM* parameters = SSL_get0_param(session_.get());
  X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int set = address ? X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str())
                          : X509_VERIFY_PARAM_set1_host(parameters, name.c_str(), name.size());
  // A name that cannot be verified must not mean that none is.
  if (set != 1) failed_ = true;
}

TlsSession::~TlsSession() = default;

TlsSession::Outcome TlsSession::outcome_of(int result) {
  const int saved_errno = errno;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_NONE:
      return Outcome::done;
    case SSL_ERROR_WANT_READ:
      return Outcome::want_read;
    case SSL_ERROR_WANT_WRITE:
      return Outcome::want_write;
    case SSL_ERROR_ZERO_RETURN:
      return Outcome::closed;
    default:
      break;
  }
  failed_ = true;
  const long verified = SSL_get_verify_result(session_.get());
  const unsigned long code = ERR_peek_error();
  if (code == 0) {
    error_ = saved_errno != 0 ? std::generic_category().message(saved_errno)
                              : "the other side closed the connection";
  } else {
    const int reason = ERR_GET_REASON(code);
    plain_http_ = ERR_GET_LIB(code) == ERR_LIB_SSL && (reason == SSL_R_HTTP_REQUEST);
    certificate_refused_ = ERR_GET_LIB(code) == ERR_LIB_SSL && reason == SSL_R_CERTIFICATE_VERIFY_FAILED;
    // OpenSSL's servers answer a binder that is not theirs with illegal_parameter, others with decrypt_error.
    shared_key_differs_ =
        has_shared_key(session_.get()) && ERR_GET_LIB(code) == ERR_LIB_SSL &&
        (reason == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER || reason == SSL_R_TLSV1_ALERT_DECRYPT_ERROR ||
         reason == SSL_R_BINDER_DOES_NOT_VERIFY);
    const char* text = ERR_reason_error_string(code);
    error_ = text != nullptr ? text : "TLS error " + std::to_string(code);
    if (certificate_refused_) error_ = X509_verify_cert_error_string(verified);
    issuer_unknown_ = certificate_refused_ && (verified == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT ||
                                               verified == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
                                               verified == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
                                               verified == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT ||
                                               verified == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN);
  }
  ERR_clear_error();
  return Outcome::failed;
}

TlsSession::Outcome TlsSession::handshake() {
  if (failed_) {
    if (error_.empty()) error_ = "the server's name cannot be verified";
    return Outcome::failed;
  }
  ERR_clear_error();
  errno = 0;
  const Outcome outcome = outcome_of(SSL_do_handshake(session_.get()));
  if (outcome == Outcome::done && has_shared_key(session_.get()) && SSL_session_reused(session_.get()) != 1) {
    failed_ = true;
    error_ = "the other side did not use the shared key";
    return Outcome::failed;
  }
  return outcome;
}

bool TlsSession::chose_http2() const {
  const unsigned char* chosen = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(session_.get(), &chosen, &size);
  return size == 2 && chosen[0] == 'h' && chosen[1] == '2';
}

TlsSession::Outcome TlsSession::read(char* out, std::size_t room, std::size_t& got) {
  got = 0;
  if (failed_) return Outcome::failed;
  ERR_clear_error();
  errno = 0;
  return outcome_of(SSL_read_ex(session_.get(), out, room, &got));
}

TlsSession::Outcome TlsSession::write(std::span<const iovec> pieces, std::size_t& written) {
  written = 0;
  if (failed_) return Outcome::failed;
  std::array<char, record_bytes> record;
  std::size_t offset = 0;  // into pieces.front()
  while (!pieces.empty()) {
    if (pieces.front().iov_len == offset) {
      pieces = pieces.subspan(1);
      offset = 0;
      continue;
    }
    const char* bytes = static_cast<const char*>(pieces.front().iov_base) + offset;
    std::size_t size = std::min(pieces.front().iov_len - offset, record_bytes);
    if (size < record_bytes && pieces.size() > 1) {
      std::memcpy(record.data(), bytes, size);
      for (const iovec& next : pieces.subspan(1)) {
        const std::size_t more = std::min(next.iov_len, record_bytes - size);
        std::memcpy(record.data() + size, next.iov_base, more);
        size += more;
        if (size == record_bytes) break;
      }
      bytes = record.data();
    }
    ERR_clear_error();
    errno = 0;
    std::size_t sent = 0;
    const Outcome outcome = outcome_of(SSL_write_ex(session_.get(), bytes, size, &sent));
    if (outcome != Outcome::done) return outcome;
    written += sent;
    while (sent > 0) {
      const std::size_t step = std::min(sent, pieces.front().iov_len - offset);
      offset += step;
      sent -= step;
      if (offset == pieces.front().iov_len) {
        pieces = pieces.subspan(1);
        offset = 0;
      }
    }
  }
  return Outcome::done;
}

void TlsSession::shutdown() {
  if (failed_ || SSL_in_init(session_.get()) != 0) return;
  ERR_clear_error();
  SSL_shutdown(session_.get());
  ERR_clear_error();
}

void TlsSession::describe_peer(Peer& peer) const {
  const std::unique_ptr<X509, void (*)(X509*)> certificate(SSL_get1_peer_certificate(session_.get()),
                                                           X509_free);
  if (!certificate || SSL_get_verify_result(session_.get()) != X509_V_OK) return;
  unsigned char* der = nullptr;
  if (const int size = i2d_X509(certificate.get(), &der); size > 0) {
    peer.certificate_digest =
        sha256_hex({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
    OPENSSL_free(der);
  }
  const std::unique_ptr<BIO, void (*)(BIO*)> text(BIO_new(BIO_s_mem()), BIO_free_all);
  if (!text) return;
  if (X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate.get()), 0,
                         XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB)) >= 0) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(text.get(), &bytes);
    peer.certificate_subject.assign(bytes, static_cast<std::size_t>(std::max(size, 0L)));
  }
}

}  // namespace fairway::http
