// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <atomic>
#include <thread>

#include "http/certificates.h"
#include "http/client.h"
#include "http/raw_client.h"
#include "http/script_server.h"
#include "http/server.h"
#include "support/eventually.h"
#include "support/temp_directory.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::CertificateAndKey;
using testing::TempDirectory;
using testing::TestCa;

Router who() {
  Router router;
  router.immediate("/", "GET HEAD POST", [](const Request& request) {
    return Response::text(200, (request.peer->tls ? "tls " : "plain ") + request.peer->certificate_subject +
                                   (request.peer->certificate_digest.empty() ? "" : " with certificate"));
  });
  return router;
}

/// A TLS server with its files in a folder.
class Tls : public ::testing::Test {
 protected:
  void write(const CertificateAndKey& made) {
    folder.write("tls.crt", made.certificate);
    folder.write("tls.key", made.key);
  }
  TlsServerOptions files() const {
    return {.certificate_file = folder / "tls.crt", .key_file = folder / "tls.key"};
  }
  std::unique_ptr<Server> start(const TlsServerOptions& tls, Router router = who()) const {
    ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.io_threads = 1;
    options.tls = tls;
    auto server = Server::start(options, std::move(router));
    if (!server) throw std::runtime_error(server.error().message);
    return std::move(*server);
  }
  ClientOptions trusting(const TestCa& trusted) {
    ClientOptions options;
    options.system_cas = false;
    options.proxy_environment = false;
    options.ca_files = {folder.write("ca.crt", trusted.certificate())};
    return options;
  }
  static Result<Reply> get(const Server& server, const ClientOptions& options,
                           const std::string& host = "localhost") {
    auto client = Client::create(options);
    if (!client) return fail(client.error());
    return get(server, **client, host);
  }
  static Result<Reply> get(const Server& server, Client& client, const std::string& host = "localhost") {
    Call call;
    call.url = Url::parse("https://" + host + ":" + std::to_string(server.port()) + "/").value();
    call.limits.deadline = std::chrono::steady_clock::now() + 10s;
    return client.send(call);
  }
  static std::string text(const Result<Reply>& reply) {
    return reply ? std::to_string(reply->status) + " " + reply->body : reply.error().message;
  }

  TempDirectory folder;
  TestCa ca;
};

TEST_F(Tls, ServesNamesAndAddressesOfItsCertificate) {
  write(ca.server());
  const auto server = start(files());
  EXPECT_EQ(text(get(*server, trusting(ca))), "200 tls ");
  EXPECT_EQ(text(get(*server, trusting(ca), "127.0.0.1")), "200 tls ");
}

TEST_F(Tls, TellsHowToTrustAnUnknownCa) {
  write(ca.server());
  const auto server = start(files());
  const auto reply = get(*server, trusting(TestCa("another CA")));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::unavailable);
  EXPECT_NE(reply.error().message.find("as a trusted CA file"), std::string::npos) << reply.error().message;
}

TEST_F(Tls, RefusesCertificatesForOtherNamesAndOldOnes) {
  write(ca.server("DNS:elsewhere.example"));
  const auto server = start(files());
  const auto other = get(*server, trusting(ca));
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("localhost"), std::string::npos) << other.error().message;
  EXPECT_FALSE(get(*server, trusting(ca), "127.0.0.1"));
  ClientOptions named = trusting(ca);
  named.tls_server_name = "elsewhere.example";
  EXPECT_EQ(text(get(*server, named)), "200 tls ");
  ClientOptions careless = trusting(TestCa("another CA"));
  careless.insecure_skip_verify = true;
  EXPECT_EQ(text(get(*server, careless)), "200 tls ");

  write(ca.server("DNS:localhost", "old", -60));
  ASSERT_TRUE(server->reload_tls());
  const auto old = get(*server, trusting(ca));
  ASSERT_FALSE(old);
  EXPECT_NE(old.error().message.find("expired"), std::string::npos) << old.error().message;
}

