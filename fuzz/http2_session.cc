// SPDX-License-Identifier: Apache-2.0

// A server that speaks HTTP/2, sent any frames behind a right preface: it answers with whole frames, ends the
// connection, and holds nothing of it afterwards. The first byte chooses the pieces in which they come.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "base/file_descriptor.h"
#include "http/server.h"

namespace {

using fairway::FileDescriptor;
using namespace fairway::http;

std::unique_ptr<Server> start() {
  Router router;
  router.immediate("/", "GET HEAD", [](const Request& request) {
    for (const Field& field : request.fields) {
      if (field.name.empty()) std::abort();
    }
    return Response::text(200, std::string(request.path));
  });
  router.immediate("/stream", "GET", [](const Request&) {
    Response response;
    response.stream = Stream::make();
    response.stream->try_push(make_bytes(std::string(100'000, 'x')));
    response.stream->close();
    return response;
  });
  router.blocking("/echo", "POST", [](const Request& request) {
    if (request.body.size() > 1000) std::abort();
    return Response::text(200, std::string(request.body));
  });
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.io_threads = options.blocking_threads = 1;
  options.max_header_bytes = 1024;
  options.max_body_bytes = 1000;
  options.max_streams = 10;
  options.http2 = Http2::prior_knowledge;
  return Server::start(options, std::move(router)).value();
}

FileDescriptor connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (true) {
    FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int one = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    // With a reset no port waits for the last segments: thousands of connections a second would use them up.
    const linger option{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &option, sizeof option);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    // Other programs of this machine may have the ports for a moment.
    if (std::chrono::steady_clock::now() > until) std::abort();
    std::this_thread::yield();
  }
}

/// Reads until the server closes, and checks that frames follow each other.
void check_reply(int fd) {
  std::string bytes;
  char piece[16'384];
  while (true) {
    const auto got = ::recv(fd, piece, sizeof piece, 0);
    if (got < 0) return;  // reset: what came before it may be lost
    if (got == 0) break;
    bytes.append(piece, static_cast<std::size_t>(got));
  }
  std::string_view rest = bytes;
  constexpr std::size_t head_bytes = 9, most_bytes = 16'384;
  while (rest.size() >= head_bytes) {
    const auto byte = [rest](std::size_t i) {
      return static_cast<std::size_t>(static_cast<std::uint8_t>(rest[i]));
    };
    const std::size_t size = (byte(0) << 16) | (byte(1) << 8) | byte(2);
    constexpr std::size_t last_type = 9;
    if (size > most_bytes || byte(3) > last_type) std::abort();
    if (rest.size() < head_bytes + size) break;
    rest.remove_prefix(head_bytes + size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const std::unique_ptr<Server> server = start();
  {
    const FileDescriptor fd = connect_to(server->port());
    const std::string bytes = std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") +
                              std::string(9, '\0').replace(3, 1, 1, '\4') +
                              std::string(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t step = data[0] < 128 ? bytes.size() : static_cast<std::size_t>(data[0]) * 4;
    for (std::size_t begin = 0; begin < bytes.size(); begin += step) {
      const std::string_view piece = std::string_view(bytes).substr(begin, step);
      if (::send(fd.get(), piece.data(), piece.size(), MSG_NOSIGNAL) < 0) break;
    }
    ::shutdown(fd.get(), SHUT_WR);
    check_reply(fd.get());
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (true) {
    const ServerCounts counts = server->counts();
    if (counts.connections_open == 0 && counts.streams_open == 0 && counts.unfinished == 0 &&
        counts.unread_bytes == 0) {
      return 0;
    }
    if (std::chrono::steady_clock::now() > until) std::abort();
    std::this_thread::yield();
  }
}
