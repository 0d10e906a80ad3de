// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/probes/send_probe.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>

#include "base/file.h"
#include "base/text.h"
#include "gateway/internal/model/reserved_names.h"
#include "http/dial.h"

namespace fairway::gateway {

namespace {

/// Longest head of an answer that is read: status and a few headers.
constexpr std::size_t most_head = 16 << 10;
constexpr std::size_t piece_bytes = 4096;
/// Limit for connecting. The limit of the call applies, too.
constexpr std::chrono::milliseconds connect_limit{10'000};

Result<void> write_all(int socket, std::string_view text, const http::SocketWait& wait) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      return fail(ErrorCode::unavailable, std::string("sending the request: ") + std::strerror(errno));
    } else if (auto ready = wait.wait(socket, POLLOUT); !ready) {
      return ready;
    }
  }
  return {};
}

/// Returns the bytes that have arrived; waits for at least one.
Result<std::string_view> read_some(int socket, std::span<char> room, const http::SocketWait& wait) {
  for (;;) {
    const ssize_t got = ::recv(socket, room.data(), room.size(), 0);
    if (got > 0) return std::string_view(room.data(), static_cast<std::size_t>(got));
    if (got == 0) return fail(ErrorCode::unavailable, "the connection was closed before an answer came");
    if (errno != EAGAIN && errno != EINTR)
      return fail(ErrorCode::unavailable, std::string("reading the answer: ") + std::strerror(errno));
    if (const auto ready = wait.wait(socket, POLLIN); !ready) return fail(ready.error());
  }
}

/// Reads the status line and headers.
Result<std::string> read_head(int socket, const http::SocketWait& wait) {
  std::string head;
  std::array<char, piece_bytes> room{};
  while (head.find("\r\n\r\n") == std::string::npos) {
    if (head.size() > most_head) return fail(ErrorCode::unavailable, "the answer has no end");
    const auto piece = read_some(socket, room, wait);
    if (!piece) return fail(piece.error());
    head += *piece;
  }
  return head;
}

Result<void> ask_http(const Probe& probe, int socket, const http::SocketWait& wait) {
  const std::string request = "GET / HTTP/1.1\r\nHost: " + std::string(probe_host) +
                              "\r\nUser-Agent: fairway-gateway\r\nConnection: close\r\n\r\n";
  if (auto sent = write_all(socket, request, wait); !sent) return sent;
  const auto head = read_head(socket, wait);
  if (!head) return fail(head.error());
  for (const std::string_view line : split(*head, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || to_lower(line.substr(0, colon)) != probe_header) continue;
    if (trim(line.substr(colon + 1)) == probe.configuration) return {};
    return fail(ErrorCode::unavailable, "an earlier configuration of the listener answers");
  }
  return fail(ErrorCode::unavailable, "what answers is not the Envoy of this listener: " +
                                          printable(trim(head->substr(0, head->find('\n'))), 80));
}

using Certificate = std::unique_ptr<X509, void (*)(X509*)>;

/// Returns the first certificate of a PEM text.
Certificate first_certificate(const std::string& pem) {
  const std::unique_ptr<BIO, void (*)(BIO*)> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                  BIO_free_all);
  return {text ? PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr) : nullptr, X509_free};
}