TEST_F(Tls, TakesCertificatesFromMemoryWhileItRuns) {
  const CertificateAndKey first = ca.server();
  TlsServerOptions tls;
  tls.certificate = first.certificate;
  tls.key = first.key;
  const auto server = start(tls);
  EXPECT_EQ(text(get(*server, trusting(ca))), "200 tls ");
  const TestCa another("another CA");
  EXPECT_FALSE(get(*server, trusting(another)));

  const CertificateAndKey second = another.server();
  const auto mixed = server->use_certificate(second.certificate, first.key);
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().message.find("it does not belong to the certificate"), std::string::npos)
      << mixed.error().message;
  EXPECT_EQ(text(get(*server, trusting(ca))), "200 tls ");
  ASSERT_TRUE(server->use_certificate(second.certificate, second.key));
  EXPECT_EQ(text(get(*server, trusting(another))), "200 tls ");
  EXPECT_FALSE(get(*server, trusting(ca)));
  // A kept connection ends with the next reply, and the client makes another.
  const auto keeping = Client::create(trusting(another)).value();
  Call call;
  call.url = Url::parse("https://localhost:" + std::to_string(server->port()) + "/").value();
  call.limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto connection_of = [&] {
    const auto reply = keeping->send(call);
    return reply ? std::string(reply->headers.find("Connection").value_or("")) : reply.error().message;
  };
  EXPECT_EQ(connection_of(), "");
  const CertificateAndKey third = another.server();
  ASSERT_TRUE(server->use_certificate(third.certificate, third.key));
  EXPECT_EQ(connection_of(), "close");
  EXPECT_EQ(connection_of(), "");
  // To load again is to load what was last given.
  ASSERT_TRUE(server->reload_tls());
  EXPECT_EQ(text(get(*server, trusting(another))), "200 tls ");

  write(first);
  const auto of_files = start(files())->use_certificate(second.certificate, second.key);
  ASSERT_FALSE(of_files);
  EXPECT_EQ(of_files.error().code, ErrorCode::unsupported);
}

TEST_F(Tls, ShowsClientCertificatesThatItVerified) {
  write(ca.server());
  TlsServerOptions tls = files();
  tls.client_ca_file = folder.write("clients.crt", ca.certificate());
  const auto server = start(tls);
  ClientOptions options = trusting(ca);
  EXPECT_EQ(text(get(*server, options)), "200 tls ");
  const CertificateAndKey alice = ca.client("alice");
  options.certificate_file = folder.write("alice.crt", alice.certificate);
  options.key_file = folder.write("alice.key", alice.key);
  EXPECT_EQ(text(get(*server, options)), "200 tls CN=alice with certificate");
  const CertificateAndKey mallory = TestCa("another CA").client("mallory");
  options.certificate_file = folder.write("mallory.crt", mallory.certificate);
  options.key_file = folder.write("mallory.key", mallory.key);
  EXPECT_FALSE(get(*server, options));
}

TEST_F(Tls, TakesCasAndClientCertificatesAsTexts) {
  write(ca.server());
  TlsServerOptions tls = files();
  tls.client_ca_file = folder.write("clients.crt", ca.certificate());
  const auto server = start(tls);
  const CertificateAndKey alice = ca.client("alice");
  ClientOptions options;
  options.proxy_environment = false;
  options.system_cas = false;
  options.ca_texts = {{ca.certificate(), "the test"}};
  options.certificate = alice.certificate;
  options.key = alice.key;
  EXPECT_EQ(text(get(*server, options)), "200 tls CN=alice with certificate");

  options.key = ca.client("bob").key;
  EXPECT_FALSE(Client::create(options));
  options.key = "";
  EXPECT_FALSE(Client::create(options));
  options.certificate = "";
  options.ca_texts = {{"nonsense", "certificate-authority-data of cluster c"}};
  const auto broken = Client::create(options);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("certificate-authority-data of cluster c"), std::string::npos)
      << broken.error().message;
}

TEST_F(Tls, RequiresClientCertificatesWhereToldTo) {
  write(ca.server());
  TlsServerOptions tls = files();
  tls.client_ca_file = folder.write("clients.crt", ca.certificate());
  tls.require_client_certificate = true;
  const auto server = start(tls);
  ClientOptions options = trusting(ca);
  EXPECT_FALSE(get(*server, options));
  const CertificateAndKey alice = ca.client("alice");
  options.certificate_file = folder.write("alice.crt", alice.certificate);
  options.key_file = folder.write("alice.key", alice.key);
  EXPECT_EQ(text(get(*server, options)), "200 tls CN=alice with certificate");
}

