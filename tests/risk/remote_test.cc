// SPDX-License-Identifier: Apache-2.0

// The remote evaluator against servers that answer all kinds of things.
#include "risk/evaluators/remote.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "http/certificates.h"
#include "http/script_server.h"
#include "http/server.h"
#include "risk/asked.h"
#include "support/fake_service.h"
#include "support/shared_data.h"
#include "support/temp_directory.h"

namespace fairway::risk {
namespace {

using namespace std::chrono_literals;
using fairway::testing::FakeService;
using fairway::testing::TempDirectory;
using http::ScriptedConnection;
using http::ScriptServer;
using testing::ask;
using testing::shown;

constexpr const char* one_sample =
    R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1600000000,"1"]}]}})";

PrometheusOptions options_for(const std::string& url) {
  PrometheusOptions options;
  options.url = url;
  options.proxy_environment = false;
  options.deadline = 5s;
  return options;
}

std::unique_ptr<Evaluator> remote(const PrometheusOptions& options) {
  auto api = PrometheusApi::create(options);
  if (!api) throw std::runtime_error(api.error().message);
  return make_remote(*std::move(api));
}

std::filesystem::path replies_folder() {
  return fairway::testing::shared_path("data/prometheus");
}

std::string text(const json::Value& object, std::string_view key) {
  return std::string(json::find_string(object, key).value_or(""));
}

/// Returns the `verdict` of an answer in the tables: match, no-match or unknown.
std::string verdict_of(const Answer& answer) {
  if (answer.outcome == Outcome::matches) return "match";
  return answer.outcome == Outcome::does_not_match ? "no-match" : "unknown";
}

TEST(Remote, JudgesTheRepliesOfARealPrometheus) {
  FAIRWAY_NEEDS_SHARED(replies_folder());
  const auto index = read_file(replies_folder() / "index.json");
  ASSERT_TRUE(index) << index.error().message;
  const auto table =
      json::parse(read_file(FAIRWAY_SOURCE_DIR "/tests/risk/data/replies.json").value()).value();
  FakeService service([](const http::Request&) { return http::Response::json(500, "{}"); });
  const auto evaluator = remote(options_for(service.url("")));
  const json::Value document = json::parse(*index).value();
  const json::Array& replies = json::find(document, "replies")->as_array();
  EXPECT_GE(replies.size(), 41U);
  for (const json::Value& reply : replies) {
    const std::string file = text(reply, "file");
    SCOPED_TRACE(file);
    service.answer([&](const http::Request&) {
      return http::Response::text(static_cast<int>(json::find(reply, "http")->as_int64()),
                                  read_file(replies_folder() / file).value(), text(reply, "content_type"));
    });
    const Answer answer = ask(*evaluator, "up");
    EXPECT_EQ(verdict_of(answer), text(reply, "cvo_verdict"));
    // The server's own words, or those of the table.
    const json::Value body = json::parse(read_file(replies_folder() / file).value()).value();
    EXPECT_EQ(answer.error,
              text(body, "status") == "error"
                  ? "executing PromQL query: " + text(body, "errorType") + ": " + text(body, "error")
                  : text(table, file));
  }
}

/// Returns a server that sends each connection the same bytes and closes it.
std::unique_ptr<ScriptServer> server_of(const std::string& bytes) {
  return std::make_unique<ScriptServer>(
      std::vector<ScriptServer::Script>{[bytes](ScriptedConnection& client) {
        client.read_head();
        client.send(bytes);
      }});
}

