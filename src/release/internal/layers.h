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

/// What a release image may hold.
struct LayerLimits {
  std::size_t file_bytes = std::size_t{8} << 20;
  std::size_t all_bytes = std::size_t{128} << 20;         ///< of all files, of all layers
  std::uint64_t unpacked_bytes = std::uint64_t{8} << 30;  ///< of one layer

  /// Those of a part: the metadata alone is read of hundreds of images at once.
  static LayerLimits of(Part part);
};

/// Reads the layers of an image from the top to the bottom: what an upper layer has, or removes by a
/// whiteout, is not looked at below (OCI image-spec, layer.md). Of the folder's files it keeps manifests,
/// metadata and image references; folders within it are passed over.
class Layers {
 public:
  explicit Layers(Part part) : Layers(part, LayerLimits::of(part)) {}
  Layers(Part part, const LayerLimits& limits);
  ~Layers();

  /// Takes the next bytes of the layer (tar, plain, gzip or zstd). What is wrong with them is said at its
  /// end: a layer counts as corrupt only once its digest was found right.
  void push(std::string_view piece);
  /// Ends the layer; returns false if no layer below can add anything. Errors: `invalid` (no tar, a corrupt
  /// or truncated one, ".." in a path, a link or a device where a file is wanted, a release-manifests that is
  /// no folder), `too_large`.
  Result<bool> end_layer();

  /// The files so far.
  const Files& files() const { return files_; }

 private:
  void begin_layer();
  bool is_wanted(std::string_view path) const;
  /// Adds what the layer removes from those below, as far as it concerns the folder.
  void add_removed(const oci::Whiteouts& removed);
  bool is_complete() const;

  const Part part_;
  const LayerLimits limits_;
  oci::Whiteouts removed_;       ///< by the layers above
  bool is_all_removed_ = false;  ///< by one of them: nothing below is part of the image
  Files files_;
  std::size_t bytes_ = 0;   ///< of `files_` and `removed_`
  bool is_broken_ = false;  ///< the layer
  /// Of the layer; null between two. The last member: its thread asks about paths until it has ended.
  std::unique_ptr<oci::TarReader> reader_;
};

}  // namespace fairway::release
