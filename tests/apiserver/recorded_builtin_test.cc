// Services, bindings, evictions, autoscalers, signers and finalizers of namespaces, beside the answers of a
// real kube-apiserver (scripts/k8s/record-builtin.py).
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "apiserver/raw_client.h"
#include "base/file.h"
#include "support/cases.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::field;
using fairway::testing::text;

std::string without_chance(const std::string& text) {
  static const std::regex address(R"(\b10\.(?!96\.0\.|111\.255\.255)(9[6-9]|1\d\d)\.\d+\.\d+\b)"),
      time(R"(\b\d{4}-\d\d-\d\dT[0-9:.]+Z)"), uid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  std::string made = text;
  for (const std::regex* one : {&address, &time, &uid}) made = std::regex_replace(made, *one, "any");
  return made;
}

/// What the server chose, and times, as "any".
json::Value without_chance(const json::Value& value) {
  constexpr int first_port = 30'086, last_port = 32'767;
  if (value.is_int64() && value.get_int64() >= first_port && value.get_int64() <= last_port) return "any";
  if (value.is_string()) return json::Value(without_chance(std::string(value.get_string())));
  if (const json::Array* list = value.if_array()) {
    json::Array made;
    for (const json::Value& one : *list) made.push_back(without_chance(one));
    return made;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return value;
  json::Object made;
  for (const auto& member : *object) {
    if (member.key() == "managedFields" || member.key() == "uid") continue;
    made[member.key()] = without_chance(member.value());
  }
  return made;
}

/// Which managers there are, but for the scripts'.
json::Value managers_of(const k8s::View& object) {
  std::vector<std::string> all;
  for (const k8s::View& entry : object.items("metadata.managedFields")) {
    const std::string manager(entry.text("manager"));
    if (manager != "finalizers") continue;
    // As Python writes it.
    std::string fields = json::to_text(*entry.find("fieldsV1"));
    fields = std::regex_replace(fields, std::regex(":([{\\[])"), ": $1");
    fields = std::regex_replace(fields, std::regex(",\""), ", \"");
    all.push_back(manager + " " + std::string(entry.text("operation")) + " " +
                  std::string(entry.text("subresource")) + " " + fields);
  }
  return json::Array(all.begin(), all.end());
}

TEST(RecordedBuiltInKinds, AreServedAsByTheRealServer) {
  const json::Value recorded =
      parsed(read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/builtin.json").value());
  const auto server =
      start_server({.namespace_controller = false, .namespace_defaults = false, .role_aggregation = false});
  std::map<std::string, RawClient> users;
  for (const char* user : {"one", "domain", "nobody"}) {
    const http::KeyedCertificate certificate = server->client_certificate(user, {}).value();
    users.emplace(user, RawClient(*server, &certificate));
  }
  users.emplace("root", RawClient(*server, &server->admin()));
  const json::Array& steps = recorded.as_array();
  ASSERT_GE(steps.size(), 180u);
  for (std::size_t number = 0; number < steps.size(); ++number) {
    const json::Value& step = steps[number];
    SCOPED_TRACE("step " + std::to_string(number) + ": " + json::to_text(step));
    http::Headers headers;
    const json::Value *type = json::find(step, "type"), *body = json::find(step, "body");
    if (type != nullptr) headers.set("Content-Type", std::string(type->as_string()));
    const http::Reply reply = users.at(text(step, "user"))
                                  .send(text(step, "method"), text(step, "path"), headers,
                                        body != nullptr ? json::to_text(*body) : "");
    EXPECT_EQ(reply.status, field(step, "status").to_number<int>()) << reply.body;
    const json::Value& wanted = field(step, "answer");
    const json::Value ours = json::parse(reply.body).value_or(json::Value(reply.body));
    if (reply.status >= 400) {
      EXPECT_EQ(without_chance(ours), wanted) << json::to_text(without_chance(ours));
      continue;
    }
    if (!ours.is_object()) continue;
    const k8s::View object(ours.get_object());
    for (const auto& member : wanted.as_object()) {
      const json::Value* found = object.find(member.key());
      const json::Value part = member.key() == "managers" ? managers_of(object)
                               : found != nullptr         ? without_chance(*found)
                                                          : json::Value();
      EXPECT_EQ(part, member.value()) << member.key() << ": " << json::to_text(part);
    }
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
