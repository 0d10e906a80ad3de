// SPDX-License-Identifier: Apache-2.0

// Writes to custom resources, step by step: what they are and who owns it afterwards is what
// k8s.io/apimachinery's field manager says (tests/conformance/apiserver/field-manager writes the data).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "apiserver/internal/apply/field_manager.h"
#include "apiserver/internal/apply/type_sources.h"
#include "apiserver/internal/kinds/kinds.h"
#include "base/json.h"
#include "k8s/equality.h"
#include "support/cases.h"

namespace fairway::apiserver::apply {
namespace {

using namespace std::chrono_literals;

constexpr WallTime start{std::chrono::seconds(1'760'000'000)};

std::string text(const json::Value& one, std::string_view key) {
  return std::string(json::find_string(one, key).value_or(""));
}

bool flag(const json::Value& one, std::string_view key) {
  const json::Value* value = json::find(one, key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

json::Array read_cases() {
  return fairway::testing::read_cases(std::string(FAIRWAY_SOURCE_DIR) +
                                      "/tests/apiserver/data/field_manager.json");
}

/// Replaces times by "some".
json::Value without_times(json::Value object) {
  if (json::find(object, "metadata") == nullptr) return object;
  json::Object& metadata = object.as_object()["metadata"].as_object();
  json::Value* entries = metadata.if_contains("managedFields");
  if (entries == nullptr) return object;
  for (json::Value& entry : entries->as_array()) {
    if (entry.as_object().contains("time")) entry.as_object()["time"] = "some";
  }
  return object;
}

std::string sorted_causes(const json::Array& causes) {
  std::vector<std::string> lines;
  for (const json::Value& one : causes) {
    lines.push_back(text(one, "reason") + " | " + text(one, "message") + " | " + text(one, "field") + "\n");
  }
  std::ranges::sort(lines);
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

class Writes {
 public:
  Writes(const json::Value& one, const json::Object* schema)
      : type_(type_of_schema(schema)), has_status_(flag(one, "status")) {
    for (const json::Value& version : json::find(one, "versions")->as_array()) {
      versions_.push_back("example.com/" + std::string(version.as_string()));
    }
  }

  void run(const json::Value& step) {
    const std::string version =
        text(step, "version").empty() ? versions_.front() : "example.com/" + text(step, "version");
    const ManagedKind kind = kind_of(version, text(step, "subresource"));
    json::Value live = live_;
    if (live.is_object()) live.get_object()["apiVersion"] = version;
    const json::Value* old = live.is_object() ? &live : nullptr;
    json::Value object = *json::find(step, "object");
    k8s::StatusResult<json::Value> result;
    if (text(step, "do") == "apply") {
      result = apply(kind, old, object, text(step, "manager"), flag(step, "force"), start);
    } else {
      if (old != nullptr) object.as_object()["metadata"].as_object()["uid"] = "uid";
      result = record_update(kind, old, std::move(object), text(step, "manager"), start);
    }
    if (result) {
      keep(*result, step);
    } else {
      expect_failure(result.error(), step);
    }
  }

 private:
  ManagedKind kind_of(const std::string& version, const std::string& subresource) const {
    ManagedKind kind;
    kind.kind = {"example.com", version.substr(version.find('/') + 1), "Widget"};
    kind.subresource = subresource;
    kind.type_of = [this](std::string_view wanted) {
      return std::ranges::find(versions_, wanted) != versions_.end() ? type_.root : TypeRef{};
    };
    kind.convert = [](json::Value from, const std::string& to) -> Result<json::Value> {
      from.as_object()["apiVersion"] = to;
      return from;
    };
    if (has_status_) {
      kind.ignored = subresource == "status" ? ignored_of_status(version) : ignored_of_object(version);
    }
    return kind;
  }

  void keep(const json::Value& result, const json::Value& step) {
    const json::Value* expected = json::find(step, "result");
    ASSERT_NE(expected, nullptr) << "expected " << json::to_text(step) << "\n got " << json::to_text(result);
    EXPECT_TRUE(k8s::equal(without_times(result), *expected))
        << "expected " << json::to_text(*expected) << "\n     got " << json::to_text(without_times(result));
    // The order of entries and of fields is part of it; that of other members is not.
    const json::Value* metadata = json::find(result, "metadata");
    if (metadata != nullptr && json::find(*metadata, "managedFields") != nullptr) {
      expect_same_order(*json::find(result.at("metadata"), "managedFields"),
                        *json::find(expected->at("metadata"), "managedFields"));
    }
    live_ = result;
    live_.as_object()["metadata"].as_object()["uid"] = "uid";
  }

  static void expect_same_order(const json::Value& got, const json::Value& expected) {
    ASSERT_EQ(got.as_array().size(), expected.as_array().size());
    for (std::size_t i = 0; i < got.as_array().size(); ++i) {
      EXPECT_EQ(text(got.as_array()[i], "manager"), text(expected.as_array()[i], "manager"));
    }
  }

  static void expect_failure(const k8s::Status& got, const json::Value& step) {
    const json::Value* expected = json::find(step, "error");
    ASSERT_NE(expected, nullptr) << got.message();
    EXPECT_EQ(got.code(), expected->at("code").as_int64());
    EXPECT_EQ(got.message(), text(*expected, "message"));
    json::Array causes;
    for (const k8s::StatusCause& one : got.causes()) {
      causes.push_back(
          json::Object{{"reason", one.reason()}, {"message", one.message()}, {"field", one.field()}});
    }
    const json::Value* wanted = json::find(*expected, "causes");
    EXPECT_EQ(sorted_causes(causes), wanted == nullptr ? "" : sorted_causes(wanted->as_array()));
  }

  OwnedType type_;
  bool has_status_;
  std::vector<std::string> versions_;
  json::Value live_;
};

TEST(FieldManager, DoesWhatThatOfKubernetesDoes) {
  json::Value last;
  const json::Array cases = read_cases();
  EXPECT_GT(cases.size(), 50U);
  for (const json::Value& one : cases) {
    SCOPED_TRACE(text(one, "case"));
    const json::Value* schema = json::find(one, "schema");
    if (schema->is_object()) last = *schema;
    Writes writes(one, schema->is_null() ? nullptr : &last.as_object());
    int number = 0;
    for (const json::Value& step : json::find(one, "steps")->as_array()) {
      SCOPED_TRACE("step " + std::to_string(number++));
      writes.run(step);
    }
  }
}

ManagedKind config_map() {
  static const OwnedType type = type_of_kind(*kinds::Kinds::find({"", "v1", "ConfigMap"}));
  ManagedKind kind;
  kind.kind = {"", "v1", "ConfigMap"};
  kind.type_of = [](std::string_view version) { return version == "v1" ? type.root : TypeRef{}; };
  kind.zero = zero_object(*kinds::Kinds::find({"", "v1", "ConfigMap"}));
  return kind;
}

json::Value parse(std::string_view text) {
  return json::parse(text).value();
}

TEST(FieldManager, ChangesTimesOnlyOfEntriesThatChange) {
  const ManagedKind kind = config_map();
  const json::Value document =
      parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}})");
  const json::Value first = apply(kind, nullptr, document, "one", false, start).value();
  const json::Value again = apply(kind, &first, document, "one", false, start + 5s).value();
  EXPECT_EQ(json::to_text(again), json::to_text(first)) << "an apply that changes nothing changes no byte";
  json::Value next = first;
  next.as_object()["data"].as_object()["other"] = "x";
  next.as_object()["metadata"].as_object()["uid"] = "u";
  json::Value live = first;
  live.as_object()["metadata"].as_object()["uid"] = "u";
  const json::Value updated = record_update(kind, &live, next, "two", start + 9s);
  const json::Array& entries = updated.at("metadata").at("managedFields").as_array();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(text(entries[0], "time"), format_time(start));
  EXPECT_EQ(text(entries[1], "time"), format_time(start + 9s));
}

TEST(FieldManager, MergesTheOldestUpdatesOfAVersion) {
  const ManagedKind kind = config_map();
  json::Value live =
      parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u"},"data":{}})");
  for (int i = 0; i < 14; ++i) {
    json::Value next = live;
    next.as_object()["data"].as_object()["key" + std::to_string(i)] = "v";
    const json::Value* old = i == 0 ? nullptr : &live;
    // The later, the earlier in the alphabet.
    live = record_update(kind, old, next, std::string(1, static_cast<char>('z' - i)), start + i * 1min);
  }
  const json::Array& entries = live.at("metadata").at("managedFields").as_array();
  ASSERT_EQ(entries.size(), 10U);
  EXPECT_EQ(text(entries[0], "manager"), "ancient-changes");
  EXPECT_EQ(text(entries[0], "time"), format_time(start + 4min));
  EXPECT_EQ(json::to_text(entries[0].at("fieldsV1")),
            R"({"f:data":{".":{},"f:key0":{},"f:key1":{},"f:key2":{},"f:key3":{},"f:key4":{}}})");
  EXPECT_EQ(text(entries[9], "manager"), "m");
}

TEST(FieldManager, AppliesToAnObjectOfManyManagers) {
  const ManagedKind kind = config_map();
  const auto document = [](const std::string& key, const std::string& value) {
    return parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"shared":"s",")" +
                 key + R"(":")" + value + R"("}})");
  };
  json::Value live;
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i);
    const json::Value before = live;
    live = apply(kind, before.is_null() ? nullptr : &before, document("key" + name, "v"), "m" + name, false,
                 start + i * 1s)
               .value();
  }
  const json::Array& entries = live.at("metadata").at("managedFields").as_array();
  ASSERT_EQ(entries.size(), 40U) << "appliers are not merged";
  EXPECT_EQ(text(entries[7], "manager"), "m7");
  EXPECT_EQ(text(entries[7], "time"), format_time(start + 7s));
  EXPECT_EQ(json::to_text(entries[7].at("fieldsV1")), R"({"f:data":{"f:key7":{},"f:shared":{}}})");
  EXPECT_EQ(live.at("data").as_object().size(), 41U);
  // One of them takes a field of another, and leaves the rest as it is.
  const auto refused = apply(kind, &live, document("key3", "other"), "m7", false, start + 1h);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), R"(Apply failed with 1 conflict: conflict with "m3": .data.key3)");
  const json::Value forced = apply(kind, &live, document("key3", "other"), "m7", true, start + 1h).value();
  EXPECT_EQ(forced.at("data").as_object().size(), 40U) << "key7 was its own, and is gone";
  const json::Array& after = forced.at("metadata").at("managedFields").as_array();
  ASSERT_EQ(after.size(), 40U);
  EXPECT_EQ(text(after[39], "manager"), "m7");
  EXPECT_EQ(json::to_text(after[3].at("fieldsV1")), R"({"f:data":{"f:shared":{}}})");
  EXPECT_EQ(json::to_text(after[20]), json::to_text(entries[21]));
}

