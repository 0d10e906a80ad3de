// SPDX-License-Identifier: Apache-2.0

#include "http/client.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <thread>

#include "http/compress.h"
#include "http/dial.h"
#include "http/script_server.h"
#include "http/server.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<Client> make_client(ClientOptions options = {}) {
  options.proxy_environment = false;
  auto client = Client::create(options);
  if (!client) throw std::runtime_error(client.error().message);
  return std::move(*client);
}

Call get(const std::string& url) {
  Call call;
  call.url = Url::parse(url).value();
  call.limits.deadline = std::chrono::steady_clock::now() + 10s;
  return call;
}

std::string text(const Result<Reply>& reply) {
  return reply ? std::to_string(reply->status) + " " + reply->body
               : std::string(to_string(reply.error().code)) + ": " + reply.error().message;
}

TEST(Dial, AsksASilentPeerWhetherItIsThere) {
  ScriptServer server({[](ScriptedConnection& connection) { connection.read_head(); }});
  const SocketWait sockets({std::chrono::steady_clock::now() + 10s, {}});
  const auto fd = connect_to("127.0.0.1", server.port(), 10s, sockets);
  ASSERT_TRUE(fd.has_value()) << fd.error().message;
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    return ::getsockopt(fd->get(), level, name, &value, &size) == 0 ? value : -1;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_LE(option(IPPROTO_TCP, TCP_KEEPIDLE) +
                option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT),
            60);
}

ScriptServer::Script answer(const std::string& bytes) {
  return [bytes](ScriptedConnection& connection) {
    if (!connection.read_head().empty()) connection.send(bytes);
  };
}

std::string ok(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(Client, KeepsConnectionsAlive) {
  Router router;
  router.immediate("/", "GET",
                   [](const Request& request) { return Response::text(200, request.peer->address); });
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  const auto server = Server::start(options, router);
  ASSERT_TRUE(server);
  const auto client = make_client();
  const std::string url = "http://" + (*server)->address() + "/";
  const auto first = client->send(get(url));
  ASSERT_TRUE(first) << first.error().message;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client->send(get(url))->body, first->body);
  EXPECT_EQ((*server)->counts().connections_total, 1U);
}

TEST(Client, SendsMethodHeadersBodyAndCredentials) {
  Router router;
  router.blocking("/", "PUT", [](const Request& request) {
    std::string text = std::string(request.target) + "\n" + std::string(request.body) + "\n";
    for (const char* name : {"Host", "User-Agent", "Authorization", "X-A", "Content-Length"}) {
      text += std::string(name) + "=" + std::string(request.header(name).value_or("none")) + "\n";
    }
    return Response::text(201, text);
  });
  ServerOptions server_options;
  server_options.listen = "127.0.0.1:0";
  server_options.max_body_bytes = 8 << 20;
  const auto server = Server::start(server_options, router);
  ClientOptions options;
  options.user_agent = "tester";
  const auto client = make_client(options);
  Call call = get("http://user:p%20w@" + (*server)->address() + "/a?b=c#d");
  call.method = "PUT";
  call.headers.add("X-A", "one\r\nX-B: two");
  call.body = std::string(5 << 20, 'x');
  const auto reply = client->send(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 201);
  EXPECT_EQ(reply->body, "/a?b=c\n" + call.body + "\nHost=" + (*server)->address() +
                             "\nUser-Agent=tester\nAuthorization=Basic dXNlcjpwIHc=\nX-A=one  X-B: two\n"
                             "Content-Length=5242880\n");
}

TEST(Client, ReadsEveryKindOfBody) {
  const std::vector<std::pair<std::string, std::string>> replies = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 hello"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x\r\nllo\r\n0\r\nT: 1\r\n\r\n",
       "200 hello"},
      {"HTTP/1.1 200 OK\r\n\r\nhello", "200 hello"},
      {"HTTP/1.0 200 OK\r\n\r\nhello", "200 hello"},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 "
       "OK\r\nContent-Length: "
       "5\r\n\r\nhello",
       "200 hello"},
      {"HTTP/1.1 204 No Content\r\n\r\n", "204 "},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "304 "},
      {"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone", "404 none"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 "},
  };
  for (const auto& [bytes, expected] : replies) {
    const ScriptServer server({answer(bytes)});
    EXPECT_EQ(text(make_client()->send(get(server.url()))), expected);
    const ScriptServer slow({[&bytes = bytes](ScriptedConnection& connection) {
      connection.read_head();
      for (const char c : bytes) connection.send({&c, 1});
    }});
    EXPECT_EQ(text(make_client()->send(get(slow.url()))), expected);
  }
}

