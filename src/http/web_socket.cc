// SPDX-License-Identifier: Apache-2.0

#include "http/web_socket.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "base/base64.h"
#include "base/text.h"

namespace fairway::http {
namespace {

/// Returns the proof that the server has understood the handshake with this key.
std::string accept_of(std::string_view key) {
  // spec: RFC 6455, section 1.3
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size, EVP_sha1(),
                 nullptr) != 1) {
    throw std::runtime_error("OpenSSL has no SHA-1, which handshakes of WebSockets need");
  }
  return base64_encode({digest.data(), size});
}

}  // namespace

bool asks_for_web_socket(const Request& request) {
  const auto upgrade = request.header("Upgrade");
  return request.method == "GET" && upgrade && equals_ignoring_case(*upgrade, "websocket") &&
         to_lower(request.headers_joined("Connection")).contains("upgrade");
}

Response web_socket_reply(const Request& request, std::shared_ptr<Stream> stream) {
  const std::string_view key = request.header("Sec-WebSocket-Key").value_or("");
  const std::string_view protocol = trim(request.header("Sec-WebSocket-Protocol").value_or(""));
  if (key.empty()) return Response::text(400, "missing Sec-WebSocket-Key: send one, as RFC 6455 says\n");
  if (request.header("Sec-WebSocket-Version") != "13") {
    Response refusal = Response::text(400, "missing or bad WebSocket Version: send 13\n");
    refusal.headers.add("Sec-WebSocket-Version", "13");
    return refusal;
  }
  if (request.header("Origin").value_or("").empty()) {
    return Response::text(403, "missing Origin: a WebSocket needs one\n");
  }
  if (protocol.contains(',')) return Response::text(400, "several protocols: send at most one\n");
  Response response;
  response.status = 101;
  response.headers.add("Upgrade", "websocket");
  response.headers.add("Sec-WebSocket-Accept", accept_of(key));
  if (!protocol.empty()) response.headers.add("Sec-WebSocket-Protocol", std::string(protocol));
  response.stream = std::move(stream);
  return response;
}

}  // namespace fairway::http