TEST(FieldManager, OwnsOfABuiltInKindWhatItsCreatorSet) {
  // What `kubectl create deployment nginx --image=nginx` is stored as, and its managedFields, on a real
  // server.
  const kinds::MessageType& deployment = *kinds::Kinds::find({"apps", "v1", "Deployment"});
  const OwnedType type = type_of_kind(deployment);
  ManagedKind kind;
  kind.kind = {"apps", "v1", "Deployment"};
  kind.type_of = [&](std::string_view version) { return version == "apps/v1" ? type.root : TypeRef{}; };
  kind.zero = zero_object(deployment);
  kind.ignored = ignored_of_object("apps/v1");
  const json::Value object = parse(R"({"apiVersion":"apps/v1","kind":"Deployment",
    "metadata":{"name":"nginx","namespace":"default","uid":"u","generation":1,"labels":{"app":"nginx"}},
    "spec":{"replicas":1,"selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"}},
      "spec":{"containers":[{"name":"nginx","image":"nginx","resources":{},"terminationMessagePath":"/dev/termination-log",
        "terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always",
        "terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},
        "schedulerName":"default-scheduler"}},
      "strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},
      "revisionHistoryLimit":10,"progressDeadlineSeconds":600},"status":{}})");
  const json::Value stored = record_update(kind, nullptr, object, "kubectl-create", start);
  ASSERT_NE(json::find(stored.at("metadata"), "managedFields"), nullptr) << "the types fit the object";
  const json::Value& entry = stored.at("metadata").at("managedFields").as_array().at(0);
  EXPECT_EQ(
      json::to_text(entry.at("fieldsV1")),
      R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:progressDeadlineSeconds":{},)"
      R"("f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},)"
      R"("f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},)"
      R"("f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":)"
      R"({"k:{\"name\":\"nginx\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{},)"
      R"("f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},)"
      R"("f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}})");
}

