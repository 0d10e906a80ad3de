// SPDX-License-Identifier: Apache-2.0

#include "release/internal/layers.h"

#include <utility>

namespace fairway::release {

namespace {

const std::string prefix = std::string(folder) + "/";

/// Cost in bytes of a recorded whiteout beside its name.
constexpr std::size_t whiteout_bytes = 100;

}  // namespace

LayerLimits LayerLimits::of(Part part) {
  if (part == Part::all) return {};
  return {.file_bytes = std::size_t{1} << 20, .all_bytes = std::size_t{64} << 20};
}

Layers::Layers(Part part, const LayerLimits& limits) : part_(part), limits_(limits) {}
Layers::~Layers() = default;

bool Layers::is_wanted(std::string_view path) const {
  if (oci::hides(removed_, path)) return false;
  // The folder itself, so that a link or a file in its place is noticed.
  if (path == folder) return true;
  if (!path.starts_with(prefix)) return false;
  const std::string_view name = path.substr(prefix.size());
  if (name.contains('/') || files_.contains(std::string(name))) return false;
  if (name == metadata_file) return true;
  return part_ == Part::all && (is_manifest_file(name) || name == image_references_file);
}

void Layers::begin_layer() {
  is_broken_ = false;
  reader_ = std::make_unique<oci::TarReader>(
      oci::TarReader::Options{.wanted = [this](std::string_view path) { return is_wanted(path); },
                              .max_file_bytes = limits_.file_bytes,
                              .max_kept_bytes = limits_.all_bytes,
                              .max_unpacked_bytes = limits_.unpacked_bytes,
                              .stop_at_first = part_ == Part::metadata});
}

void Layers::push(std::string_view piece) {
  if (!reader_) begin_layer();
  if (!is_broken_) is_broken_ = !reader_->push(piece);
}

Result<bool> Layers::end_layer() {
  if (!reader_) begin_layer();
  const auto reader = std::move(reader_);
  if (auto finished = reader->finish(); !finished) return fail(std::move(finished).error());
  for (const auto& [path, content] : reader->files()) {
    if (path == folder) return fail(ErrorCode::invalid, "the image's " + path + " is a file, and no folder");
    bytes_ += content.size();
    files_.emplace(path.substr(prefix.size()), content);
  }
  add_removed(reader->removed());
  if (bytes_ > limits_.all_bytes) {
    return fail(ErrorCode::too_large, "the release's manifests are larger than " +
                                          std::to_string(limits_.all_bytes) + " bytes in all");
  }
  return !is_complete();
}

void Layers::add_removed(const oci::Whiteouts& removed) {
  is_all_removed_ = removed.contains("") || removed.contains(std::string(folder)) ||
                    (part_ == Part::metadata && oci::hides(removed, prefix + std::string(metadata_file)));
  // Nothing below is looked at, or nothing that could be hidden.
  if (is_all_removed_ || part_ == Part::metadata) return;
  for (const auto& [path, contents_only] : removed) {
    if (!path.starts_with(prefix)) continue;
    const auto [at, is_new] = removed_.emplace(path, contents_only);
    if (is_new) bytes_ += path.size() + whiteout_bytes;
    // A whiteout of the path itself says more.
    at->second = at->second && contents_only;
  }
}

bool Layers::is_complete() const {
  return is_all_removed_ || (part_ == Part::metadata && files_.contains(std::string(metadata_file)));
}

}  // namespace fairway::release
