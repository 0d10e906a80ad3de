// SPDX-License-Identifier: Apache-2.0

#include "http/server.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "http/raw_client.h"
#include "http/table.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

/// A table's text with its escapes undone.
std::string unescape(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    const char kind = text.at(++i);
    if (kind == 'x') {
      bytes += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      bytes += kind == 'r' ? '\r' : kind == 'n' ? '\n' : kind == 't' ? '\t' : kind;
    }
  }
  return bytes;
}

std::string describe(const Request& request) {
  std::string text =
      std::string(request.method) + " " + std::string(request.path) + "?" + std::string(request.query);
  for (const Field& field : request.fields)
    text += "\n" + std::string(field.name) + "=" + std::string(field.value);
  return text;
}

Router make_router() {
  Router router;
  const auto hello = Prepared::make(200, {{"Content-Type", "text/plain"}}, make_bytes("hello"));
  router.immediate("/hello", "GET HEAD", [hello](const Request&) { return Response::of(hello); });
  router.immediate("/show/", "GET POST",
                   [](const Request& request) { return Response::text(200, describe(request)); });
  router.immediate("/", "PATCH", [](const Request&) { return Response::text(200, "root"); });
  router.immediate("/not-modified", "GET", [](const Request&) {
    static const auto reply = Prepared::make(304, {{"ETag", "\"x\""}}, nullptr);
    return Response::of(reply);
  });
  router.immediate("/throws", "GET", [](const Request&) -> Response { throw std::runtime_error("a fault"); });
  router.immediate("/strange-status", "GET", [](const Request&) { return Response::text(42, ""); });
  router.immediate("/injected", "GET", [hello](const Request&) {
    Response response = Response::of(hello);
    response.headers.add("X", "a\r\nEvil: 1");
    response.headers.add("Content-Length", "77");
    return response;
  });
  router.blocking("/blocking-throws", "GET", [](const Request&) -> Response { throw 1; });
  router.blocking("/echo", "POST",
                  [](const Request& request) { return Response::text(200, std::string(request.body)); });
  return router;
}

