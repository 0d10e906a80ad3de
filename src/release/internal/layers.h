// SPDX-License-Identifier: Apache-2.0

// The folder release-manifests of an image, from the bytes of its layers. No I/O: layers are fetched
// elsewhere, and nothing is written where a layer says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "oci/layers.h"
#include "release/contents.h"

namespace fairway::release {

/// Limits of a release image.
struct LayerLimits {
  std::size_t file_bytes = std::size_t{8} << 20;
  std::size_t all_bytes = std::size_t{128} << 20;         ///< all files of all layers
  std::uint64_t unpacked_bytes = std::uint64_t{8} << 30;  ///< unpacked bytes of one layer

  /// Returns the limits for a part: metadata alone is read from hundreds of images at once.
  static LayerLimits of(Part part);
};

/// Reads the layers of an image from the top to the bottom. A path that an upper layer has, or removes by a
/// whiteout, is ignored below (OCI image-spec, layer.md). Of the folder's files it keeps manifests, metadata
/// and image references; folders within it are skipped.
class Layers {
 public:
  explicit Layers(Part part) : Layers(part, LayerLimits::of(part)) {}
  Layers(Part part, const LayerLimits& limits);
  ~Layers();

  /// Takes the next bytes of the layer (tar, plain, gzip or zstd). Errors are reported by `end_layer`: a
  /// layer counts as corrupt only after its digest was verified.
  void push(std::string_view piece);
  /// Ends the layer; returns false if no layer below can add anything. Errors: `invalid` (no tar, a corrupt
  /// or truncated one, ".." in a path, a link or a device where a file is wanted, a release-manifests that is
  /// no folder), `too_large`.
  Result<bool> end_layer();

  /// Returns the files read so far.
  const Files& files() const { return files_; }

 private:
  void begin_layer();
  bool is_wanted(std::string_view path) const;
  /// Adds the whiteouts of the layer that concern the folder.
  void add_removed(const oci::Whiteouts& removed);
  bool is_complete() const;

  const Part part_;
  const LayerLimits limits_;
  oci::Whiteouts removed_;       ///< whiteouts of the layers above
  bool is_all_removed_ = false;  ///< true if one of them removes everything: no lower layer is part of the
                                 ///< image
  Files files_;
  std::size_t bytes_ = 0;   ///< bytes of `files_` and `removed_`
  bool is_broken_ = false;  ///< true if the layer is broken
  /// Reader of the layer; null between two layers. Must be the last member: its thread asks about paths until
  /// it has ended.
  std::unique_ptr<oci::TarReader> reader_;
};

}  // namespace fairway::release
