// SPDX-License-Identifier: Apache-2.0

// Makes images for tests: manifests, configs and layers, as registries hold them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "oci/archives.h"
#include "oci/manifest.h"

namespace fairway::testing {

struct TestImage {
  std::string media_type;
  std::string manifest;
  std::string digest;
  std::map<std::string, std::string> blobs;  ///< blobs by digest
  std::vector<TestImage> children;           ///< images of an index
};

inline std::string digest_of(const std::string& bytes) {
  return "sha256:" + sha256_hex(bytes);
}

struct TestImageSpec {
  std::vector<std::string> layers;  ///< bytes, bottom first
  std::string arch = "amd64";
  bool docker = false;
  std::string config;  ///< config to use instead of one that names the architecture
};

inline TestImage make_image(const TestImageSpec& spec) {
  TestImage image;
  image.media_type = spec.docker ? oci::media_type::docker_manifest : oci::media_type::oci_manifest;
  const auto add = [&image](const std::string& type, const std::string& bytes) {
    const auto digest = digest_of(bytes);
    image.blobs[digest] = bytes;
    return json::Object{{"mediaType", type}, {"size", bytes.size()}, {"digest", digest}};
  };
  const std::string config = !spec.config.empty()
                                 ? spec.config
                                 : json::to_text(json::Object{{"architecture", spec.arch}, {"os", "linux"}});
  json::Array layers;
  for (const auto& layer : spec.layers) {
    const bool zstd = layer.starts_with("\x28\xb5\x2f\xfd");
    const bool gzip = layer.starts_with("\x1f\x8b");
    const std::string oci_type = "application/vnd.oci.image.layer.v1.tar";
    layers.push_back(add(spec.docker ? "application/vnd.docker.image.rootfs.diff.tar.gzip"
                                     : oci_type + (zstd   ? "+zstd"
                                                   : gzip ? "+gzip"
                                                          : ""),
                         layer));
  }
  image.manifest =
      json::to_text(json::Object{{"schemaVersion", 2},
                                 {"mediaType", image.media_type},
                                 {"config", add(spec.docker ? "application/vnd.docker.container.image.v1+json"
                                                            : "application/vnd.oci.image.config.v1+json",
                                                config)},
                                 {"layers", std::move(layers)}});
  image.digest = digest_of(image.manifest);
  return image;
}

/// Makes an index of children, each with its architecture; "unknown" makes it an attestation.
inline TestImage make_index(const std::vector<std::pair<std::string, TestImage>>& children,
                            bool docker = false) {
  TestImage index;
  index.media_type = docker ? oci::media_type::docker_list : oci::media_type::oci_index;
  json::Array entries;
  for (const auto& [arch, child] : children) {
    entries.push_back(json::Object{
        {"mediaType", child.media_type},
        {"size", child.manifest.size()},
        {"digest", child.digest},
        {"platform", json::Object{{"architecture", arch}, {"os", arch == "unknown" ? "unknown" : "linux"}}}});
    index.children.push_back(child);
  }
  index.manifest = json::to_text(
      json::Object{{"schemaVersion", 2}, {"mediaType", index.media_type}, {"manifests", std::move(entries)}});
  index.digest = digest_of(index.manifest);
  return index;
}

/// Returns the content of release-manifests/release-metadata.
inline std::string release_metadata(const std::string& version,
                                    const std::vector<std::string>& previous = {}) {
  json::Array list;
  for (const auto& from : previous) list.emplace_back(from);
  return json::to_text(json::Object{{"kind", "cincinnati-metadata-v0"},
                                    {"version", version},
                                    {"previous", std::move(list)},
                                    {"metadata", json::Object{{"url", "https://example.com/" + version}}}});
}

/// Makes a release image of two layers, the metadata in the upper one.
inline TestImage release_image(const std::string& version, const std::string& arch = "amd64",
                               bool docker = false, const std::string& compression = "gzip",
                               const std::vector<std::string>& previous = {}) {
  return make_image(
      {.layers = {make_tar({{"etc/base", "the same in all"}}, compression),
                  make_tar({{"release-manifests/", "", TarEntry::Kind::folder},
                            {"release-manifests/0000_cvo.yaml", "kind: " + version},
                            {"release-manifests/release-metadata", release_metadata(version, previous)}},
                           compression)},
       .arch = arch,
       .docker = docker,
       .config = {}});
}

}  // namespace fairway::testing