std::unique_ptr<Server> start(Router router, ServerOptions options = {}) {
  options.listen = "127.0.0.1:0";
  options.io_threads = 2;
  auto server = Server::start(options, std::move(router));
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

ServerOptions small_limits() {
  ServerOptions options;
  options.max_body_bytes = 1000;
  options.max_header_bytes = 2000;
  return options;
}

const std::string get_hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(Server, AnswersEachRequestOfTheTable) {
  // Without the catch-all prefix, so that unknown paths are unknown.
  Router plain;
  const auto hello = Prepared::make(200, {}, make_bytes("hello"));
  plain.immediate("/hello", "GET HEAD", [hello](const Request&) { return Response::of(hello); });
  plain.immediate("/throws", "GET", [](const Request&) -> Response { throw std::runtime_error("a fault"); });
  plain.immediate("/strange-status", "GET", [](const Request&) { return Response::text(42, ""); });
  plain.blocking("/blocking-throws", "GET", [](const Request&) -> Response { throw 1; });
  plain.blocking("/echo", "POST",
                 [](const Request& request) { return Response::text(200, std::string(request.body)); });
  const auto server = start(plain, small_limits());
  for (const TableRow& row : read_table("requests.tsv")) {
    const std::string request = unescape(row.at(0));
    // Whole, and then byte by byte: the answer must not depend on how the network cuts it.
    for (const bool dribble : {false, true}) {
      RawClient client(server->port());
      if (dribble) {
        for (const char c : request) {
          if (!client.send({&c, 1})) break;
        }
      } else {
        client.send(request);
      }
      const std::string reply = client.read_reply(request.starts_with("HEAD"));
      EXPECT_EQ(std::to_string(status_of(reply)), row.at(1)) << "requests.tsv:" << row.line << " " << reply;
      if (row.at(2) == "closed") {
        EXPECT_TRUE(client.closes_within(5s)) << "requests.tsv:" << row.line;
      } else {
        client.send(get_hello);
        EXPECT_EQ(body_of(client.read_reply()), "hello") << "requests.tsv:" << row.line;
      }
    }
  }
}

TEST(Server, AnswersManyRequestsOnOneConnection) {
  const auto server = start(make_router());
  RawClient client(server->port());
  for (int i = 0; i < 100; ++i) {
    client.send(get_hello);
    ASSERT_EQ(body_of(client.read_reply()), "hello");
  }
  EXPECT_EQ(server->counts().requests, 100U);
  EXPECT_EQ(server->counts().connections_total, 1U);
  EXPECT_EQ(server->counts().connections_open, 1U);
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  const auto server = start(make_router());
  RawClient client(server->port());
  std::string requests;
  for (int i = 0; i < 3000; ++i) {
    if (i % 3 == 0) {
      const std::string body = "body " + std::to_string(i);
      requests += "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n\r\n" + body;
    } else {
      requests += "GET /show/" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }
  }
  std::jthread sender([&] { client.send(requests); });
  for (int i = 0; i < 3000; ++i) {
    const std::string body = body_of(client.read_reply());
    ASSERT_EQ(body,
              i % 3 == 0 ? "body " + std::to_string(i) : "GET /show/" + std::to_string(i) + "?\nHost=a");
  }
}

TEST(Server, ShowsHandlersTheRequestAsItWasSent) {
  const auto server = start(make_router());
  RawClient client(server->port());
  client.send("GET /show/%41?a=%20&b HTTP/1.1\r\nHost: h\r\nX-One:  1 \r\nx-one: \xff\r\n\r\n");
  EXPECT_EQ(body_of(client.read_reply()), "GET /show/%41?a=%20&b\nHost=h\nX-One=1\nx-one=\xff");
}

TEST(Server, TakesTheLongestMatchingPath) {
  const auto server = start(make_router());
  RawClient client(server->port());
  client.send("PATCH /anything HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(body_of(client.read_reply()), "root");
  client.send("PATCH /show/x HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string reply = client.read_reply();
  EXPECT_EQ(status_of(reply), 405);
  EXPECT_TRUE(has_line(reply, "Allow: GET, POST, OPTIONS"));
}

TEST(Server, LeavesTheBodyOutForHeadAndNotModified) {
  const auto server = start(make_router());
  RawClient client(server->port());
  client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string head = client.read_reply(true);
  EXPECT_TRUE(has_line(head, "Content-Length: 5"));
  client.send("GET /not-modified HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string not_modified = client.read_reply();
  EXPECT_EQ(status_of(not_modified), 304);
  EXPECT_EQ(not_modified.find("Content-Length"), std::string::npos);
  client.send(get_hello);
  EXPECT_EQ(body_of(client.read_reply()), "hello");
}

TEST(Server, AddsDateAndServerAndLetsNoHeaderAddALine) {
  const auto server = start(make_router());
  RawClient client(server->port());
  client.send("GET /injected HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string reply = client.read_reply();
  EXPECT_TRUE(has_line(reply, "Server: fairway"));
  EXPECT_NE(reply.find("\r\nDate: "), std::string::npos);
  EXPECT_TRUE(has_line(reply, "X: a  Evil: 1"));
  EXPECT_TRUE(has_line(reply, "Content-Length: 5"));
  EXPECT_EQ(reply.find("77"), std::string::npos);
}

TEST(Server, SaysContinueBeforeABodyThatIsExpected) {
  const auto server = start(make_router(), small_limits());
  RawClient client(server->port());
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client.read_reply(true), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  EXPECT_EQ(body_of(client.read_reply()), "hello");
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n");
  EXPECT_EQ(status_of(client.read_reply()), 413);
}

TEST(Server, RefusesHeadsThatAreTooLong) {
  const auto server = start(make_router(), small_limits());
  const auto status_for = [&](const std::string& request) {
    RawClient client(server->port());
    client.send(request);
    const std::string reply = client.read_reply();
    EXPECT_TRUE(client.closes_within(5s));
    return status_of(reply);
  };
  EXPECT_EQ(status_for("GET /" + std::string(1990, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
  EXPECT_EQ(status_for("GET /" + std::string(100'000, 'a')), 414);
  EXPECT_EQ(status_for("GET /hello HTTP/1.1\r\nHost: a\r\nX: " + std::string(1990, 'a') + "\r\n\r\n"), 431);
  EXPECT_EQ(status_for("GET /hello HTTP/1.1\r\nHost: a\r\nX: " + std::string(100'000, 'a')), 431);
  std::string many = "GET /hello HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 300; ++i) many += "a:\r\n";
  EXPECT_EQ(status_for(many + "\r\n"), 431);
  RawClient client(server->port());
  client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX: " + std::string(1900, 'a') + "\r\n\r\n");
  EXPECT_EQ(status_of(client.read_reply()), 200);
}

TEST(Server, ReadsLargeBodiesInAnyPieces) {
  ServerOptions options;
  options.max_body_bytes = 4 << 20;
  const auto server = start(make_router(), options);
  std::string body;
  for (int i = 0; body.size() < (3 << 20); ++i) body += std::to_string(i) + " ";
  RawClient client(server->port());
  std::jthread sender([&] {
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
    std::string chunks = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    std::size_t size = 1;
    for (std::size_t at = 0; at < body.size(); at += size, size = size * 7 % 50'000 + 1) {
      size = std::min(size, body.size() - at);
      char line[32];
      std::snprintf(line, sizeof line, "%zx\r\n", size);
      chunks += line + body.substr(at, size) + "\r\n";
    }
    client.send(chunks + "0\r\n\r\n");
  });
  EXPECT_EQ(body_of(client.read_reply()), body);
  EXPECT_EQ(body_of(client.read_reply()), body);
}

TEST(Server, RefusesAnAddressThatIsInUse) {
  const auto server = start(make_router());
  ServerOptions options;
  options.listen = server->address();
  const auto second = Server::start(options, make_router());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  EXPECT_NE(second.error().message.find(server->address()), std::string::npos);
}

TEST(Server, RefusesAddressesThatAreNone) {
  for (const char* address :
       {"", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536", "::1:80", "no such host:80"}) {
    ServerOptions options;
    options.listen = address;
    const auto server = Server::start(options, make_router());
    ASSERT_FALSE(server) << address;
    EXPECT_EQ(server.error().code, ErrorCode::invalid) << address;
  }
}

TEST(Server, ListensOnAllAddressesAndOnIpv6) {
  for (const char* address : {":0", "[::1]:0", "localhost:0"}) {
    ServerOptions options;
    options.listen = address;
    options.io_threads = 1;
    const auto server = Server::start(options, make_router());
    ASSERT_TRUE(server) << address << ": " << server.error().message;
    EXPECT_NE((*server)->port(), 0);
  }
}

TEST(Server, LimitsRequestsOfOneAddress) {
  ServerOptions options;
  options.max_requests_per_second = 3;
  const auto server = start(make_router(), options);
  RawClient client(server->port());
  int refused = 0;
  for (int i = 0; i < 10; ++i) {
    client.send(get_hello);
    const std::string reply = client.read_reply();
    if (status_of(reply) == 429) {
      ++refused;
      EXPECT_TRUE(has_line(reply, "Retry-After: 1"));
    }
  }
  EXPECT_GE(refused, 5);
  EXPECT_LE(refused, 7);
}

}  // namespace
}  // namespace fairway::http
