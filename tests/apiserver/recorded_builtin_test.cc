// SPDX-License-Identifier: Apache-2.0

// Built-in kinds beside the answers of a real kube-apiserver: Services, bindings, evictions, autoscalers,
// signers and finalizers of namespaces (scripts/k8s/record-builtin.py), and what is refused for references
// and for what must not change (scripts/k8s/record-kind-rules.py); and custom resources
// (scripts/k8s/record-custom-rules.py).
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

/// Removes duplicate causes: a real server validates some things twice.
void make_causes_unique(json::Value& answer) {
  json::Value* details = answer.is_object() ? answer.get_object().if_contains("details") : nullptr;
  json::Value* causes =
      details != nullptr && details->is_object() ? details->get_object().if_contains("causes") : nullptr;
  if (causes == nullptr || !causes->is_array()) return;
  json::Array once;
  for (const json::Value& cause : causes->get_array()) {
    if (std::ranges::find(once, cause) == once.end()) once.push_back(cause);
  }
  *causes = std::move(once);
}

std::string without_chance(const std::string& text) {
  static const std::regex address(R"(\b10\.(?!96\.0\.|111\.255\.255)(9[6-9]|1\d\d)\.\d+\.\d+\b)"),
      time(R"(\b\d{4}-\d\d-\d\dT[0-9:.]+Z)"), uid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  std::string made = text;
  for (const std::regex* one : {&address, &time, &uid}) made = std::regex_replace(made, *one, "any");
  return made;
}

/// Returns a value with times and values that the server chose replaced by "any".
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

/// Returns the entries of the manager "finalizers".
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

json::Value names_of(const k8s::View& list) {
  std::vector<std::string> names;
  for (const k8s::View& one : list.items("items")) names.emplace_back(one.text("metadata.name"));
  std::ranges::sort(names);
  return json::Array(names.begin(), names.end());
}

/// Expands repeated characters: "x*3" is "xxx".
json::Value expanded(const json::Value& value) {
  if (value.is_string() && value.get_string().starts_with("x*"))
    return json::Value(std::string(std::stoul(std::string(value.get_string()).substr(2)), 'x'));
  if (const json::Array* list = value.if_array()) {
    json::Array made;
    for (const json::Value& one : *list) made.push_back(expanded(one));
    return made;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return value;
  json::Object made;
  for (const auto& member : *object) made[member.key()] = expanded(member.value());
  return made;
}

/// Removes values that Go prints in its own form.
json::Value without_values(const json::Value& answer) {
  return parsed(std::regex_replace(
      json::to_text(answer), std::regex(R"(Invalid value: [{[]((?!: field).)*[}\]]: (?=field is immutable))"),
      "Invalid value: any: "));
}

std::vector<std::string> warnings_of(const http::Reply& reply) {
  std::vector<std::string> all;
  for (const std::string_view one : reply.headers.find_all("Warning")) all.emplace_back(one);
  std::ranges::sort(all);
  return all;
}

/// Returns the warnings sorted, as their order is arbitrary.
std::vector<std::string> warnings_in(const json::Value& step) {
  std::vector<std::string> all;
  if (const json::Value* warnings = json::find(step, "warnings")) {
    for (const json::Value& one : warnings->as_array()) all.emplace_back(one.as_string());
  }
  std::ranges::sort(all);
  return all;
}

/// Compares the server with a recording. `says_warnings`: the file also has the warnings.
void compare(const std::string& file, std::size_t at_least, bool says_warnings) {
  const json::Value recorded = parsed(read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/" + file).value());
  const auto server = start_server({.garbage_collector = false,
                                    .namespace_controller = false,
                                    .namespace_defaults = false,
                                    .role_aggregation = false});
  std::map<std::string, RawClient> users;
  for (const char* user : {"one", "domain", "nobody"}) {
    const http::KeyedCertificate certificate = server->client_certificate(user, {}).value();
    users.emplace(user, RawClient(*server, &certificate));
  }
  users.emplace("root", RawClient(*server, &server->admin()));
  const json::Array& steps = recorded.as_array();
  ASSERT_GE(steps.size(), at_least);
  for (std::size_t number = 0; number < steps.size(); ++number) {
    const json::Value& step = steps[number];
    SCOPED_TRACE("step " + std::to_string(number) + ": " + json::to_text(step));
    http::Headers headers;
    const json::Value *type = json::find(step, "type"), *body = json::find(step, "body");
    if (type != nullptr) headers.set("Content-Type", std::string(type->as_string()));
    const auto sent = json::find_string(step, "text");
    const std::string path = text(step, "path");
    const http::Reply reply = users.at(text(step, "user"))
                                  .send(text(step, "method"), path, headers,
                                        sent              ? std::string(*sent)
                                        : body != nullptr ? json::to_text(expanded(*body))
                                                          : "");
    if (path.find("customresourcedefinitions") != std::string::npos) server->wait_until_current();
    EXPECT_EQ(reply.status, field(step, "status").to_number<int>()) << reply.body;
    json::Value wanted = field(step, "answer");
    make_causes_unique(wanted);
    json::Value ours = json::parse(reply.body).value_or(json::Value(reply.body));
    make_causes_unique(ours);
    if (reply.status >= 400) {
      if (json::to_text(wanted).find("Invalid value: any") != std::string::npos) ours = without_values(ours);
      EXPECT_EQ(without_chance(ours), wanted) << json::to_text(without_chance(ours));
      continue;
    }
    if (says_warnings) {
      EXPECT_EQ(warnings_of(reply), warnings_in(step));
    }
    if (wanted.is_string()) {
      EXPECT_EQ(reply.body, wanted.get_string());
    }
    if (!ours.is_object() || !wanted.is_object()) continue;
    const k8s::View object(ours.get_object());
    for (const auto& member : wanted.as_object()) {
      const json::Value* found = object.find(member.key());
      const json::Value part = member.key() == "managers" ? managers_of(object)
                               : member.key() == "names"  ? names_of(object)
                               : found != nullptr         ? without_chance(*found)
                                                          : json::Value();
      EXPECT_EQ(part, member.value()) << member.key() << ": " << json::to_text(part);
    }
  }
}

TEST(RecordedBuiltInKinds, AreServedAsByTheRealServer) {
  compare("builtin.json", 180, false);
}

TEST(RecordedBuiltInKinds, HaveTheRulesOfTheRealServer) {
  compare("kind_rules.json", 300, true);
}

TEST(RecordedCustomResources, AreServedAsByTheRealServer) {
  compare("custom_rules.json", 50, true);
}

}  // namespace
}  // namespace fairway::apiserver::testing