TEST(Client, KeepsWhatAServerCallsItsStatus) {
  const ScriptServer server({answer("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 413 Too Much for Me\r\n"
                                    "Content-Length: 0\r\n\r\n"),
                             answer("HTTP/1.1 413 \r\nContent-Length: 0\r\n\r\n")});
  const auto client = make_client();
  EXPECT_EQ(client->send(get(server.url()))->phrase, "Too Much for Me");
  EXPECT_EQ(client->send(get(server.url()))->phrase, "");
}

TEST(Client, NamesWhatIsWrongWithAServer) {
  const std::vector<std::pair<std::string, std::string>> replies = {
      {"", "closed the connection without a reply"},
      {"HTTP/1.1 200", "in the middle"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", "in the middle"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "in the middle"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "no well-formed HTTP"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "no well-formed HTTP"},
      {"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", "no well-formed HTTP"},
      {"SSH-2.0-OpenSSH_9.2\r\n\r\n\r\n", "no well-formed HTTP"},
      {std::string(100, '\0'), "no well-formed HTTP"},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(200'000, 'x'), "no well-formed HTTP"},
      {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "was not requested"},
  };
  for (const auto& [bytes, expected] : replies) {
    const ScriptServer server({answer(bytes)});
    const auto reply = make_client()->send(get(server.url("/x")));
    ASSERT_FALSE(reply) << expected;
    EXPECT_EQ(reply.error().code, ErrorCode::unavailable) << reply.error().message;
    EXPECT_NE(reply.error().message.find(expected), std::string::npos) << reply.error().message;
    EXPECT_TRUE(reply.error().message.starts_with("GET " + server.url("/x"))) << reply.error().message;
  }
}

TEST(Client, SurvivesAReset) {
  const ScriptServer server({[](ScriptedConnection& connection) {
    connection.read_head();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    connection.reset();
  }});
  EXPECT_EQ(make_client()->send(get(server.url())).error().code, ErrorCode::unavailable);
}

TEST(Client, ReplacesAKeptConnectionThatDied) {
  std::atomic<int> requests = 0;
  const auto one_reply_then_close_at_the_next = [&](ScriptedConnection& connection) {
    connection.read_head();
    ++requests;
    connection.send(ok("first"));
    connection.read_head();
    ++requests;
  };
  const ScriptServer server({one_reply_then_close_at_the_next, [&](ScriptedConnection& connection) {
                               connection.read_head();
                               ++requests;
                               connection.send(ok("second"));
                               connection.wait_for_close();
                             }});
  auto client = make_client();
  EXPECT_EQ(text(client->send(get(server.url()))), "200 first");
  EXPECT_EQ(text(client->send(get(server.url()))), "200 second");
  EXPECT_EQ(requests, 3);
  client.reset();
}

TEST(Client, SendsNothingTwiceThatMayNotBeRepeated) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    const ScriptServer server({[&](ScriptedConnection& connection) {
      connection.read_head();
      connection.send(ok("first"));
      connection.read_head();
    }});
    const auto client = make_client();
    EXPECT_EQ(text(client->send(get(server.url()))), "200 first");
    Call call = get(server.url());
    call.method = method;
    const auto reply = client->send(call);
    ASSERT_FALSE(reply.has_value()) << method;
    EXPECT_EQ(reply.error().code, ErrorCode::unavailable);
    EXPECT_EQ(server.connections(), 1);
  }
}

TEST(Client, ReadsTheAnswerOfAServerThatRefusesABody) {
  const ScriptServer server({[](ScriptedConnection& connection) {
    connection.read_head();
    connection.send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig");
    ::shutdown(connection.fd(), SHUT_WR);
    connection.wait_for_close();
  }});
  Call call = get(server.url());
  call.method = "POST";
  call.body = std::string(32 << 20, 'x');
  EXPECT_EQ(text(make_client()->send(call)), "413 big");
}

TEST(Client, GivesUpAtTheDeadline) {
  const std::vector<ScriptServer::Script> scripts = {
      [](ScriptedConnection& connection) { connection.wait_for_close(); },
      [](ScriptedConnection& connection) {
        connection.read_head();
        while (connection.send("HTTP/1.1 200 OK\r\nX: y\r\n")) std::this_thread::sleep_for(20ms);
      },
      [](ScriptedConnection& connection) {
        connection.read_head();
        connection.send("HTTP/1.1 200 OK\r\n\r\n");
        while (connection.send("x")) std::this_thread::sleep_for(20ms);
      }};
  for (const auto& script : scripts) {
    const ScriptServer server({script});
    Call call = get(server.url());
    const auto begin = std::chrono::steady_clock::now();
    call.limits.deadline = begin + 200ms;
    const auto reply = make_client()->send(call);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::deadline_exceeded) << reply.error().message;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  }
}