TEST(Remote, KnowsTheSeriesThatDecided) {
  const auto answer_to = [](const std::string& sample) {
    return judge_reply(json::parse(R"({"resultType":"vector","result":[)" + sample + "]}").value());
  };
  const Answer decided = answer_to(R"({"metric":{"b":"x\"y","__name__":"up","a":"1"},"value":[1,"1"]})");
  EXPECT_EQ(decided.outcome, Outcome::matches);
  EXPECT_EQ(decided.series, R"({__name__="up", a="1", b="x\"y"})");
  EXPECT_EQ(answer_to(R"({"metric":{},"value":[1,"0"]})").series, "");
  const Answer neither = answer_to(R"({"metric":{"a":"1"},"value":[1,"7"]})");
  EXPECT_EQ(neither.outcome, Outcome::failed);
  EXPECT_EQ(neither.series, R"({a="1"})");
  const Answer two =
      answer_to(R"({"metric":{"a":"1"},"value":[1,"1"]},{"metric":{"a":"2"},"value":[1,"1"]})");
  EXPECT_EQ(two.series, "");
  const Answer large = answer_to(R"({"metric":{"a":")" + std::string(5'000, 'x') + R"("},"value":[1,"1"]})");
  EXPECT_EQ(large.series.size(), max_series_bytes);
}

TEST(Remote, ReadsRawRepliesCompressedOnesIncluded) {
  FAIRWAY_NEEDS_SHARED(replies_folder());
  for (const auto& [file, wanted] : std::initializer_list<std::pair<const char*, const char*>>{
           {"match-one.http", "matches"},
           {"gzip-reply.http", "invalid PromQL result length must be one, but is 3"}}) {
    const auto server = server_of(read_file(replies_folder() / file).value());
    EXPECT_EQ(shown(ask(*remote(options_for(server->url())), "up")), wanted) << file;
  }
}

TEST(Remote, AsksAsPrometheusWantsIt) {
  FakeService service([](const http::Request&) { return http::Response::json(200, one_sample); });
  const TempDirectory folder;
  auto options = options_for(service.url("/prefix/"));
  options.token_file = folder.write("token", "first\n");
  const auto evaluator = remote(options);
  const std::string query = "group(up{job=~\"a&b|c+d\"}) or\n0 * group(up)";
  EXPECT_EQ(shown(ask(*evaluator, query)), "matches");
  folder.write("token", "second");
  EXPECT_EQ(shown(ask(*evaluator, query)), "matches");
  const auto seen = service.seen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].method, "GET");
  const auto mark = seen[0].target.find('?');
  EXPECT_EQ(seen[0].target.substr(0, mark), "/prefix/api/v1/query");
  const auto parameters = http::parse_query(seen[0].target.substr(mark + 1));
  EXPECT_EQ(parameters, (std::vector<std::pair<std::string, std::string>>{
                            {"query", query}, {"timeout", "5000ms"}, {"partial_response", "false"}}));
  EXPECT_EQ(seen[0].headers.at("Authorization"), "Bearer first");
  EXPECT_EQ(seen[1].headers.at("Authorization"), "Bearer second");
}

TEST(Remote, TakesNoAnswerThatSaysTwoThings) {
  FakeService service([](const http::Request&) { return http::Response::json(200, one_sample); });
  const auto evaluator = remote(options_for(service.url("")));
  const std::string good = R"([{"metric":{},"value":[1600000000,"0"]}])";
  for (
      const auto& [reply, wanted] : std::vector<std::pair<std::string, std::string>>{
          {R"({"status":"error","status":"success","data":{"resultType":"vector","result":)" + good + "}}",
           "the key 'status' stands twice in one object"},
          {R"({"status":"success","data":{"resultType":"vector","result":[],"result":)" + good + "}}",
           "the key 'result' stands twice in one object"},
          {R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":["bad","0"]}]}})",
           "the sample has no time"},
          {R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1600000000,0]}]}})",
           "the sample has no value"}}) {
    service.answer([reply](const http::Request&) { return http::Response::json(200, reply); });
    const std::string said = shown(ask(*evaluator, "up"));
    EXPECT_TRUE(said.starts_with("executing PromQL query: bad_response: ")) << said;
    EXPECT_NE(said.find(wanted), std::string::npos) << said;
  }
}

