// SPDX-License-Identifier: Apache-2.0

// Watches over WebSocket, which browsers and some of Java's clients ask for first. The statuses and frames
// are those of a kube-apiserver 1.36.
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* held) const {
    Free(held);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;

Bio memory_of(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

const std::string handshake =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

class WatchSockets : public OnServer {
 protected:
  /// Asks for a watch of ConfigMaps with these fields, as the administrator; returns all that is answered
  /// until the server closes.
  std::string ask(const std::string& fields) const {
    const std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context(SSL_CTX_new(TLS_client_method()));
    const http::KeyedCertificate& admin = server->admin();
    const std::unique_ptr<X509, Freed<X509_free>> certificate(
        PEM_read_bio_X509(memory_of(admin.certificate).get(), nullptr, nullptr, nullptr));
    const std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>> private_key(
        PEM_read_bio_PrivateKey(memory_of(admin.key).get(), nullptr, nullptr, nullptr));
    if (SSL_CTX_use_certificate(context.get(), certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(context.get(), private_key.get()) != 1) {
      return "the administrator's certificate cannot be used";
    }
    const Bio connection(BIO_new_ssl_connect(context.get()));
    BIO_set_conn_hostname(connection.get(), server->url().substr(std::string("https://").size()).c_str());
    const std::string request =
        "GET /api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=1 HTTP/1.1\r\nHost: a\r\n" +
        fields + "\r\n";
    BIO_write(connection.get(), request.data(), static_cast<int>(request.size()));
    std::string answer, piece(4096, ' ');
    for (int got = 0; (got = BIO_read(connection.get(), piece.data(), static_cast<int>(piece.size()))) > 0;) {
      answer.append(piece, 0, static_cast<std::size_t>(got));
    }
    return answer;
  }
};

TEST_F(WatchSockets, HaveAMessageAnEventAndAClose) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  const std::string answer = ask(handshake + "Origin: http://localhost\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << answer;
  EXPECT_TRUE(answer.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n")) << answer;
  const std::string frames = answer.substr(std::min(answer.find("\r\n\r\n"), answer.size() - 4) + 4);
  // A whole message of text, whose length has 16 bits.
  EXPECT_TRUE(frames.starts_with("\x81\x7E")) << answer;
  EXPECT_TRUE(
      frames.substr(std::min<std::size_t>(4, frames.size())).starts_with(R"({"type":"ADDED","object":{)"));
  EXPECT_TRUE(frames.ends_with("}\n\x88\x02\x03\xE8")) << answer;
}

TEST_F(WatchSockets, NeedAnOrigin) {
  EXPECT_TRUE(ask(handshake + "Connection: close\r\n").starts_with("HTTP/1.1 403 "));
}

TEST_F(WatchSockets, AreForThoseWhoAskForThem) {
  EXPECT_TRUE(ask("Connection: close\r\n").starts_with("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace fairway::apiserver::testing