TEST(Client, TakesDeadlinesByTheClockOfItsCallers) {
  const ScriptServer server({answer(ok("hello"))});
  FakeClock clock;
  clock.advance(24h * 365 * 40);
  const auto client = make_client({.clock = &clock});
  Call call = get(server.url());
  call.limits = Limits::within(clock, 30s);
  EXPECT_EQ(text(client->send(call)), "200 hello");
  clock.advance(30s);
  EXPECT_EQ(client->send(call).error().code, ErrorCode::deadline_exceeded);
}

TEST(Client, NeedsADeadline) {
  Call call = get("http://127.0.0.1:1/");
  call.limits = {};
  const Error error = make_client()->send(call).error();
  EXPECT_EQ(error.code, ErrorCode::invalid);
  EXPECT_EQ(error.message, "GET http://127.0.0.1:1/: the call has no deadline");
}

TEST(Client, StopsWhenAsked) {
  const ScriptServer server({[](ScriptedConnection& connection) { connection.wait_for_close(); }});
  std::stop_source source;
  Call call = get(server.url());
  call.limits.stop = source.get_token();
  std::jthread stopper([&] {
    while (server.connections() == 0) std::this_thread::yield();
    source.request_stop();
  });
  EXPECT_EQ(make_client()->send(call).error().code, ErrorCode::cancelled);
  EXPECT_EQ(make_client()->send(call).error().code, ErrorCode::cancelled);
}

TEST(Client, RefusesBodiesAboveTheLimit) {
  for (const std::string& bytes : {ok("hello!"), std::string("HTTP/1.1 200 OK\r\n\r\nhello!")}) {
    const ScriptServer server({answer(bytes)});
    Call call = get(server.url());
    call.max_body_bytes = 5;
    EXPECT_EQ(make_client()->send(call).error().code, ErrorCode::too_large);
    call.max_body_bytes = 6;
    EXPECT_EQ(text(make_client()->send(call)), "200 hello!");
  }
}