TEST(Remote, WithoutItsTokenNothingIsSent) {
  FakeService service([](const http::Request&) { return http::Response::json(200, one_sample); });
  const TempDirectory folder;
  auto options = options_for(service.url(""));
  options.token_file = folder / "token";
  const auto evaluator = remote(options);
  for (const char* content : {"", "\n", "two words", "a\nb"}) {
    folder.write("token", content);
    const Answer answer = ask(*evaluator, "up");
    EXPECT_EQ(answer.error,
              "executing PromQL query: reading the bearer token: " + options.token_file + " holds no token");
    EXPECT_EQ(answer.spent, Answer::Spent::nothing);
  }
  std::filesystem::remove(options.token_file);
  EXPECT_TRUE(shown(ask(*evaluator, "up")).starts_with("executing PromQL query: reading the bearer token: "));
  EXPECT_TRUE(service.seen().empty());
  folder.write("token", "token");
  EXPECT_EQ(shown(ask(*evaluator, "up")), "matches");
}

struct WrongReply {
  int status;
  const char* body;
  const char* error;
};

TEST(Remote, SaysWhatIsWrongWithAReply) {
  FakeService service([](const http::Request&) { return http::Response::json(500, "{}"); });
  const auto evaluator = remote(options_for(service.url("")));
  for (
      const WrongReply& wrong : std::initializer_list<WrongReply>{
          {401, "Unauthorized\n", "client_error: client error: 401"},
          {403, "", "client_error: client error: 403"},
          {404, "<html>", "client_error: client error: 404"},
          {500, "{}", "server_error: server error: 500"},
          {503, "Service Unavailable", "server_error: server error: 503"},
          {504, R"({"status":"error","errorType":"timeout","error":"too\nslow"})", R"(timeout: too\nslow)"},
          {400, R"({"status":"success"})", "bad_response: inconsistent body for response code"},
          {422, "{}", "bad_response: inconsistent body for response code"},
          {200, "", "bad_response: not JSON: line 1, column 1: the text ends too early"},
          {200, "<html>", "bad_response: not JSON: line 1, column 1: syntax error"},
          {200, "[]", "bad_response: the answer has no status"},
          {200, R"({"status":"error","error":"odd"})", "error: odd"},
          {200, R"({"status":"success"})", "bad_response: the answer has no result"},
          {200, R"({"status":"success","data":{"resultType":"vector"}})",
           "bad_response: the answer has no result"},
          {200, R"({"status":"success","data":{"resultType":"tensor","result":[]}})",
           "bad_response: the result has the type 'tensor', which is none"},
          {200, R"({"status":"success","data":{"resultType":"vector","result":{}}})",
           "bad_response: the result is no list of samples"},
          {200, R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{}}]}})",
           "bad_response: the sample has no value"},
          {200, R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1,1]}]}})",
           "bad_response: the sample has no value"},
          {200, R"({"status":"success","data":{"resultType":"vector","result":[{"histogram":[1,{}]}]}})",
           "bad_response: the sample has no value"},
          {200, R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1,"1 "]}]}})",
           "bad_response: '1 ' is not a sample's value"},
          {200, R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1,""]}]}})",
           "bad_response: '' is not a sample's value"},
          {200, R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1,"0"]}]}})",
           "bad_response: the sample has no metric"},
          {200,
           R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":["1","0"]}]}})",
           "bad_response: the sample has no time"},
          {200,
           R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1e400,"0"]}]}})",
           "bad_response: line 1, column 83: the number 1e400 is beyond the largest that a double can be "
           "(about 1.8e308)"},
          {204, "", "bad_response: not JSON: line 1, column 1: the text ends too early"},
      }) {
    SCOPED_TRACE(wrong.body);
    service.answer([&](const http::Request&) { return http::Response::json(wrong.status, wrong.body); });
    const Answer answer = ask(*evaluator, "up");
    EXPECT_EQ(shown(answer), std::string("executing PromQL query: ") + wrong.error);
    EXPECT_EQ(answer.spent, Answer::Spent::query);
  }
  for (const char* one : {"1.0", "+1", "1e0", "1"}) {
    service.answer([&](const http::Request&) {
      return http::Response::json(200, std::string(R"({"status":"success","data":{"resultType":"vector",)") +
                                           R"("result":[{"metric":{},"value":[1600000000,")" + one +
                                           "\"]}]}}");
    });
    EXPECT_EQ(shown(ask(*evaluator, "up")), "matches") << one;
  }
}

