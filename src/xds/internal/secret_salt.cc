// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/secret_salt.h"

#include <cstdint>
#include <string>

#include "base/protobuf_wire.h"

namespace fairway::xds {

namespace {

// envoy.extensions.transport_sockets.tls.v3, by the numbers of its fields.
constexpr std::uint32_t certificate_field = 2, password_field = 3, inline_string_field = 3;

bool is_key_pair(std::string_view secret) {
  for (wire::Reader fields(secret); !fields.at_end();) {
    const auto field = fields.next();
    if (!field) return false;
    if (field->number == certificate_field) return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<const EncodedResource> salted(const EncodedResource& secret, std::string_view salt) {
  auto copy = std::make_shared<EncodedResource>(secret);
  if (salt.empty() || !is_key_pair(secret.bytes)) return copy;
  std::string text, password;
  wire::append_bytes(text, inline_string_field, salt);
  wire::append_bytes(password, password_field, text);
  // Whoever reads a message of two parts puts them together.
  wire::append_bytes(copy->bytes, certificate_field, password);
  return copy;
}

}  // namespace fairway::xds
