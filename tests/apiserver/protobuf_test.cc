// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/protobuf/request_body.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace fairway::apiserver {
namespace {

/// Writes the wire format.
class Message {
 public:
  Message& varint(std::uint32_t number, std::uint64_t value) {
    tag(number, 0);
    append(value);
    return *this;
  }
  Message& bytes(std::uint32_t number, const std::string& value) {
    tag(number, 2);
    append(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(std::uint32_t number, const Message& value) { return bytes(number, value.bytes_); }
  /// Adds a map's entry.
  Message& entry(std::uint32_t number, const std::string& key, const std::string& value) {
    return message(number, Message().bytes(1, key).bytes(2, value));
  }
  Message& raw(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& text() const { return bytes_; }

 private:
  void tag(std::uint32_t number, std::uint32_t type) { append(number << 3 | type); }
  void append(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

std::string envelope(const std::string& api_version, const std::string& kind, const Message& object) {
  const Message type = Message().bytes(1, api_version).bytes(2, kind);
  return std::string("k8s\0", 4) +
         Message().message(1, type).message(2, object).bytes(3, "").bytes(4, "").text();
}

std::string document(const std::string& api_version, const std::string& kind, const Message& object) {
  const auto read = protobuf::read_protobuf(envelope(api_version, kind, object));
  return read ? json::to_text(read->document) : "error: " + read.error().message;
}

Message named(const std::string& name) {
  return Message().message(1, Message().bytes(1, name));
}

TEST(ProtobufBody, IsTheJsonThatGoWritesOfTheSameObject) {
  Message map = named("a");
  map.entry(2, "z", "1").entry(2, "b", "2").entry(2, "z", "3").entry(3, "binary", "\x01\x02");
  EXPECT_EQ(document("v1", "ConfigMap", map),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"b":"2","z":"3"},)"
            R"("binaryData":{"binary":"AQI="}})");
}

TEST(ProtobufBody, OmitsWhatGoOmitsAndKeepsWhatIsSetToZero) {
  // replicas: a pointer; minReadySeconds: a number that is omitted if zero; the selector must be there.
  const Message spec = Message().varint(1, 0).varint(5, 0);
  EXPECT_EQ(
      document("apps/v1", "Deployment", named("d").message(2, spec)),
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"},"spec":{"replicas":0,"selector":null,)"
      R"("template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}})");
}

TEST(ProtobufBody, ReadsTimesQuantitiesAndNumbersOrText) {
  const Message lease =
      Message().bytes(1, "me").varint(2, 15).message(4, Message().varint(1, 1'700'000'000).varint(2, 5'000));
  EXPECT_EQ(
      document("coordination.k8s.io/v1", "Lease", named("l").message(2, lease)),
      R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},"spec":{"holderIdentity":"me",)"
      R"("leaseDurationSeconds":15,"renewTime":"2023-11-14T22:13:20.000005Z"}})");
  const Message quota =
      Message().message(1, Message().bytes(1, "cpu").message(2, Message().bytes(1, "1500m")));
  EXPECT_EQ(
      document("v1", "ResourceQuota", named("q").message(2, quota)),
      R"({"kind":"ResourceQuota","apiVersion":"v1","metadata":{"name":"q"},"spec":{"hard":{"cpu":"1500m"}},"status":{}})");
  const auto budget = [](const Message& value) {
    return document("policy/v1", "PodDisruptionBudget", named("b").message(2, Message().message(1, value)));
  };
  EXPECT_NE(budget(Message().varint(1, 0).varint(2, 3)).find(R"("minAvailable":3)"), std::string::npos);
  EXPECT_NE(budget(Message().varint(1, 1).bytes(3, "50%")).find(R"("minAvailable":"50%")"),
            std::string::npos);
  EXPECT_EQ(budget(Message().varint(1, 2)),
            "error: protobuf: spec.minAvailable: it is neither a number nor text");
}

TEST(ProtobufBody, ReadsListsPackedOrNot) {
  const auto groups = [](const Message& context) {
    const Message pod = Message().message(14, context);
    return document("v1", "Pod", Message().message(2, pod));
  };
  const std::string one_by_one = groups(Message().varint(4, 7).varint(4, 8));
  EXPECT_NE(one_by_one.find(R"("supplementalGroups":[7,8])"), std::string::npos) << one_by_one;
  EXPECT_EQ(groups(Message().bytes(4, "\x07\x08")), one_by_one);
}

TEST(ProtobufBody, AddsUpTheParts) {
  const Message twice = named("a").message(1, Message().bytes(3, "ns"));
  EXPECT_EQ(document("v1", "ConfigMap", twice),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"ns"}})");
}

TEST(ProtobufBody, HasInlinedMembersWhereJsonHasThem) {
  const Message volume = Message().bytes(1, "v").message(2, Message().message(2, Message()));
  const std::string made = document("v1", "Pod", Message().message(2, Message().message(1, volume)));
  EXPECT_NE(made.find(R"("volumes":[{"name":"v","emptyDir":{}}])"), std::string::npos) << made;
}