TEST(Remote, FollowsNoRedirect) {
  FakeService elsewhere([](const http::Request&) { return http::Response::json(200, one_sample); });
  FakeService service([&](const http::Request&) {
    http::Response response = http::Response::text(302, "");
    response.headers.set("Location", elsewhere.url("/api/v1/query"));
    return response;
  });
  EXPECT_EQ(shown(ask(*remote(options_for(service.url(""))), "up")),
            "executing PromQL query: bad_response: bad response code 302: a redirect to " +
                elsewhere.url("/api/v1/query") + "; redirects are not followed");
  EXPECT_TRUE(elsewhere.seen().empty());
}

/// Returns the peak memory of this process in kilobytes.
long most_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// One server that misbehaves in another way each time, and behaves at last.
TEST(Remote, StaysInsideItsDeadlineAndMemoryAndRecovers) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  const std::string piece(64 << 10, ' ');
  const auto flood = [&](ScriptedConnection& client) {
    for (int i = 0; i < 1'600 && client.send(piece); ++i) {
    }
  };
  const std::vector<ScriptServer::Script> scripts{
      // Slow: accepts, and says nothing.
      [](ScriptedConnection& client) { client.wait_for_close(); },
      // Slow: drips.
      [&](ScriptedConnection& client) {
        client.send(head + "Content-Length: 1000\r\n\r\n");
        while (client.send(" ")) std::this_thread::sleep_for(20ms);
      },
      // Wrong: no HTTP, then an answer that is cut off.
      [](ScriptedConnection& client) {
        client.read_head();
        client.send("220 mail.example.com ESMTP\r\n");
      },
      [&](ScriptedConnection& client) {
        client.read_head();
        client.send(head + "Content-Length: 1000\r\n\r\n{\"status\":");
      },
      // 100 MB, announced and not.
      [&](ScriptedConnection& client) {
        client.read_head();
        client.send(head + "Content-Length: 104857600\r\n\r\n");
        flood(client);
      },
      [&](ScriptedConnection& client) {
        client.read_head();
        client.send(head + "Connection: close\r\n\r\n");
        flood(client);
      },
      [&](ScriptedConnection& client) {
        client.read_head();
        client.send(head + "Connection: close\r\n\r\n" + one_sample);
      },
  };
  ScriptServer server(scripts);
  auto options = options_for(server.url());
  options.deadline = 60s;
  const auto patient = remote(options);
  options.deadline = 400ms;
  const auto hasty = remote(options);
  const long before = most_kilobytes();
  const std::string asked = "executing PromQL query: GET " + server.url("/api/v1/query") + ": ";
  for (const char* wanted :
       {"waiting for the reply: no answer in time", "waiting for the reply: no answer in time",
        "the server's reply is no well-formed HTTP: bad version",
        "the server closed the connection in the middle of its reply",
        "the reply is larger than the 1048576 bytes allowed",
        "the reply is larger than the 1048576 bytes allowed", "matches"}) {
    const auto begun = std::chrono::steady_clock::now();
    const bool waits = std::string_view(wanted).ends_with("no answer in time");
    const Answer answer = ask(waits ? *hasty : *patient, "up");
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
    EXPECT_EQ(shown(answer), answer.outcome == Outcome::failed ? asked + wanted : wanted);
  }
  EXPECT_LT(most_kilobytes() - before, 32 << 10);
}

