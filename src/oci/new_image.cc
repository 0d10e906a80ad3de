// SPDX-License-Identifier: Apache-2.0

#include "oci/new_image.h"

#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "http/compress.h"
#include "oci/tar_writer.h"

namespace fairway::oci {

namespace {

constexpr const char* config_type = "application/vnd.oci.image.config.v1+json";
constexpr const char* layer_type = "application/vnd.oci.image.layer.v1.tar+gzip";
constexpr std::string_view algorithm = "sha256:";

std::string digest_of(std::string_view bytes) {
  return std::string(algorithm) + sha256_hex(bytes);
}

/// Adds a blob, and returns its digest.
std::string add_blob(NewImage& image, std::string bytes) {
  std::string digest = digest_of(bytes);
  image.blobs.emplace(digest, std::move(bytes));
  return digest;
}

json::Object descriptor(const NewImage& image, const char* media_type, const std::string& digest) {
  return {{"mediaType", media_type}, {"digest", digest}, {"size", image.blobs.at(digest).size()}};
}

json::Object platform_json(const Platform& platform) {
  return {{"architecture", platform.architecture}, {"os", platform.os}};
}

}  // namespace

NewImage make_image(const std::map<std::string, std::string>& files, Platform platform) {
  NewImage image{.platform = std::move(platform)};
  const std::string tar = make_tar(files);
  image.layer_digest = add_blob(image, http::gzip(tar));
  json::Object config = platform_json(image.platform);
  config["config"] = json::Object();
  config["rootfs"] = json::Object{{"type", "layers"}, {"diff_ids", json::Array{json::Value(digest_of(tar))}}};
  image.config_digest = add_blob(image, json::to_text(config));
  json::Array layers;
  layers.push_back(descriptor(image, layer_type, image.layer_digest));
  image.digest = add_blob(
      image, json::to_text(json::Object{{"schemaVersion", 2},
                                        {"mediaType", media_type::oci_manifest},
                                        {"config", descriptor(image, config_type, image.config_digest)},
                                        {"layers", std::move(layers)}}));
  return image;
}

std::map<std::string, std::string> layout_files(const NewImage& image, std::string_view tag) {
  json::Object entry = descriptor(image, media_type::oci_manifest, image.digest);
  entry["platform"] = platform_json(image.platform);
  entry["annotations"] = json::Object{{"org.opencontainers.image.ref.name", tag}};
  json::Array manifests;
  manifests.push_back(std::move(entry));
  std::map<std::string, std::string> files{
      {"oci-layout", R"({"imageLayoutVersion":"1.0.0"})"},
      {"index.json", json::to_text(json::Object{{"schemaVersion", 2},
                                                {"mediaType", media_type::oci_index},
                                                {"manifests", std::move(manifests)}})}};
  for (const auto& [digest, bytes] : image.blobs)
    files.emplace("blobs/sha256/" + digest.substr(algorithm.size()), bytes);
  return files;
}

}  // namespace fairway::oci
