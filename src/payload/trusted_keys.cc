// SPDX-License-Identifier: Apache-2.0

#include "payload/trusted_keys.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "http/url.h"

namespace fairway::payload {

namespace {

constexpr std::string_view key_prefix = "verifier-public-key-", store_prefix = "store-";

std::unexpected<Error> wrong(const std::string& place, const std::string& why) {
  return fail(ErrorCode::invalid, "reading the keys of releases in " + place + ": " + why);
}

/// One entry of `data` or `binaryData`.
struct Entry {
  std::string name;
  std::string_view text;
  bool is_binary;
};

Result<void> take(const Entry& entry, const std::string& place, TrustedKeys& keys) {
  if (entry.name.starts_with(key_prefix)) {
    auto bytes = entry.is_binary ? base64_decode(entry.text) : std::string(entry.text);
    if (!bytes) return wrong(place, entry.name + " is no base64");
    keys.keys.push_back({place + ", " + entry.name, *std::move(bytes)});
  } else if (entry.name.starts_with(store_prefix) && !entry.is_binary) {
    const std::string text(trim(entry.text));
    const auto url = http::Url::parse(text);
    if (!url || (url->scheme != "https" && url->scheme != "http")) {
      return wrong(place, entry.name +
                              " is no signature store; it has to be a URL like "
                              "https://signatures.example.com/releases");
    }
    keys.stores.push_back(text);
  }
  return {};
}

}  // namespace

void TrustedKeys::add(TrustedKeys more) {
  std::ranges::move(more.keys, std::back_inserter(keys));
  std::ranges::move(more.stores, std::back_inserter(stores));
  if (!incomplete) incomplete = std::move(more.incomplete);
}

Result<TrustedKeys> read_trusted_keys(const k8s::View& config_map, const std::string& place) {
  TrustedKeys keys;
  for (const char* member : {"data", "binaryData"}) {
    const json::Value* const entries = config_map.find(member);
    if (entries == nullptr || entries->is_null()) continue;
    if (!entries->is_object()) return wrong(place, std::string(member) + " is no object");
    for (const auto& [name, value] : entries->get_object()) {
      const std::string printed = printable(name, 253);
      if (!value.is_string()) return wrong(place, printed + " is no text");
      const Entry entry{
          .name = printed, .text = value.get_string(), .is_binary = member == std::string_view("binaryData")};
      if (auto taken = take(entry, place, keys); !taken) return fail(taken.error());
    }
  }
  if (keys.keys.empty())
    return wrong(place, "there is no verifier-public-key-NAME; put an OpenPGP public key there");
  return keys;
}

Result<TrustedKeys> keys_of_release(const std::vector<Manifest>& manifests, const Selection& selection,
                                    const std::string& version) {
  std::vector<Manifest> marked;
  std::ranges::copy_if(manifests, std::back_inserter(marked), [](const Manifest& manifest) {
    const k8s::Dynamic& object = manifest.object;
    return object.kind() == "ConfigMap" && object.api_version() == "v1" &&
           object.map("metadata.annotations").find(verification_annotation);
  });
  auto selected = select(std::move(marked), selection);
  if (!selected) return fail(selected.error().within("reading the keys in the release " + version));
  TrustedKeys keys;
  for (const Manifest& manifest : selected->manifests) {
    if (is_removal(manifest)) continue;
    auto more = read_trusted_keys(manifest.object, "the release " + version + ", " + manifest.place());
    if (!more) return fail(more.error());
    keys.add(*std::move(more));
  }
  return keys;
}

}  // namespace fairway::payload
