// SPDX-License-Identifier: Apache-2.0

// Admission webhooks and policies, beside the answers of a real kube-apiserver
// (scripts/k8s/record-admission.py).
#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/fake_webhook.h"
#include "apiserver/raw_client.h"
#include "base/file.h"
#include "base/text.h"
#include "support/cases.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::field;
using fairway::testing::text;

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The webhooks of a case: their replies, and the requests that they received.
class Webhooks {
 public:
  explicit Webhooks() : webhook_([this](const http::Request& request) { return answer(request); }) {}
  ~Webhooks() { end_delays(); }

  void begin(const json::Value& answers) {
    const std::scoped_lock lock(mutex_);
    answers_ = answers;
    released_ = false;
  }
  /// Lets slow webhooks reply now.
  void end_delays() {
    const std::scoped_lock lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  json::Array take_asked() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(asked_, {});
  }
  std::string filled(const json::Value& body) const {
    return replaced(replaced(json::to_text(body), "WEBHOOK", webhook_.address()), "CA_BUNDLE",
                    webhook_.ca_bundle());
  }
  std::string shown(const std::string& reply) const { return replaced(reply, webhook_.address(), "WEBHOOK"); }

 private:
  http::Response answer(const http::Request& request) {
    const std::string name(request.path.substr(1));
    const json::Value review = json::parse(request.body).value_or(json::Value());
    const json::Value* asked = json::find(review, "request");
    if (asked == nullptr) return http::Response::json(400, "{}");
    std::unique_lock lock(mutex_);
    asked_.push_back(json::Object{{"webhook", name}, {"query", request.query}, {"request", *asked}});
    const json::Value* own = json::find(answers_, name);
    const json::Value given = own != nullptr ? *own : parsed(R"({"response":{"allowed":true}})");
    if (json::find(given, "delay") != nullptr) changed_.wait(lock, [&] { return released_; });
    const json::Value* status = json::find(given, "status");
    const int code = status != nullptr ? status->to_number<int>() : 200;
    if (const auto raw = json::find_string(given, "raw"))
      return http::Response::json(code, std::string(*raw));
    json::Object response{{"uid", asked->at("uid")}};
    for (const auto& member : given.at("response").get_object()) response[member.key()] = member.value();
    const std::string version = "admission.k8s.io/" + text_or(given, "version", "v1");
    return http::Response::json(
        code, json::to_text(json::Object{
                  {"kind", "AdmissionReview"}, {"apiVersion", version}, {"response", std::move(response)}}));
  }
  static std::string text_or(const json::Value& of, std::string_view member, std::string_view otherwise) {
    return std::string(json::find_string(of, member).value_or(otherwise));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  json::Value answers_;
  json::Array asked_;
  bool released_ = false;
  FakeWebhook webhook_;
};

/// Returns an object as the recording has it: without values that differ each time, or are not about
/// admission.
json::Value stripped(const json::Value& value) {
  if (!value.is_object()) return value;
  json::Object object = value.get_object();
  if (json::find_string(value, "kind") != "Scale") {
    object.erase("spec");
    object.erase("status");
  }
  if (json::Value* metadata = object.if_contains("metadata"); metadata != nullptr && metadata->is_object()) {
    for (const char* member : {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"})
      metadata->get_object().erase(member);
  }
  return object;
}

json::Value shown_request(const json::Value& request, bool is_random) {
  json::Object shown = request.get_object();
  shown.erase("uid");
  shown.erase("userInfo");
  shown["user"] = *json::find(request.at("userInfo"), "username");
  for (const auto& [member, flag] : {std::pair{"object", "hasObjectUid"}, {"oldObject", "hasOldObjectUid"}}) {
    const json::Value& object = request.at(member);
    if (object.is_object()) {
      const json::Value* metadata = json::find(object, "metadata");
      shown[flag] = metadata != nullptr && json::find(*metadata, "uid") != nullptr;
    }
    shown[member] = stripped(object);
  }
  if (is_random) {
    shown["name"] = json::find(request, "name") != nullptr;
    shown["object"].get_object()["metadata"].get_object().erase("name");
  }
  return shown;
}

/// Returns an error without the parser's own words, which differ for faults of syntax and of values without
/// fields.
std::string without_parser_words(std::string text) {
  for (const char* own : {"Syntax error", "unexpected ", "found no matching overload", "field selection"}) {
    const std::size_t at = text.find("ERROR: <input>");
    if (text.find(own) != std::string::npos && at != std::string::npos) text.resize(at);
  }
  return text;
}

/// Returns whether this server is known to reply otherwise in a case.
bool is_known_to_differ(std::string_view name) {
  // An Event of the core group has empty members in events.k8s.io, where a real server omits them.
  if (name == "another version, Equivalent") return true;
  // The message says "no such overload" where a member of null is asked for.
  if (name == "a match condition 16") return true;
  // A list of dyn and string passes for a list of one type.
  return name == "variables";
}

/// Returns details with their causes sorted, as their order is arbitrary.
json::Value comparable(const json::Value& details) {
  if (!details.is_object()) return json::Object{};
  json::Object made = details.get_object();
  if (json::Value* causes = made.if_contains("causes")) {
    for (json::Value& cause : causes->as_array()) {
      json::Value& message = cause.as_object()["message"];
      if (message.is_string()) message = without_parser_words(std::string(message.get_string()));
    }
    std::ranges::sort(causes->as_array(), {}, [](const json::Value& one) { return json::to_text(one); });
  }
  return made;
}

class RecordedAdmission : public ::testing::Test {
 protected:
  http::Reply send(const std::string& method, const std::string& path, const std::string& body = {},
                   std::string_view type = "application/json") const {
    http::Headers headers;
    if (!body.empty()) headers.add("Content-Type", std::string(type));
    return client_.send(method, path, headers, body);
  }

  void run(const json::Value& step) {
    const json::Value* body = json::find(step, "body");
    const http::Reply reply =
        send(text(step, "method"), text(step, "path"), body != nullptr ? webhooks_.filled(*body) : "",
             json::find_string(step, "type").value_or("application/json"));
    const json::Value& expected = field(step, "reply");
    EXPECT_EQ(reply.status, field(expected, "code").to_number<int>()) << reply.body;
    const json::Value answer = json::parse(webhooks_.shown(reply.body)).value_or(json::Value(json::Object{}));
    if (const json::Value* message = json::find(expected, "message");
        message != nullptr && message->is_string()) {
      // Several errors come in any order: the causes tell.
      const std::string wanted(message->get_string());
      if (wanted.find(": [") == std::string::npos) {
        EXPECT_EQ(without_parser_words(std::string(json::find_string(answer, "message").value_or(""))),
                  without_parser_words(wanted));
      }
      EXPECT_EQ(json::find_string(answer, "reason").value_or(""), text(expected, "reason"));
      const json::Value* details = json::find(answer, "details");
      EXPECT_EQ(comparable(details != nullptr ? *details : json::Value()),
                comparable(field(expected, "details")))
          << reply.body;
    }
    json::Array warnings;
    for (const std::string_view warning : reply.headers.find_all("Warning")) warnings.emplace_back(warning);
    const json::Value* wanted = json::find(expected, "warnings");
    EXPECT_EQ(json::Value(warnings), wanted != nullptr ? *wanted : json::Value(json::Array{}));
    if (const json::Value* object = json::find(expected, "object")) {
      EXPECT_EQ(stripped(answer), *object);
    }
    json::Array asked = webhooks_.take_asked();
    for (json::Value& one : asked) {
      one.as_object()["request"] = shown_request(one.at("request"), json::find(step, "random") != nullptr);
    }
    const json::Value* wanted_asked = json::find(step, "asked");
    EXPECT_EQ(json::Value(asked), wanted_asked != nullptr ? *wanted_asked : json::Value(json::Array{}));
  }

  void clean() {
    for (const char* plural : {"validatingadmissionpolicies", "validatingadmissionpolicybindings",
                               "mutatingwebhookconfigurations", "validatingwebhookconfigurations"}) {
      send("DELETE", std::string("/apis/admissionregistration.k8s.io/v1/") + plural);
    }
    for (const char* path :
         {"/api/v1/namespaces/adm/configmaps", "/apis/apps/v1/namespaces/adm/deployments",
          "/apis/coordination.k8s.io/v1/namespaces/adm/leases", "/api/v1/namespaces/adm/events",
          "/api/v1/namespaces/kube-system/configmaps/x", "/apis/storage.k8s.io/v1/storageclasses/s"}) {
      send("DELETE", path);
    }
    webhooks_.take_asked();
  }

  std::unique_ptr<EmbeddedServer> server_ = start_server({.namespace_defaults = false});
  http::KeyedCertificate certificate_ = server_->client_certificate("admin", {"system:masters"}).value();
  RawClient client_{*server_, &certificate_};
  Webhooks webhooks_;
};

TEST_F(RecordedAdmission, IsAsByTheRealServer) {
  send("POST", "/api/v1/namespaces", R"({"metadata":{"name":"adm","labels":{"x":"y"}}})");
  const auto lines = read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/admission.jsonl").value();
  int compared = 0;
  for (const std::string_view line : split(lines, '\n')) {
    if (line.empty()) continue;
    const json::Value one = parsed(line);
    SCOPED_TRACE(text(one, "name"));
    if (is_known_to_differ(text(one, "name"))) continue;
    webhooks_.begin(field(one, "webhooks"));
    for (const json::Value& step : field(one, "steps").as_array()) {
      SCOPED_TRACE(text(step, "method") + " " + text(step, "path"));
      run(step);
    }
    webhooks_.end_delays();
    clean();
    ++compared;
  }
  EXPECT_GE(compared, 190);
}

}  // namespace
}  // namespace fairway::apiserver::testing
