// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/encoder.h"

#include <cstdint>
#include <utility>

#include "base/digest.h"
#include "base/protobuf_wire.h"

namespace fairway::xds {

namespace {

/// Digits of a hash in a version.
constexpr std::size_t version_digits = 32;
/// Field number of RouteConfiguration.virtual_hosts.
constexpr std::uint32_t hosts_field = 2;

}  // namespace

std::string Encoder::version_of(const ResourceName& name, const Resource& resource) {
  if (resource.hosts().empty()) return sha256_hex(json::to_text(resource.rest())).substr(0, version_digits);
  Kept& kept = kept_[name.name];
  kept.is_used = true;
  decltype(kept.parts) parts;
  Sha256 all;
  all.update(json::to_text(resource.rest()));
  for (const VirtualHost& host : resource.hosts()) {
    const auto [part, is_new] = parts.try_emplace(host.get());
    if (is_new) {
      const auto before = kept.parts.find(host.get());
      part->second = before != kept.parts.end() ? std::move(before->second)
                                                : Part{host, sha256_hex(json::to_text(*host))};
    }
    all.update(part->second.hash);
  }
  kept.parts = std::move(parts);
  return all.hex().substr(0, version_digits);
}

Result<std::string> Encoder::encode(const ResourceName& name, const Resource& resource) {
  auto bytes = api_->encode(message_of(name.type), resource.rest());
  if (!bytes || resource.hosts().empty()) return bytes;
  Kept& kept = kept_[name.name];
  for (const VirtualHost& host : resource.hosts()) {
    std::string& part = kept.parts.at(host.get()).bytes;
    if (part.empty()) {
      auto encoded = api_->encode("envoy.config.route.v3.VirtualHost", *host);
      if (!encoded) return encoded;
      part = *std::move(encoded);
    }
    wire::append_bytes(*bytes, hosts_field, part);
  }
  return bytes;
}

void Encoder::keep(const ResourceName& name) {
  if (const auto found = kept_.find(name.name); found != kept_.end()) found->second.is_used = true;
}

void Encoder::forget_others() {
  std::erase_if(kept_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [name, kept] : kept_) kept.is_used = false;
}

}  // namespace fairway::xds
