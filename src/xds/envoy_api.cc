// SPDX-License-Identifier: Apache-2.0

#include "xds/envoy_api.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <google/protobuf/wrappers.pb.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.h"
#include "envoy_api_file.h"

// The file as it is, without a compiler's detour over a literal of its bytes.
asm(".section .rodata\n"
    ".balign 16\n"
    ".local fairway_envoy_api_begin\n"
    "fairway_envoy_api_begin:\n"
    ".incbin \"" FAIRWAY_ENVOY_API_FILE
    "\"\n"
    ".local fairway_envoy_api_end\n"
    "fairway_envoy_api_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" {
extern const char fairway_envoy_api_begin[] __attribute__((visibility("hidden")));
extern const char fairway_envoy_api_end[] __attribute__((visibility("hidden")));
}

namespace fairway::xds {

namespace {

namespace protobuf = google::protobuf;

/// Beginning of all type URLs.
constexpr std::string_view url_prefix = "type.googleapis.com";

std::string url_of(std::string_view type) {
  return std::string(url_prefix) + "/" + std::string(type);
}

/// Adds the files of a FileDescriptorSet. Each file is an entry of the set's only field, 1, with its length
/// before it.
bool add_files(std::string_view set, protobuf::EncodedDescriptorDatabase& database) {
  protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(set.data()),
                                       static_cast<int>(set.size()));
  constexpr std::uint32_t tag_of_file = 1 << 3 | 2;
  while (const std::uint32_t tag = input.ReadTag()) {
    std::uint32_t size = 0;
    if (tag != tag_of_file || !input.ReadVarint32(&size)) return false;
    const int at = input.CurrentPosition();
    if (!input.Skip(static_cast<int>(size))) return false;
    if (!database.Add(set.data() + at, static_cast<int>(size))) return false;
  }
  return input.ConsumedEntireMessage();
}

/// Makes libprotobuf register its own files, which it does only for types that are used.
void use_well_known_types() {
  protobuf::Any::descriptor();
  protobuf::Duration::descriptor();
  protobuf::Empty::descriptor();
  protobuf::Struct::descriptor();
  protobuf::Timestamp::descriptor();
  protobuf::BoolValue::descriptor();
}

}  // namespace

struct EnvoyApi::Implementation {
  protobuf::EncodedDescriptorDatabase files;
  protobuf::DescriptorPoolDatabase well_known{*protobuf::DescriptorPool::generated_pool()};
  protobuf::MergedDescriptorDatabase database{&well_known, &files};
  /// The pool, which reads types of a file when they are first looked up.
  protobuf::DescriptorPool pool{&database};
  protobuf::DynamicMessageFactory factory{&pool};
  std::unique_ptr<protobuf::util::TypeResolver> resolver{
      protobuf::util::NewTypeResolverForDescriptorPool(std::string(url_prefix), &pool)};
};

EnvoyApi::EnvoyApi(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
EnvoyApi::~EnvoyApi() = default;

Result<std::shared_ptr<const EnvoyApi>> EnvoyApi::embedded() {
  // NOLINTNEXTLINE(clang-analyzer-security.PointerSub): two labels of one section
  const auto size = static_cast<std::size_t>(fairway_envoy_api_end - fairway_envoy_api_begin);
  const std::string_view set(fairway_envoy_api_begin, size);
  if (set.empty()) {
    return fail(ErrorCode::unsupported,
                "this program was built without the descriptors of Envoy's API: build it where PyPI can be "
                "reached (scripts/envoy_api.py)");
  }
  return from(set);
}

Result<std::shared_ptr<const EnvoyApi>> EnvoyApi::from(std::string_view descriptor_set) {
  use_well_known_types();
  auto made = std::make_unique<Implementation>();
  const auto refuse = [](const char* why) {
    return fail(ErrorCode::invalid, std::string("reading the descriptors of Envoy's API: ") + why);
  };
  if (descriptor_set.size() > (std::size_t{64} << 20)) return refuse("more than 64 MiB");
  if (!add_files(descriptor_set, made->files)) return refuse("this is no FileDescriptorSet");
  if (made->pool.FindMessageTypeByName("envoy.service.discovery.v3.DeltaDiscoveryRequest") == nullptr)
    return refuse("they lack envoy.service.discovery.v3");
  return std::shared_ptr<const EnvoyApi>(new EnvoyApi(std::move(made)));
}

Result<std::string> EnvoyApi::encode(std::string_view type, const json::Value& message) const {
  std::string bytes;
  const auto status = protobuf::util::JsonToBinaryString(implementation_->resolver.get(), url_of(type),
                                                         json::to_text(message), &bytes);
  if (status.ok()) return bytes;
  return fail(ErrorCode::invalid,
              "encoding an " + std::string(type) + ": " + printable(status.message().ToString(), 1000));
}

Result<json::Value> EnvoyApi::decode(std::string_view type, std::string_view bytes) const {
  // The JSON printer takes bytes that are no message for an empty message.
  const auto message = make(type);
  if (!message || !message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return fail(ErrorCode::invalid, "decoding an " + std::string(type) + ": these bytes are none");
  std::string text;
  protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  const auto status = protobuf::util::BinaryToJsonString(implementation_->resolver.get(), url_of(type),
                                                         std::string(bytes), &text, options);
  if (status.ok()) return json::parse(text);
  return fail(ErrorCode::invalid,
              "decoding an " + std::string(type) + ": " + printable(status.message().ToString(), 1000));
}

std::unique_ptr<protobuf::Message> EnvoyApi::make(std::string_view type) const {
  const protobuf::Descriptor* descriptor = implementation_->pool.FindMessageTypeByName(std::string(type));
  if (descriptor == nullptr) return nullptr;
  return std::unique_ptr<protobuf::Message>(implementation_->factory.GetPrototype(descriptor)->New());
}

}  // namespace fairway::xds
