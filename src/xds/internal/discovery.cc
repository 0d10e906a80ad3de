// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/discovery.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <stdexcept>

namespace fairway::xds {

namespace {

namespace protobuf = google::protobuf;

/// A message and its fields by name. A field that its type does not have is a bug here: the descriptors have
/// been checked for the type.
class Fields {
 public:
  explicit Fields(protobuf::Message& message) : message_(message), reflection_(*message.GetReflection()) {}

  std::string text(const char* name) const { return reflection_.GetString(message_, field(name)); }
  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> all;
    const int count = reflection_.FieldSize(message_, field(name));
    for (int i = 0; i < count; ++i) all.push_back(reflection_.GetRepeatedString(message_, field(name), i));
    return all;
  }
  bool has(const char* name) const { return reflection_.HasField(message_, field(name)); }
  Fields within(const char* name) { return Fields(*reflection_.MutableMessage(&message_, field(name))); }
  std::map<std::string, std::string> entries(const char* name) const {
    std::map<std::string, std::string> all;
    const int count = reflection_.FieldSize(message_, field(name));
    for (int i = 0; i < count; ++i) {
      const protobuf::Message& entry = reflection_.GetRepeatedMessage(message_, field(name), i);
      const protobuf::Descriptor& type = *entry.GetDescriptor();
      all.emplace(entry.GetReflection()->GetString(entry, type.FindFieldByName("key")),
                  entry.GetReflection()->GetString(entry, type.FindFieldByName("value")));
    }
    return all;
  }

  void set(const char* name, std::string value) {
    reflection_.SetString(&message_, field(name), std::move(value));
  }
  void add(const char* name, std::string value) {
    reflection_.AddString(&message_, field(name), std::move(value));
  }
  Fields add(const char* name) { return Fields(*reflection_.AddMessage(&message_, field(name))); }

 private:
  const protobuf::FieldDescriptor* field(const char* name) const {
    const protobuf::FieldDescriptor* found = message_.GetDescriptor()->FindFieldByName(name);
    if (found == nullptr)
      throw std::logic_error(message_.GetDescriptor()->full_name() + " has no field " + name);
    return found;
  }

  protobuf::Message& message_;
  const protobuf::Reflection& reflection_;
};

}  // namespace

Result<DeltaRequest> read_request(const EnvoyApi& api, std::string_view bytes) {
  const auto message = api.make("envoy.service.discovery.v3.DeltaDiscoveryRequest");
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return fail(ErrorCode::invalid, "these bytes are no DeltaDiscoveryRequest");
  Fields fields(*message);
  DeltaRequest request{.type_url = fields.text("type_url"),
                       .nonce = fields.text("response_nonce"),
                       .subscribe = fields.texts("resource_names_subscribe"),
                       .unsubscribe = fields.texts("resource_names_unsubscribe"),
                       .has = fields.entries("initial_resource_versions")};
  if (fields.has("node")) request.node = fields.within("node").text("id");
  if (fields.has("error_detail")) request.refusal = fields.within("error_detail").text("message");
  return request;
}

std::string write_response(const EnvoyApi& api, const DeltaResponse& response) {
  const auto message = api.make("envoy.service.discovery.v3.DeltaDiscoveryResponse");
  const std::string url = url_of(response.type);
  Fields fields(*message);
  fields.set("type_url", url);
  fields.set("nonce", response.nonce);
  for (const auto& [name, resource] : response.resources) {
    Fields one = fields.add("resources");
    one.set("name", name);
    one.set("version", resource->version);
    Fields any = one.within("resource");
    any.set("type_url", url);
    any.set("value", resource->bytes);
  }
  for (const std::string& name : response.removed) fields.add("removed_resources", name);
  return message->SerializeAsString();
}

}  // namespace fairway::xds
