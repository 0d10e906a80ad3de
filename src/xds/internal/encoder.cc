#include "xds/internal/encoder.h"

#include <cstdint>
#include <utility>

#include "base/digest.h"
#include "xds/internal/wire.h"

namespace fairway::xds {

namespace {

/// How many digits of a hash are a version.
constexpr std::size_t version_digits = 32;
constexpr std::string_view hosts_key = "virtual_hosts";
/// The number of RouteConfiguration.virtual_hosts.
constexpr std::uint64_t hosts_field = 2;

/// The virtual hosts of a resource; nullptr: it has none that could be taken apart.
const json::Array* hosts_of(const ResourceName& name, const json::Object& resource) {
  if (name.type != Type::route) return nullptr;
  const json::Value* hosts = resource.if_contains(hosts_key);
  return hosts != nullptr && hosts->is_array() ? &hosts->get_array() : nullptr;
}

/// All but the virtual hosts.
json::Object rest_of(const json::Object& resource) {
  json::Object rest;
  for (const auto& [key, value] : resource) {
    if (key != hosts_key) rest[key] = value;
  }
  return rest;
}

}  // namespace

std::string Encoder::version_of(const ResourceName& name, const json::Object& resource) {
  const json::Array* hosts = hosts_of(name, resource);
  if (hosts == nullptr) return sha256_hex(json::to_text(resource)).substr(0, version_digits);
  Kept& kept = kept_[name.name];
  kept.is_used = true;
  kept.order.clear();
  Parts parts;
  Sha256 all;
  all.update(json::to_text(rest_of(resource)));
  for (const json::Value& host : *hosts) {
    std::string hash = sha256_hex(json::to_text(host));
    all.update(hash);
    const auto [part, is_new] = parts.try_emplace(hash);
    const auto before = kept.parts.find(hash);
    if (is_new && before != kept.parts.end()) part->second = std::move(before->second);
    kept.order.push_back(std::move(hash));
  }
  kept.parts = std::move(parts);
  return all.hex().substr(0, version_digits);
}

Result<std::string> Encoder::encode(const ResourceName& name, const json::Object& resource) {
  const json::Array* hosts = hosts_of(name, resource);
  if (hosts == nullptr) return api_->encode(message_of(name.type), resource);
  Kept& kept = kept_[name.name];
  auto bytes = api_->encode(message_of(name.type), rest_of(resource));
  if (!bytes) return bytes;
  for (std::size_t i = 0; i < hosts->size(); ++i) {
    std::string& part = kept.parts[kept.order[i]];
    if (part.empty()) {
      auto encoded = api_->encode("envoy.config.route.v3.VirtualHost", (*hosts)[i]);
      if (!encoded) return encoded;
      part = *std::move(encoded);
    }
    append_wire_field(*bytes, hosts_field, part);
  }
  return bytes;
}

void Encoder::forget_others() {
  std::erase_if(kept_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [name, kept] : kept_) kept.is_used = false;
}

}  // namespace fairway::xds
