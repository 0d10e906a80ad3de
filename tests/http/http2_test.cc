// SPDX-License-Identifier: Apache-2.0

// Requests and replies of HTTP/2, frame by frame.
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/certificates.h"
#include "http/hello_server.h"
#include "http/http2_client.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using testing::eventually;
using testing::TestCa;

ServerOptions asked() {
  ServerOptions options;
  options.http2 = Http2::prior_knowledge;
  return options;
}

Router routes() {
  Router router = hello_routes(300'000);
  router.immediate("/fields", "GET", [](const Request& request) {
    return Response::text(
        200, std::string(request.method) + " " + std::string(request.path) + " " +
                 std::string(request.query) + " host=" + std::string(request.header("Host").value_or("-")) +
                 " cookie=" + request.headers_joined("Cookie") + " x=" + request.headers_joined("X"));
  });
  router.immediate("/reply", "GET HEAD", [](const Request&) {
    Response response = Response::text(200, "body");
    response.headers.add("X-Two-Lines", "a\r\nb");
    response.headers.add("Connection", "close");
    response.headers.add("Keep-Alive", "timeout=5");
    return response;
  });
  router.immediate("/empty", "GET", [](const Request&) { return Response{.status = 204}; });
  return router;
}

TEST(Http2Server, AnswersRequestsOfOneConnection) {
  const auto server = start_hello_server(asked(), routes());
  Http2Client client(server->port());
  const auto first = client.read_reply(client.get("/hello"));
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, "hello");
  EXPECT_EQ(first.fields.at("content-length"), "5");
  EXPECT_EQ(first.fields.at("server"), "fairway");
  EXPECT_TRUE(first.fields.contains("date"));
  EXPECT_EQ(client.read_reply(client.get("/missing")).status, 404);
  EXPECT_EQ(client.read_reply(client.get("/empty")).status, 204);
  const auto refused = client.read_reply(client.request("DELETE", "/hello"));
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.fields.at("allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(server->counts().connections_total, 1U);
  EXPECT_EQ(server->counts().requests, 4U);
}

TEST(Http2Server, GivesHandlersWhatHttp1Gives) {
  const auto server = start_hello_server(asked(), routes());
  Http2Client client(server->port());
  const auto id =
      client.request("GET", "/fields?a=b", {{"cookie", "a=1"}, {"cookie", "b=2"}, {"x", "1"}, {"x", "2"}});
  EXPECT_EQ(client.read_reply(id).body, "GET /fields a=b host=a cookie=a=1; b=2 x=1, 2");
}

TEST(Http2Server, LeavesOutWhatIsAboutTheConnection) {
  const auto server = start_hello_server(asked(), routes());
  Http2Client client(server->port());
  const auto reply = client.read_reply(client.get("/reply"));
  EXPECT_EQ(reply.fields.at("x-two-lines"), "a  b");
  EXPECT_FALSE(reply.fields.contains("connection"));
  EXPECT_FALSE(reply.fields.contains("keep-alive"));
  const auto head = client.read_reply(client.request("HEAD", "/reply"));
  EXPECT_EQ(head.fields.at("content-length"), "4");
  EXPECT_EQ(head.body, "");
}

TEST(Http2Server, TakesBodiesThroughItsWindows) {
  const auto server = start_hello_server(asked(), routes());
  Http2Client client(server->port());
  const auto id = client.request("POST", "/echo", {}, false);
  std::string body;
  for (int i = 0; i < 60; ++i) {
    const std::string piece(16'000, static_cast<char>('a' + i % 26));
    client.data(id, piece, i == 59);
    body += piece;
    // As many as the window of a stream has at first; each ping waits for window updates.
    if (i % 15 == 14) {
      ASSERT_TRUE(client.ping());
    }
  }
  const auto reply = client.read_reply(id);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, body);
}

TEST(Http2Server, SendsLargeBodiesToManyStreams) {
  const auto server = start_hello_server(asked(), routes());
  Http2Client client(server->port());
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(client.get("/large"));
  for (const auto id : ids) EXPECT_EQ(client.read_reply(id).body.size(), 300'000U);
  EXPECT_TRUE(eventually([&] { return server->counts().streams_open == 0; }));
  EXPECT_EQ(server->counts().connections_open, 1U);
}

TEST(Http2Server, IsOffUnlessItIsAskedFor) {
  const auto server = start_hello_server({}, routes());
  Http2Client client(server->port());
  EXPECT_TRUE(client.raw().read_to_end().starts_with("HTTP/1.1 "));
}

TEST(Http2Server, SpeaksBothVersionsOnOnePort) {
  const auto server = start_hello_server(asked(), routes());
  RawClient one(server->port());
  ASSERT_TRUE(one.send(hello_request));
  EXPECT_EQ(body_of(one.read_reply()), "hello");
  // A request whose first bytes could be those of the preface.
  RawClient slow(server->port());
  ASSERT_TRUE(slow.send("P"));
  Http2Client two(server->port());
  EXPECT_EQ(two.read_reply(two.get("/hello")).body, "hello");
  ASSERT_TRUE(slow.send("OST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"));
  EXPECT_EQ(body_of(slow.read_reply()), "hi");
}

struct Refused {
  std::string name;
  std::string method, path;
  FieldList fields;
  std::size_t body;  ///< bytes that are sent; the request is not ended then
  int status;
};

TEST(Http2Server, IsNotChosenWithACipherThatClientsForbid) {
  const TestCa ca;
  ServerOptions options{.http2 = Http2::tls};
  const auto made = ca.server();
  options.tls = TlsServerOptions{.certificate = made.certificate, .key = made.key};
  const auto server = start_hello_server(options, hello_routes(1));
  const auto chosen = [&](int version, const char* ciphers) -> std::string {
    const RawClient client(server->port());
    const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()),
                                                               SSL_CTX_free);
    SSL_CTX_set_max_proto_version(context.get(), version);
    SSL_CTX_set_cipher_list(context.get(), ciphers);
    const std::unique_ptr<SSL, void (*)(SSL*)> session(SSL_new(context.get()), SSL_free);
    constexpr std::string_view offered = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(session.get(), reinterpret_cast<const unsigned char*>(offered.data()),
                        static_cast<unsigned>(offered.size()));
    SSL_set_fd(session.get(), client.fd());
    if (SSL_connect(session.get()) != 1) return "no handshake";
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(session.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  };
  EXPECT_EQ(chosen(TLS1_3_VERSION, "DEFAULT"), "h2");
  EXPECT_EQ(chosen(TLS1_2_VERSION, "ECDHE+AESGCM"), "h2");
  EXPECT_EQ(chosen(TLS1_2_VERSION, "ECDHE+CHACHA20"), "h2");
  EXPECT_EQ(chosen(TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256"), "http/1.1") << "CBC";
  EXPECT_EQ(chosen(TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA"), "http/1.1") << "CBC";
}

TEST(Http2Server, RefusesWhatHttp1Refuses) {
  ServerOptions options = asked();
  options.max_body_bytes = 1000;
  const auto server = start_hello_server(options, routes());
  const std::vector<Refused> cases = {
      {"a large head", "GET", "/hello", {{"x", std::string(16'500, 'x')}}, 0, 431},
      {"a large body", "POST", "/echo", {}, 1001, 413},
      {"a body that announces to be large", "POST", "/echo", {{"content-length", "1001"}}, 1, 413},
      {"two tokens", "GET", "/hello", {{"authorization", "a"}, {"authorization", "b"}}, 0, 400},
      {"two types", "POST", "/echo", {{"content-type", "a"}, {"content-type", "b"}}, 0, 400},
      {"another host", "GET", "/hello", {{"host", "b"}}, 0, 400},
      {"an expectation", "POST", "/echo", {{"expect", "wonders"}}, 0, 417},
      {"a body for nobody", "GET", "/hello", {{"content-length", "100000"}}, 1, 413},
  };
  for (const Refused& each : cases) {
    SCOPED_TRACE(each.name);
    Http2Client client(server->port());
    const bool has_body = each.body > 0;
    const auto id = client.request(each.method, each.path, each.fields, !has_body);
    if (has_body) client.data(id, std::string(each.body, 'x'), false);
    EXPECT_EQ(client.read_reply(id).status, each.status);
    // The connection goes on.
    EXPECT_EQ(client.read_reply(client.get("/hello")).body, "hello");
    if (has_body) {
      EXPECT_EQ(client.reply(id).reset, NGHTTP2_NO_ERROR);
    }
  }
}

TEST(Http2Server, TooManyFieldsAreRefused) {
  const auto server = start_hello_server(asked(), routes());
  Http2Client client(server->port());
  FieldList many;
  for (int i = 0; i < 300; ++i) many.emplace_back("x", "1");
  EXPECT_EQ(client.read_reply(client.request("GET", "/hello", many)).status, 431);
}

TEST(Http2Server, SaysGoOnWhereItIsExpected) {
  const auto server = start_hello_server(asked(), routes());
  Http2Client client(server->port());
  const auto id = client.request("POST", "/echo", {{"expect", "100-continue"}}, false);
  std::optional<Frame> frame = client.next();
  while (frame && frame->type != NGHTTP2_HEADERS) frame = client.next();
  ASSERT_TRUE(frame);
  EXPECT_FALSE(frame->ends_stream());
  client.data(id, "hi", true);
  EXPECT_EQ(client.read_reply(id).body, "hi");
}

}  // namespace
}  // namespace fairway::http
