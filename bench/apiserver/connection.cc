// SPDX-License-Identifier: Apache-2.0

#include "connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace fairway::bench {

Target::Target(int port, const std::string& identity, bool http2)
    : port_(port), context_(SSL_CTX_new(TLS_client_method())) {
  SSL_CTX_set_mode(context_.get(), SSL_MODE_AUTO_RETRY);
  constexpr std::array<unsigned char, 3> protocol = {2, 'h', '2'};
  if (http2) SSL_CTX_set_alpn_protos(context_.get(), protocol.data(), protocol.size());
  if (identity.empty()) return;
  if (SSL_CTX_use_certificate_chain_file(context_.get(), identity.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context_.get(), identity.c_str(), SSL_FILETYPE_PEM) != 1) {
    std::fprintf(stderr, "error: %s has no certificate with its key\n", identity.c_str());
    std::exit(1);
  }
}

Connection::Connection(const Target& target) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(target.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ssl_.reset(SSL_new(target.context()));
  SSL_set_fd(ssl_.get(), socket_);
  if (SSL_connect(ssl_.get()) != 1) ssl_.reset();
}

Connection::~Connection() {
  ssl_.reset();
  ::close(socket_);
}

bool Connection::send(std::string_view method, std::string_view path, std::string_view body) {
  std::string request = std::string(method) + " " + std::string(path) +
                        " HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n";
  if (!body.empty()) {
    request += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  }
  request += "\r\n";
  request += body;
  return is_open() && SSL_write(ssl_.get(), request.data(), static_cast<int>(request.size())) > 0;
}

bool Connection::fill() {
  std::array<char, 1 << 16> piece;
  const int size = SSL_read(ssl_.get(), piece.data(), static_cast<int>(piece.size()));
  if (size <= 0) return false;
  read_.append(piece.data(), static_cast<std::size_t>(size));
  return true;
}

std::size_t Connection::skip_chunks() {
  std::size_t bytes = 0;
  while (true) {
    std::size_t line = 0;
    while ((line = read_.find("\r\n")) == std::string::npos) {
      if (!fill()) return 0;
    }
    const std::size_t chunk = std::strtoull(read_.c_str(), nullptr, 16);
    std::size_t left = line + 2 + chunk + 2;
    bytes += left;
    while (left > read_.size()) {
      left -= read_.size();
      read_.clear();
      if (!fill()) return 0;
    }
    read_.erase(0, left);
    if (chunk == 0) return bytes;
  }
}

Connection::Reply Connection::receive() {
  Reply reply;
  std::size_t head = 0;
  while ((head = read_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return reply;
  }
  const std::string text = read_.substr(0, head + 2);
  read_.erase(0, head + 4);
  const auto value_of = [&](const char* lower, const char* name) -> const char* {
    auto at = text.find(name);
    if (at == std::string::npos) at = text.find(lower);
    return at == std::string::npos ? nullptr : text.c_str() + at + std::string_view(name).size();
  };
  const int status =
      static_cast<int>(std::strtol(text.c_str() + std::string_view("HTTP/1.1 ").size(), nullptr, 10));
  if (const char* length = value_of("\r\ncontent-length:", "\r\nContent-Length:")) {
    reply.bytes = std::strtoull(length, nullptr, 10);
    std::size_t left = reply.bytes;
    while (left > read_.size()) {
      left -= read_.size();
      read_.clear();
      if (!fill()) return reply;
    }
    read_.erase(0, left);
  } else {
    reply.bytes = skip_chunks();
    if (reply.bytes == 0) return reply;
  }
  reply.status = status;
  return reply;
}

}  // namespace fairway::bench