TEST(Client, StreamsBodiesAndEndsWhereTheReceiverFails) {
  const ScriptServer server({answer(ok(std::string(100'000, 'x')))});
  Call call = get(server.url());
  std::size_t received = 0;
  call.on_body = [&](std::string_view piece) -> Result<void> {
    received += piece.size();
    return {};
  };
  const auto reply = make_client()->send(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(received, 100'000U);
  EXPECT_EQ(reply->body, "");
  call.on_body = [](std::string_view) -> Result<void> { return fail(ErrorCode::conflict, "not this"); };
  const auto refused = make_client()->send(call);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_NE(refused.error().message.find("not this"), std::string::npos);
}

TEST(Client, KeepsTheBodyOfAnErrorWhenItStreams) {
  const ScriptServer server(
      {answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x'))});
  Call call = get(server.url());
  call.on_body = [](std::string_view) -> Result<void> { return fail(ErrorCode::conflict, "not this"); };
  const auto reply = make_client()->send(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body.size(), 64U * 1024);
}

TEST(Client, DecompressesGzipWithinTheLimitWhenAsked) {
  const std::string bytes = gzip(std::string(10'000, 'x'));
  const ScriptServer server({[&](ScriptedConnection& connection) {
    const std::string head = connection.read_head();
    const bool asked = head.find("\r\nAccept-Encoding: gzip\r\n") != std::string::npos;
    connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: " +
                    std::to_string(bytes.size()) + "\r\n\r\n" + bytes);
    EXPECT_TRUE(asked);
  }});
  Call call = get(server.url());
  call.accept_gzip = true;
  const auto reply = make_client()->send(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, std::string(10'000, 'x'));
  EXPECT_FALSE(reply->headers.find("Content-Encoding"));
  call.max_body_bytes = 9'999;
  EXPECT_EQ(make_client()->send(call).error().code, ErrorCode::too_large);
}

std::string redirect(const std::string& to, int status = 302) {
  return "HTTP/1.1 " + std::to_string(status) + " Found\r\nConnection: close\r\nLocation: " + to +
         "\r\nContent-Length: 0\r\n\r\n";
}

TEST(Client, FollowsRedirectsOnlyWhereAskedAndOnlySoFar) {
  const ScriptServer server({answer(redirect("/b"))});
  EXPECT_EQ(make_client()->send(get(server.url()))->status, 302);
  Call call = get(server.url());
  call.max_redirects = 3;
  const auto endless = make_client()->send(call);
  ASSERT_FALSE(endless);
  EXPECT_NE(endless.error().message.find("more than 3 redirects"), std::string::npos);
  EXPECT_EQ(server.connections(), 5);
  call.method = "POST";
  EXPECT_EQ(make_client()->send(call)->status, 302);
}

TEST(Client, TakesNoCredentialsToAnotherOrigin) {
  std::string elsewhere_head, here_head;
  const ScriptServer elsewhere({[&](ScriptedConnection& connection) {
    elsewhere_head = connection.read_head();
    connection.send(ok("there"));
  }});
  const ScriptServer here({answer(redirect("/second", 307)), [&](ScriptedConnection& connection) {
                             here_head = connection.read_head();
                             connection.send(redirect(elsewhere.url("/third")));
                           }});
  Call call = get(here.url());
  call.url.userinfo = "user:password";
  call.headers.add("Authorization", "Bearer secret");
  call.headers.add("Cookie", "a=b");
  call.headers.add("X-Other", "kept");
  call.max_redirects = 5;
  const auto reply = make_client()->send(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "there");
  EXPECT_EQ(reply->url.path, "/third");
  EXPECT_NE(here_head.find("Bearer secret"), std::string::npos);
  EXPECT_EQ(elsewhere_head.find("uthorization"), std::string::npos);
  EXPECT_EQ(elsewhere_head.find("Cookie"), std::string::npos);
  EXPECT_NE(elsewhere_head.find("X-Other: kept"), std::string::npos);
}

TEST(Client, TellsRefusedConnectionsAndUnknownNames) {
  std::uint16_t free_port = 0;
  {
    const ScriptServer server({answer("")});
    free_port = server.port();
    EXPECT_FALSE(make_client()->send(get(server.url())));
  }
  const auto refused = make_client()->send(get("http://127.0.0.1:" + std::to_string(free_port)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_NE(refused.error().message.find("Connection refused"), std::string::npos) << refused.error().message;
  const auto unknown = make_client()->send(get("http://name.invalid/"));
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("looking up name.invalid"), std::string::npos)
      << unknown.error().message;
}

TEST(Client, RefusesCallsThatCannotBeSent) {
  Call call = get("http://a/");
  call.url.path = "/a b";
  EXPECT_EQ(make_client()->send(call).error().code, ErrorCode::invalid);
  call.url.path = "/\r\nX: y";
  EXPECT_EQ(make_client()->send(call).error().code, ErrorCode::invalid);
  call = get("ftp://a/");
  EXPECT_EQ(make_client()->send(call).error().code, ErrorCode::invalid);
  call = get("http://a/");
  call.method = "GET /x HTTP/1.1\r\n";
  EXPECT_EQ(make_client()->send(call).error().code, ErrorCode::invalid);
}

TEST(Client, FindsALocalServerByName) {
  const ScriptServer server({answer(ok("hello"))});
  EXPECT_EQ(text(make_client()->send(get("http://localhost:" + std::to_string(server.port())))), "200 hello");
}

TEST(Client, SpeaksToHttpProxies) {
  std::vector<std::string> heads;
  const ScriptServer proxy({[&](ScriptedConnection& connection) {
    heads.push_back(connection.read_head());
    connection.send(ok("by proxy"));
    heads.push_back(connection.read_head());
    connection.send(ok("again"));
    connection.wait_for_close();
  }});
  ASSERT_EQ(::setenv("HTTP_PROXY", ("http://u:p@127.0.0.1:" + std::to_string(proxy.port())).c_str(), 1), 0);
  auto client = Client::create({});
  ::unsetenv("HTTP_PROXY");
  ASSERT_TRUE(client);
  EXPECT_EQ(text((*client)->send(get("http://example.invalid:81/a?b"))), "200 by proxy");
  EXPECT_EQ(text((*client)->send(get("http://other.invalid/"))), "200 again");
  EXPECT_TRUE(
      heads.at(0).starts_with("GET http://example.invalid:81/a?b HTTP/1.1\r\nHost: example.invalid:81\r\n"))
      << heads.at(0);
  EXPECT_NE(heads.at(0).find("Proxy-Authorization: Basic dTpw\r\n"), std::string::npos);
  EXPECT_TRUE(heads.at(1).starts_with("GET http://other.invalid/ HTTP/1.1\r\n"));
  client->reset();
}

}  // namespace
}  // namespace fairway::http