TEST(ProtobufBody, MayBeOptionsAReviewOrAList) {
  EXPECT_EQ(
      document("apps/v1", "DeleteOptions", Message().varint(1, 0).message(2, Message().bytes(1, "u"))),
      R"({"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0,"preconditions":{"uid":"u"}})");
  EXPECT_NE(document("authorization.k8s.io/v1", "SubjectAccessReview",
                     Message().message(2, Message().bytes(3, "jane")))
                .find(R"("user":"jane")"),
            std::string::npos);
  EXPECT_NE(document("v1", "ConfigMapList", Message().message(2, named("a")))
                .find(R"("items":[{"metadata":{"name":"a"}}])"),
            std::string::npos);
}

TEST(ProtobufBody, TellsOfFieldsThatAreNotKnown) {
  const auto read = protobuf::read_protobuf(envelope(
      "v1", "ConfigMap",
      named("a").varint(99, 1).message(1, Message().bytes(77, "x")).raw("\xd3\x06\x08\x01\xd4\x06")));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->unknown_fields, (std::vector<std::string>{"field 99", "field 106", "metadata: field 77"}));
  EXPECT_EQ(json::to_text(read->document),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})");
}

TEST(ProtobufBody, TakesFromThePathWhatTheEnvelopeDoesNotSay) {
  const std::string body = std::string("k8s\0", 4) + Message().message(2, named("a")).text();
  EXPECT_EQ(protobuf::read_protobuf(body).error().code, ErrorCode::invalid);
  const auto read = protobuf::read_protobuf(body, k8s::GroupVersionKind{"", "v1", "Secret"});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(json::to_text(read->document), R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}})");
}

TEST(ProtobufBody, IsRefusedWithTheFieldThatIsWrong) {
  struct Case {
    Message object;
    const char* error;
  };
  const Case cases[] = {
      {Message().varint(1, 5), "protobuf: metadata: it has wire type 0 in place of 2"},
      {Message().message(1, Message().varint(1, 5)),
       "protobuf: metadata.name: it has wire type 0 in place of 2"},
      {Message().message(1, Message().raw("\x0a\x05x")),
       "protobuf: metadata: a field is longer than the data"},
      {Message().message(1, Message().bytes(1, "\xff")), "protobuf: metadata.name: it is not UTF-8"},
      {Message().message(2, Message().bytes(1, "\xff")), "protobuf: data: a key is not UTF-8"},
      {Message().raw("\x08"), "protobuf: the data ends within a number"},
      {Message().raw(std::string("\x0b\x12\x00", 3)), "protobuf: the data ends within a group"},
      {Message().raw("\x0c"), "protobuf: a group ends that has not begun"},
      {Message().raw(std::string("\x07", 1)), "protobuf: a field has a number that is none"},
      {Message().raw(std::string(12, '\xff')), "protobuf: a number has more than 64 bits"},
  };
  for (const Case& test : cases)
    EXPECT_EQ(document("v1", "ConfigMap", test.object), "error: " + std::string(test.error));
}

TEST(ProtobufBody, IsRefusedWhereItIsNoneOrOfAnUnknownKind) {
  EXPECT_EQ(protobuf::read_protobuf("").error().code, ErrorCode::invalid);
  EXPECT_EQ(protobuf::read_protobuf("{}").error().message,
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  const auto widget = protobuf::read_protobuf(envelope("example.com/v1", "Widget", Message()));
  EXPECT_EQ(widget.error().code, ErrorCode::unsupported);
  EXPECT_EQ(widget.error().message,
            "protobuf is read for built-in kinds only, and Widget of example.com/v1 is none: send JSON");
  const std::string encoded = std::string("k8s\0", 4) + Message().bytes(3, "gzip").text();
  EXPECT_EQ(protobuf::read_protobuf(encoded).error().code, ErrorCode::unsupported);
  EXPECT_FALSE(protobuf::is_protobuf("k8s"));
  EXPECT_TRUE(protobuf::is_protobuf(encoded));
}

TEST(ProtobufBody, IsBounded) {
  // A schema within a schema, and so on: not.
  Message schema;
  for (int i = 0; i < 1000; ++i) schema = Message().message(28, schema);
  const Message version = Message().bytes(1, "v1").message(4, Message().message(1, schema));
  const auto deep = protobuf::read_protobuf(envelope("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                                                     Message().message(2, Message().message(7, version))));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, ErrorCode::too_large);
  // Two bytes each, and an object with members each.
  std::string containers;
  for (int i = 0; i < 500'000; ++i) containers += std::string("\x12\x00", 2);
  const auto many =
      protobuf::read_protobuf(envelope("v1", "Pod", Message().message(2, Message().raw(containers))));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::too_large);
}

}  // namespace
}  // namespace fairway::apiserver