TEST(FieldManager, SeesWhatDiffersInTimesOnly) {
  const json::Value live = parse(
      R"({"metadata":{"name":"a","resourceVersion":"5","managedFields":[{"manager":"m","time":"2026-01-01T00:00:00Z"}]},"data":{}})");
  json::Value next = live;
  EXPECT_FALSE(differ_only_in_times(live.as_object(), next.as_object())) << "nothing differs";
  json::Object& metadata = next.as_object()["metadata"].as_object();
  metadata["managedFields"].as_array()[0].as_object()["time"] = "2026-01-01T00:00:01Z";
  EXPECT_TRUE(differ_only_in_times(live.as_object(), next.as_object()));
  metadata.erase("resourceVersion");
  EXPECT_TRUE(differ_only_in_times(live.as_object(), next.as_object()));
  metadata["labels"] = json::Object{};
  EXPECT_FALSE(differ_only_in_times(live.as_object(), next.as_object()));
  metadata.erase("labels");
  next.as_object()["data"].as_object()["a"] = "b";
  EXPECT_FALSE(differ_only_in_times(live.as_object(), next.as_object()));
  EXPECT_FALSE(differ_only_in_times(live.as_object(), json::Object{}));
}

TEST(FieldManager, NamesManagersByTheirUserAgent) {
  EXPECT_EQ(manager_or_user_agent("given", "kubectl/v1.36"), "given");
  EXPECT_EQ(manager_or_user_agent("", "kubectl/v1.36 (linux/amd64)"), "kubectl");
  EXPECT_EQ(manager_or_user_agent("", "my\x01 tool\xc2\xa0/1"), "my tool");
  EXPECT_EQ(manager_or_user_agent("", std::string(200, 'x') + "/1"), std::string(128, 'x'));
  EXPECT_EQ(manager_or_user_agent("", ""), "");
}

TEST(FieldManager, WritesWithoutManagedFieldsWhatDoesNotFitItsType) {
  const ManagedKind kind = config_map();
  const json::Value object =
      parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":1}})");
  EXPECT_EQ(json::to_text(record_update(kind, nullptr, object, "one", start)), json::to_text(object));
}

}  // namespace
}  // namespace fairway::apiserver::apply