TEST_F(Tls, TakesUpChangedFilesByItselfAndKeepsTheOldOnesWhenTheNewAreBad) {
  write(ca.server());
  TlsServerOptions tls = files();
  tls.reload_every = 1s;
  const auto server = start(tls);
  const auto client = Client::create(trusting(ca)).value();
  EXPECT_EQ(text(get(*server, *client)), "200 tls ");

  folder.write("tls.crt", "nonsense");
  const auto refused = server->reload_tls();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("tls.crt"), std::string::npos);
  EXPECT_EQ(text(get(*server, trusting(ca))), "200 tls ");
  folder.write("tls.crt", ca.server().certificate);  // of another key
  EXPECT_FALSE(server->reload_tls());
  EXPECT_EQ(text(get(*server, trusting(ca))), "200 tls ");

  const TestCa next("the next CA");
  write(next.server());
  const ClientOptions trusting_next = [&] {
    ClientOptions options = trusting(ca);
    options.ca_files = {folder.write("next.crt", next.certificate())};
    return options;
  }();
  EXPECT_TRUE(testing::eventually([&] { return get(*server, trusting_next).has_value(); }));
  EXPECT_EQ(text(get(*server, trusting_next)), "200 tls ");
  // A connection that stood before goes on.
  EXPECT_EQ(text(get(*server, *client)), "200 tls ");
  EXPECT_EQ(server->counts().refused, 0U);
}

TEST_F(Tls, ClientTakesUpChangedFiles) {
  write(ca.server());
  const auto server = start(files());
  const TestCa other("another CA");
  ClientOptions options = trusting(other);
  const auto client = Client::create(options).value();
  EXPECT_FALSE(get(*server, *client));
  folder.write("ca.crt", "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n");
  EXPECT_FALSE(get(*server, *client));
  folder.write("ca.crt", other.certificate() + ca.certificate());
  EXPECT_EQ(text(get(*server, *client)), "200 tls ");
}

TEST_F(Tls, ClientTrustsAllFilesOfAFolder) {
  write(ca.server());
  const auto server = start(files());
  ClientOptions options = trusting(ca);
  folder.write("cas/a.pem", TestCa("another CA").certificate());
  folder.write("cas/b.pem", ca.certificate());
  options.ca_files = {folder / "cas"};
  EXPECT_EQ(text(get(*server, options)), "200 tls ");
}

TEST_F(Tls, NamesFilesThatCannotBeUsed) {
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.tls = files();
  EXPECT_EQ(Server::start(options, who()).error().code, ErrorCode::not_found);
  folder.write("tls.crt", ca.server().certificate);
  folder.write("tls.key", "nonsense");
  const auto bad_key = Server::start(options, who());
  ASSERT_FALSE(bad_key);
  EXPECT_NE(bad_key.error().message.find("tls.key"), std::string::npos);
  ClientOptions client;
  client.ca_files = {folder / "none.crt"};
  const auto missing = Client::create(client);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("none.crt"), std::string::npos);
}

TEST_F(Tls, SpeaksTls12AndLaterAndHttp11Only) {
  write(ca.server());
  const auto server = start(files());
  const auto handshake = [&](int version, const std::string& alpn) {
    RawClient client(server->port());
    const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()),
                                                               SSL_CTX_free);
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), version);
    SSL_CTX_set_max_proto_version(context.get(), version);
    const std::unique_ptr<SSL, void (*)(SSL*)> session(SSL_new(context.get()), SSL_free);
    if (!alpn.empty()) {
      const std::string wire = static_cast<char>(alpn.size()) + alpn;
      SSL_set_alpn_protos(session.get(), reinterpret_cast<const unsigned char*>(wire.data()),
                          static_cast<unsigned>(wire.size()));
    }
    SSL_set_fd(session.get(), client.fd());
    return SSL_connect(session.get()) == 1;
  };
  EXPECT_TRUE(handshake(TLS1_2_VERSION, ""));
  EXPECT_TRUE(handshake(TLS1_3_VERSION, "http/1.1"));
  EXPECT_FALSE(handshake(TLS1_1_VERSION, ""));
  EXPECT_FALSE(handshake(TLS1_3_VERSION, "h2"));
}

