// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/events.h"

#include <gtest/gtest.h>

#include "kube/scripted_api.h"

namespace fairway::kube {
namespace {

using std::chrono::seconds;
using testing::ScriptedApi;

constexpr std::string_view events_path = "/api/v1/namespaces/a/events";

k8s::Dynamic widget() {
  return k8s::Dynamic::
      parse(R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"a",)"
            R"("uid":"u-1","resourceVersion":"7"}})")
          .value();
}

/// Returns the JSON of the widget's first event, with the parts that differ.
json::Value written_event(std::string_view type, std::string_view reason, std::string_view message) {
  return json::parse(
             R"({"apiVersion":"v1","kind":"Event","metadata":{"namespace":"a","name":"w.1886caf21c963200"},)"
             R"("involvedObject":{"apiVersion":"widgets.example.com/v1","kind":"Widget","name":"w",)"
             R"("namespace":"a","uid":"u-1","resourceVersion":"7"},"type":")" +
             std::string(type) + R"(","reason":")" + std::string(reason) + R"(","message":")" +
             std::string(message) +
             R"(","source":{"component":"widgets"},"reportingComponent":"widgets",)"
             R"("reportingInstance":"host-1","count":1,"firstTimestamp":"2026-01-02T03:04:05Z",)"
             R"("lastTimestamp":"2026-01-02T03:04:05Z"})")
      .value();
}

json::Value exchange(std::string_view method, const std::string& target, const json::Value& body, int status,
                     const json::Value& reply) {
  return json::Object{{"request", json::Object{{"method", method}, {"target", target}, {"body", body}}},
                      {"reply", json::Object{{"status", status}, {"body", reply}}}};
}

/// Returns an exchange that does not check the request's target and body.
json::Value exchange(std::string_view method, int status, const json::Value& reply) {
  return json::Object{{"request", json::Object{{"method", method}}},
                      {"reply", json::Object{{"status", status}, {"body", reply}}}};
}

json::Value failure(std::string_view reason) {
  return json::Value(k8s::Status::failure(reason, "as the test wants it").json());
}

class EventsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Client> client_of(const ScriptedApi& server) {
    ClientConfig config;
    config.server = server.url();
    config.cluster_origin = "the test's cluster";
    ClientSettings settings;
    settings.clock = &clock_;
    return Client::create(config, settings).value();
  }
  static EventOptions options() {
    EventOptions options;
    options.instance = "host-1";
    return options;
  }

  FakeClock clock_{parse_time("2026-01-02T03:04:05Z").value()};
  metrics::Registry registry_;
};

TEST_F(EventsTest, AreWrittenOnceAndCountedAfterwards) {
  const json::Value first = written_event("Normal", "Painted", "it is red");
  const std::string named = std::string(events_path) + "/w.1886caf21c963200";
  const json::Value patch{{"count", 2}, {"lastTimestamp", "2026-01-02T03:04:15Z"}, {"message", "it is red"}};
  ScriptedApi server(json::Array{exchange("POST", std::string(events_path), first, 201, first),
                                 exchange("PATCH", named, patch, 200, first)});
  EventSink sink(client_of(server), options(), &registry_);
  const EventRecorder recorder(sink, "widgets");
  recorder.normal(widget(), "Painted", "it is red");
  ASSERT_TRUE(sink.flush(seconds(10)));
  clock_.advance(seconds(10));
  recorder.normal(widget(), "Painted", "it is red");
  ASSERT_TRUE(sink.flush(seconds(10)));
  EXPECT_EQ(server.faults(), "");
  EXPECT_NE(registry_.text().find("fairway_events_total{result=\"sent\"} 2\n"), std::string::npos);
}

TEST_F(EventsTest, AreMadeAnewWhereTheServerHasForgottenThem) {
  const json::Value first = written_event("Warning", "Dry", "no paint");
  ScriptedApi server({exchange("POST", std::string(events_path), first, 201, first),
                      exchange("PATCH", 404, failure("NotFound")), exchange("POST", 201, first)});
  EventSink sink(client_of(server), options());
  const EventRecorder recorder(sink, "widgets");
  recorder.warning(widget(), "Dry", "no paint");
  recorder.warning(widget(), "Dry", "no paint");
  ASSERT_TRUE(sink.flush(seconds(10)));
  EXPECT_EQ(server.faults(), "");
}

TEST_F(EventsTest, AreSentAgainWhereNoAnswerCame) {
  const json::Value first = written_event("Warning", "Dry", "no paint");
  ScriptedApi server(
      json::Array{exchange("POST", std::string(events_path), first, 500, failure("InternalError")),
                  exchange("POST", std::string(events_path), first, 409, failure("AlreadyExists"))});
  EventSink sink(client_of(server), options(), &registry_);
  const EventRecorder recorder(sink, "widgets");
  recorder.warning(widget(), "Dry", "no paint");
  clock_.wait_for_waiters(1);
  clock_.advance(seconds(10));
  ASSERT_TRUE(sink.flush(seconds(10)));
  EXPECT_EQ(server.faults(), "");
  EXPECT_NE(registry_.text().find("fairway_events_total{result=\"sent\"} 1\n"), std::string::npos);
}

TEST_F(EventsTest, AreDroppedWhereTheServerRefusesThem) {
  const json::Value first = written_event("Warning", "Dry", "no paint");
  ScriptedApi server(
      json::Array{exchange("POST", std::string(events_path), first, 403, failure("Forbidden"))});
  EventSink sink(client_of(server), options(), &registry_);
  EventRecorder(sink, "widgets").warning(widget(), "Dry", "no paint");
  ASSERT_TRUE(sink.flush(seconds(10)));
  EXPECT_EQ(server.faults(), "");
  EXPECT_NE(registry_.text().find("fairway_events_total{result=\"dropped\"} 1\n"), std::string::npos);
}

TEST_F(EventsTest, HoldNobodyUp) {
  ScriptedApi server(json::Array{exchange("POST", 500, failure("InternalError"))});
  EventOptions few = options();
  few.capacity = 3;
  EventSink sink(client_of(server), few, &registry_);
  const EventRecorder recorder(sink, "widgets");
  recorder.normal(widget(), "Painted", "first");
  clock_.wait_for_waiters(1);  // the first one waits to be sent again
  for (int i = 0; i < 5; ++i) recorder.normal(widget(), "Painted", "more");
  EXPECT_NE(registry_.text().find("fairway_events_total{result=\"dropped\"} 2\n"), std::string::npos);
  bool flushed = true;
  std::jthread flusher([&] { flushed = sink.flush(seconds(2)); });
  clock_.wait_for_waiters(2);
  clock_.advance(seconds(2));
  flusher.join();
  EXPECT_FALSE(flushed);
}

TEST_F(EventsTest, KeepTheBeginningOfALongMessage) {
  std::string message(1022, 'x');
  message += "\xC3\xA9\xC3\xA9";  // two letters of two bytes
  const json::Value first = written_event("Normal", "Long", std::string(1021, 'x') + "...");
  ScriptedApi server(json::Array{exchange("POST", std::string(events_path), first, 201, first)});
  EventSink sink(client_of(server), options());
  EventRecorder(sink, "widgets").normal(widget(), "Long", message);
  ASSERT_TRUE(sink.flush(seconds(10)));
  EXPECT_EQ(server.faults(), "");
}

}  // namespace
}  // namespace fairway::kube
