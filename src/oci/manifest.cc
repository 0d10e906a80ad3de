// SPDX-License-Identifier: Apache-2.0

#include "oci/manifest.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/json_unambiguous.h"
#include "base/text.h"

namespace fairway::oci {

const std::string accepted_manifests = std::string(media_type::oci_index) + ", " + media_type::oci_manifest +
                                       ", " + media_type::docker_list + ", " + media_type::docker_manifest;

namespace {

constexpr std::size_t max_entries = 10'000;

Result<std::string> optional_text(const json::Value& value, std::string_view key, const std::string& where) {
  const auto* member = json::find(value, key);
  if (member == nullptr || member->is_null()) return std::string();
  if (!member->is_string())
    return fail(ErrorCode::invalid, where + ": `" + std::string(key) + "` is no string");
  return std::string(member->get_string());
}

Result<Descriptor> read_descriptor(const json::Value& value, const std::string& where) {
  if (!value.is_object()) return fail(ErrorCode::invalid, where + " is no descriptor");
  Descriptor descriptor;
  auto type = optional_text(value, "mediaType", where);
  if (!type) return fail(type.error());
  descriptor.media_type = *std::move(type);
  auto digest = optional_text(value, "digest", where);
  if (!digest) return fail(digest.error());
  descriptor.digest = *std::move(digest);
  if (!is_digest(descriptor.digest)) {
    const auto code = descriptor.digest.starts_with("sha512:") ? ErrorCode::unsupported : ErrorCode::invalid;
    return fail(code, where + ": the digest \"" + printable(descriptor.digest, 100) +
                          "\" is not sha256:<64 lower-case hex digits>");
  }
  const auto* size = json::find(value, "size");
  if (size == nullptr || !(size->is_int64() || size->is_uint64()) ||
      (size->is_int64() && size->get_int64() < 0)) {
    return fail(ErrorCode::invalid, where + ": `size` is no number of bytes");
  }
  descriptor.size = size->to_number<std::uint64_t>();
  if (const auto* platform = json::find(value, "platform"); platform != nullptr && platform->is_object()) {
    auto architecture = optional_text(*platform, "architecture", where);
    if (!architecture) return fail(architecture.error());
    auto os = optional_text(*platform, "os", where);
    if (!os) return fail(os.error());
    descriptor.platform = Platform{*std::move(architecture), *std::move(os)};
  }
  return descriptor;
}

Result<std::vector<Descriptor>> read_descriptors(const json::Value& document, std::string_view key) {
  const auto* list = json::find(document, key);
  if (list == nullptr || !list->is_array()) {
    return fail(ErrorCode::invalid, "the manifest's `" + std::string(key) + "` is no list");
  }
  if (list->get_array().size() > max_entries) {
    return fail(ErrorCode::too_large, "the manifest's `" + std::string(key) + "` has more than " +
                                          std::to_string(max_entries) + " entries");
  }
  std::vector<Descriptor> descriptors;
  for (const auto& item : list->get_array()) {
    const auto where = "the manifest's " + std::string(key) + "[" + std::to_string(descriptors.size()) + "]";
    auto descriptor = read_descriptor(item, where);
    if (!descriptor) return fail(descriptor.error());
    descriptors.push_back(*std::move(descriptor));
  }
  return descriptors;
}

bool is_known(const std::string& type) {
  return type == media_type::docker_manifest || type == media_type::docker_list ||
         type == media_type::oci_manifest || type == media_type::oci_index;
}

bool is_image(const Descriptor& entry) {
  return !entry.platform ||
         (entry.platform->architecture != "unknown" && !entry.platform->architecture.empty());
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view bytes, std::string_view content_type) {
  if (bytes.size() > max_manifest_bytes) {
    return fail(ErrorCode::too_large,
                "the manifest is larger than " + std::to_string(max_manifest_bytes) + " bytes");
  }
  const auto document = json::parse_unambiguous(bytes);
  if (!document) return fail(document.error().within("reading the manifest"));
  if (!document->is_object()) return fail(ErrorCode::invalid, "the manifest is no JSON object");

  const std::string called = to_lower(trim(content_type.substr(0, content_type.find(';'))));
  auto own = optional_text(*document, "mediaType", "the manifest");
  if (!own) return fail(own.error());
  const auto* schema = json::find(*document, "schemaVersion");
  if (called.starts_with("application/vnd.docker.distribution.manifest.v1") ||
      (schema != nullptr && schema->is_int64() && schema->get_int64() == 1)) {
    return fail(ErrorCode::unsupported,
                "the manifest is of Docker's schema 1, which no tool of today makes: push the image again");
  }
  const bool has_list = json::find(*document, "manifests") != nullptr;
  const bool has_layers =
      json::find(*document, "layers") != nullptr || json::find(*document, "config") != nullptr;
  // One document that reads as both would be one thing here and another thing elsewhere (CVE-2021-41190).
  if (has_list && has_layers) {
    return fail(ErrorCode::invalid, "the manifest is an image and an index at once: refused");
  }
  Manifest manifest;
  manifest.media_type = is_known(called) ? called : *own;
  if (manifest.media_type.empty())
    manifest.media_type = has_list ? media_type::oci_index : media_type::oci_manifest;
  if (!is_known(manifest.media_type)) {
    return fail(ErrorCode::unsupported, "the manifest's media type \"" + printable(manifest.media_type, 100) +
                                            "\" is not understood");
  }
  if (!own->empty() && *own != manifest.media_type) {
    return fail(ErrorCode::invalid, "the manifest calls itself \"" + printable(*own, 100) +
                                        "\" and the registry calls it \"" + manifest.media_type +
                                        "\": refused");
  }
  manifest.index =
      manifest.media_type == media_type::docker_list || manifest.media_type == media_type::oci_index;
  auto artifact = optional_text(*document, "artifactType", "the manifest");
  if (!artifact) return fail(artifact.error());
  manifest.artifact_type = *std::move(artifact);

  if (manifest.index) {
    auto entries = read_descriptors(*document, "manifests");
    if (!entries) return fail(entries.error());
    manifest.manifests = *std::move(entries);
    return manifest;
  }
  const auto* config = json::find(*document, "config");
  if (config == nullptr) return fail(ErrorCode::invalid, "the manifest has no `config`");
  auto descriptor = read_descriptor(*config, "the manifest's config");
  if (!descriptor) return fail(descriptor.error());
  manifest.config = *std::move(descriptor);
  auto layers = read_descriptors(*document, "layers");
  if (!layers) return fail(layers.error());
  manifest.layers = *std::move(layers);
  return manifest;
}

Result<Platform> parse_config(std::string_view bytes) {
  const auto document = json::parse_unambiguous(bytes);
  if (!document) return fail(document.error().within("reading the image's config"));
  const auto architecture = json::find_string(*document, "architecture");
  if (!architecture || architecture->empty()) {
    return fail(ErrorCode::invalid, "the image's config names no `architecture`");
  }
  if (architecture->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") != std::string_view::npos) {
    return fail(ErrorCode::invalid, "the image's config names the architecture \"" +
                                        printable(*architecture) +
                                        "\", which is not lower-case letters and digits");
  }
  return Platform{std::string(*architecture), std::string(json::find_string(*document, "os").value_or(""))};
}

std::set<std::string> architectures(const Manifest& index) {
  std::set<std::string> names;
  for (const auto& entry : index.manifests) {
    if (entry.platform && is_image(entry)) names.insert(entry.platform->architecture);
  }
  return names;
}

const Descriptor* representative(const Manifest& index) {
  const auto amd64 = std::ranges::find_if(
      index.manifests, [](const Descriptor& entry) { return entry.platform == Platform{"amd64", "linux"}; });
  if (amd64 != index.manifests.end()) return &*amd64;
  const auto first = std::ranges::find_if(index.manifests, is_image);
  return first == index.manifests.end() ? nullptr : &*first;
}

}  // namespace fairway::oci