TEST_F(Tls, TellsPlainHttpThatThePortSpeaksHttps) {
  write(ca.server());
  const auto server = start(files());
  RawClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string reply = client.read_reply();
  EXPECT_EQ(status_of(reply), 400);
  EXPECT_EQ(body_of(reply), "This port speaks HTTPS, not HTTP.\n");
  EXPECT_TRUE(client.closes_within(5s));
  EXPECT_EQ(text(get(*server, trusting(ca))), "200 tls ");
}

TEST_F(Tls, CarriesLargeBodiesBothWays) {
  write(ca.server());
  Router router;
  router.blocking("/", "POST",
                  [](const Request& request) { return Response::text(200, std::string(request.body)); });
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.tls = files();
  options.max_body_bytes = 8 << 20;
  const auto server = Server::start(options, router).value();
  const auto client = Client::create(trusting(ca)).value();
  std::string body;
  for (int i = 0; body.size() < (6 << 20); ++i) body += std::to_string(i) + " ";
  for (int i = 0; i < 3; ++i) {
    Call call;
    call.url = Url::parse("https://localhost:" + std::to_string(server->port()) + "/").value();
    call.limits.deadline = std::chrono::steady_clock::now() + 30s;
    call.method = "POST";
    call.body = body;
    const auto reply = client->send(call);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_TRUE(reply->body == body);
  }
  EXPECT_EQ(server->counts().connections_total, 1U);
}

TEST_F(Tls, GoesThroughAProxysTunnel) {
  write(ca.server("DNS:inside.example"));
  const auto server = start(files());
  std::string connect;
  const ScriptServer proxy({[&](ScriptedConnection& connection) {
    connect = connection.read_head();
    RawClient inner(server->port());
    connection.send("HTTP/1.1 200 Connection established\r\n\r\n");
    std::jthread back([&] {
      char bytes[4096];
      for (ssize_t got = 0; (got = ::recv(inner.fd(), bytes, sizeof bytes, 0)) > 0;) {
        connection.send({bytes, static_cast<std::size_t>(got)});
      }
    });
    char bytes[4096];
    for (ssize_t got = 0; (got = ::recv(connection.fd(), bytes, sizeof bytes, 0)) > 0;) {
      inner.send({bytes, static_cast<std::size_t>(got)});
    }
    inner.finish_sending();
  }});
  ASSERT_EQ(::setenv("HTTPS_PROXY", ("http://u:p@127.0.0.1:" + std::to_string(proxy.port())).c_str(), 1), 0);
  ClientOptions options = trusting(ca);
  options.proxy_environment = true;
  auto client = Client::create(options);
  ::unsetenv("HTTPS_PROXY");
  ASSERT_TRUE(client);
  EXPECT_EQ(text(get(*server, **client, "inside.example")), "200 tls ");
  EXPECT_TRUE(
      connect.starts_with("CONNECT inside.example:" + std::to_string(server->port()) + " HTTP/1.1\r\n"))
      << connect;
  EXPECT_NE(connect.find("Proxy-Authorization: Basic dTpw\r\n"), std::string::npos);
  client->reset();
}

TEST_F(Tls, NamesAProxyThatRefuses) {
  write(ca.server());
  const ScriptServer proxy({[&](ScriptedConnection& connection) {
    connection.read_head();
    connection.send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  }});
  ASSERT_EQ(::setenv("HTTPS_PROXY", ("http://127.0.0.1:" + std::to_string(proxy.port())).c_str(), 1), 0);
  ClientOptions options = trusting(ca);
  options.proxy_environment = true;
  auto client = Client::create(options);
  ::unsetenv("HTTPS_PROXY");
  const auto server = start(files());
  const auto reply = get(*server, **client, "inside.example");
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().message.find("407"), std::string::npos) << reply.error().message;
}

TEST_F(Tls, EndsHandshakesThatDoNotEnd) {
  write(ca.server());
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.tls = files();
  options.header_timeout = 200ms;
  const auto server = Server::start(options, who()).value();
  RawClient silent(server->port());
  RawClient half(server->port());
  half.send("\x16\x03\x01\x02");
  EXPECT_TRUE(silent.closes_within(5s));
  EXPECT_TRUE(half.closes_within(5s));
}

}  // namespace
}  // namespace fairway::http
