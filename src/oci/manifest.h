// SPDX-License-Identifier: Apache-2.0

// The descriptions of images in registries: manifests, indexes, configs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::oci {

/// One entry of an index or manifest list, or a single image.
struct Platform {
  std::string architecture;  ///< "amd64"
  std::string os;
  friend bool operator==(const Platform&, const Platform&) = default;
};

struct Descriptor {
  std::string media_type;
  std::string digest;
  std::uint64_t size = 0;
  std::optional<Platform> platform;
};

struct Manifest {
  std::string digest;  ///< digest of the manifest's own bytes, checked
  std::string media_type;
  std::string artifact_type;
  bool index = false;                 ///< an OCI index or a Docker manifest list
  Descriptor config;                  ///< for images
  std::vector<Descriptor> layers;     ///< for images, bottom first
  std::vector<Descriptor> manifests;  ///< for indexes and manifest lists
  bool is_index() const { return index; }
};

namespace media_type {
inline constexpr const char* docker_manifest = "application/vnd.docker.distribution.manifest.v2+json";
inline constexpr const char* docker_list = "application/vnd.docker.distribution.manifest.list.v2+json";
inline constexpr const char* oci_manifest = "application/vnd.oci.image.manifest.v1+json";
inline constexpr const char* oci_index = "application/vnd.oci.image.index.v1+json";
}  // namespace media_type

/// The four media types that are understood, as an Accept header: a registry that is not offered a type
/// converts to another one or denies the image.
extern const std::string accepted_manifests;

/// Largest manifest (OCI distribution-spec, "Pushing manifests").
inline constexpr std::size_t max_manifest_bytes = 4 << 20;

/// Parses a manifest. `content_type` is the media type that the registry gave ("" for none); the document's
/// own `mediaType` counts if that is not a known one. Errors: `too_large`, `invalid` (no manifest, fields of
/// the wrong type, a bad digest, an index and an image at once, a `mediaType` that contradicts
/// `content_type`), `unsupported` (schema 1, other media types). `digest` is left empty.
Result<Manifest> parse_manifest(std::string_view bytes, std::string_view content_type);

/// Returns the architecture and operating system that an image's config names; no architecture is an error.
Result<Platform> parse_config(std::string_view bytes);

/// Returns the architectures of an index; entries that are no images (platform "unknown", as build
/// attestations have) do not count.
std::set<std::string> architectures(const Manifest& index);

/// Returns the entry of an index that represents it: the first of linux/amd64, or else the first image.
/// nullptr: no image.
const Descriptor* representative(const Manifest& index);

/// Returns whether a text is "sha256:" and 64 lower-case hex digits.
bool is_digest(std::string_view text);

}  // namespace fairway::oci