Result<void> shake_hands(const Probe& probe, int socket, const http::SocketWait& wait) {
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  const std::unique_ptr<SSL, void (*)(SSL*)> session(context ? SSL_new(context.get()) : nullptr, SSL_free);
  if (!session) return fail(ErrorCode::internal, "making a TLS session failed");
  // Clients decide whether they trust the certificate; here it is compared with the one that Envoy was given.
  SSL_set_verify(session.get(), SSL_VERIFY_NONE, nullptr);
  // OpenSSL's own socket BIO would raise SIGPIPE when the other side is gone.
  BIO* const from_peer = BIO_new(BIO_s_mem());
  BIO* const to_peer = BIO_new(BIO_s_mem());
  SSL_set_bio(session.get(), from_peer, to_peer);
  if (!probe.server_name.empty()) SSL_set_tlsext_host_name(session.get(), probe.server_name.c_str());
  std::array<char, piece_bytes> room{};
  for (bool is_done = false; !is_done;) {
    ERR_clear_error();
    const int result = SSL_connect(session.get());
    is_done = result == 1;
    if (!is_done && SSL_get_error(session.get(), result) != SSL_ERROR_WANT_READ) {
      const char* reason = ERR_reason_error_string(ERR_peek_error());
      return fail(ErrorCode::unavailable, std::string("the TLS handshake failed: ") +
                                              (reason != nullptr ? reason : "no reason given"));
    }
    for (int size = 0; (size = BIO_read(to_peer, room.data(), static_cast<int>(room.size()))) > 0;) {
      const auto sent = write_all(socket, {room.data(), static_cast<std::size_t>(size)}, wait);
      if (!sent) return sent;
    }
    if (is_done) break;
    const auto piece = read_some(socket, room, wait);
    if (!piece) return fail(piece.error());
    BIO_write(from_peer, piece->data(), static_cast<int>(piece->size()));
  }
  const Certificate shown(SSL_get1_peer_certificate(session.get()), X509_free);
  const bool is_ours = std::ranges::any_of(probe.certificates, [&](const std::string& pem) {
    const Certificate one = first_certificate(pem);
    return one && shown && X509_cmp(one.get(), shown.get()) == 0;
  });
  ERR_clear_error();
  if (is_ours) return {};
  return fail(ErrorCode::unavailable, "the certificate that is shown is not the listener's");
}

/// Returns the probe's address as the kernel writes it in /proc/net/udp, "0100007F:0035": words in the
/// machine's byte order, the port in hex.
std::string kernel_address(const Probe& probe) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const bool is_six = ::inet_pton(AF_INET6, probe.address.c_str(), bytes.data()) == 1;
  if (!is_six) ::inet_pton(AF_INET, probe.address.c_str(), bytes.data());
  std::string text;
  std::array<char, 16> part{};
  for (std::size_t at = 0; at < (is_six ? sizeof(in6_addr) : sizeof(in_addr)); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    std::snprintf(part.data(), part.size(), "%08X", word);
    text += part.data();
  }
  std::snprintf(part.data(), part.size(), ":%04X", static_cast<unsigned>(probe.port));
  return text + part.data();
}

Result<void> find_socket(const Probe& probe) {
  const bool is_six = probe.address.find(':') != std::string::npos;
  // Also where /proc shows processes alone (ProcSubset=pid of systemd).
  const auto table = read_file(is_six ? "/proc/self/net/udp6" : "/proc/self/net/udp");
  if (!table) return fail(table.error());
  // "  12: LOCAL REMOTE ...": a client that is connected to the address has it as the second.
  const std::string bound = ": " + kernel_address(probe) + " ";
  if (table->find(bound) != std::string::npos) return {};
  return fail(ErrorCode::unavailable, "no socket of this machine is bound to it");
}

Result<void> send(const Probe& probe, const Limits& limits) {
  if (probe.kind == Probe::Kind::socket) return find_socket(probe);
  const http::SocketWait wait(limits);
  const auto socket = http::connect_to(probe.address, probe.port, connect_limit, wait);
  if (!socket) return fail(socket.error());
  if (probe.kind == Probe::Kind::http) return ask_http(probe, socket->get(), wait);
  if (probe.kind == Probe::Kind::tls) return shake_hands(probe, socket->get(), wait);
  return {};
}

}  // namespace

Result<void> send_probe(const Probe& probe, const Limits& limits) {
  auto sent = send(probe, limits);
  if (sent) return sent;
  return fail(sent.error().within("probing " + probe.address + " port " + std::to_string(probe.port)));
}

}  // namespace fairway::gateway
