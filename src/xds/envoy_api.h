// SPDX-License-Identifier: Apache-2.0

// The messages of Envoy's API, by their descriptors: JSON in, protobuf out, and nothing of them compiled.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace google::protobuf {
class Descriptor;
class Message;
}  // namespace google::protobuf

namespace fairway::xds {

/// The message types of Envoy's API. Safe from all threads.
class EnvoyApi {
 public:
  /// Returns the API of the descriptors that the program was built with. Errors: it was built without.
  static Result<std::shared_ptr<const EnvoyApi>> embedded();
  /// Reads a serialised google.protobuf.FileDescriptorSet with its files in any order, which must outlive the
  /// result. The files of google/protobuf need not be in it.
  static Result<std::shared_ptr<const EnvoyApi>> from(std::string_view descriptor_set);
  ~EnvoyApi();
  EnvoyApi(const EnvoyApi&) = delete;
  EnvoyApi& operator=(const EnvoyApi&) = delete;

  /// Encodes a message of a type, "envoy.config.cluster.v3.Cluster", in protobuf's wire format. The JSON is
  /// protobuf's: fields by their names in either spelling, an Any with "@type". Errors (`invalid`): an
  /// unknown type, an unknown field, a value of another type.
  Result<std::string> encode(std::string_view type, const json::Value& message) const;
  /// Decodes a message from protobuf's wire format. Errors (`invalid`): an unknown type, bytes that are no
  /// such message.
  Result<json::Value> decode(std::string_view type, std::string_view bytes) const;

  /// Makes an empty message; nullptr: the type is unknown. For this module and its tests.
  std::unique_ptr<google::protobuf::Message> make(std::string_view type) const;

 private:
  struct Implementation;
  explicit EnvoyApi(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::xds