TEST(Remote, ADeadServerIsAFailureAndTheNextRoundRecovers) {
  std::string url;
  {
    const ScriptServer gone(std::vector<ScriptServer::Script>{[](ScriptedConnection&) {}});
    url = gone.url();
  }
  const auto evaluator = remote(options_for(url));
  const Answer answer = ask(*evaluator, "up");
  EXPECT_TRUE(answer.error.starts_with("executing PromQL query: GET " + url + "api/v1/query: "))
      << answer.error;
  // The query has not reached anybody: its hour has not begun, but the next try waits for its turn.
  EXPECT_EQ(answer.spent, Answer::Spent::turn);
}

TEST(Remote, WhatMayHaveReachedTheServerHasHadItsTurn) {
  ScriptServer server(std::vector<ScriptServer::Script>{[](ScriptedConnection&) {}});  // hangs up
  EXPECT_EQ(ask(*remote(options_for(server.url())), "up").spent, Answer::Spent::query);
}

TEST(Remote, StopsWhenItIsToldTo) {
  std::stop_source stop;
  const ScriptServer server({[&](ScriptedConnection& client) {
    client.read_head();
    stop.request_stop();
    client.wait_for_close();
  }});
  auto options = options_for(server.url());
  options.deadline = 60s;
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(ask(*remote(options), "up", stop.get_token()).outcome, Outcome::failed);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
}

TEST(Remote, TrustsTheCaItIsGivenAndNoOther) {
  const TempDirectory folder;
  const fairway::testing::TestCa ca, other("Other CA");
  const auto made = ca.server();
  http::ServerOptions server_options;
  server_options.listen = "127.0.0.1:0";
  server_options.io_threads = 1;
  server_options.tls = {.certificate_file = folder.write("tls.crt", made.certificate),
                        .key_file = folder.write("tls.key", made.key)};
  http::Router router;
  router.immediate("/", "GET", [](const http::Request&) { return http::Response::json(200, one_sample); });
  const auto server = http::Server::start(server_options, router);
  ASSERT_TRUE(server.has_value()) << server.error().message;
  auto options = options_for("https://" + (*server)->address());
  options.ca_files = {folder.write("ca.crt", ca.certificate())};
  EXPECT_EQ(shown(ask(*remote(options), "up")), "matches");
  options.ca_files = {folder.write("other.crt", other.certificate())};
  EXPECT_EQ(ask(*remote(options), "up").outcome, Outcome::failed);
}

TEST(Remote, GoesThroughTheProxyOfTheEnvironment) {
  std::string asked;
  const ScriptServer proxy({[&](ScriptedConnection& client) {
    asked = client.read_head();
    client.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" +
                std::string(one_sample));
  }});
  ASSERT_EQ(setenv("HTTP_PROXY", proxy.url().c_str(), 1), 0);
  auto options = options_for("http://prometheus.example:9090");
  options.proxy_environment = true;
  const auto evaluator = remote(options);
  unsetenv("HTTP_PROXY");
  EXPECT_EQ(shown(ask(*evaluator, "up")), "matches");
  EXPECT_TRUE(asked.starts_with("GET http://prometheus.example:9090/api/v1/query?query=up")) << asked;
}

TEST(PrometheusApi, RefusesWhatIsNoServer) {
  for (const char* url : {"", "prometheus:9090", "ftp://prometheus", "http://prometheus/graph?query=up"}) {
    PrometheusOptions options;
    options.url = url;
    EXPECT_FALSE(PrometheusApi::create(options).has_value()) << url;
  }
  EXPECT_EQ(PrometheusApi::create(options_for("http://user:secret@prometheus:9090/thanos/")).value()->name(),
            "http://prometheus:9090/thanos");
}

}  // namespace
}  // namespace fairway::risk
