#include "payload/internal/manifest_layers.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace fairway::payload {

namespace {

constexpr std::string_view folder = "release-manifests";

/// The folder itself is wanted, so that a link or a file in its place is noticed.
bool is_wanted(std::string_view path) {
  if (path == folder) return true;
  if (!path.starts_with(folder) || path[folder.size()] != '/') return false;
  const std::string_view name = path.substr(folder.size() + 1);
  if (name.empty() || name.contains('/')) return false;
  return is_manifest_file(name) || name == release_metadata_file || name == image_references_file;
}

}  // namespace

void ManifestLayers::begin_layer() {
  unpacked_ = {};
  reader_ =
      std::make_unique<oci::TarReader>(oci::TarReader::Options{.wanted = is_wanted,
                                                               .max_file_bytes = limits_.file_bytes,
                                                               .max_kept_bytes = limits_.all_bytes,
                                                               .max_unpacked_bytes = limits_.unpacked_bytes});
}

void ManifestLayers::push(std::string_view piece) {
  if (!reader_) begin_layer();
  if (!unpacked_) return;
  if (auto pushed = reader_->push(piece); !pushed) unpacked_ = fail(std::move(pushed.error()));
}

Result<void> ManifestLayers::end_layer() {
  if (!reader_) begin_layer();
  const auto reader = std::move(reader_);
  if (unpacked_) unpacked_ = reader->finish();
  if (!unpacked_) return fail(unpacked_.error());
  const std::string prefix = std::string(folder) + "/";
  std::erase_if(files_, [&](const auto& file) {
    if (!reader->hides(prefix + file.first)) return false;
    bytes_ -= file.second.size();
    return true;
  });
  for (const auto& [path, content] : reader->files()) {
    if (path == folder) return fail(ErrorCode::invalid, "the image's " + path + " is a file, and no folder");
    std::string& file = files_[path.substr(prefix.size())];
    bytes_ += content.size();
    bytes_ -= file.size();
    file = content;
  }
  if (bytes_ > limits_.all_bytes) {
    return fail(ErrorCode::too_large, "the release's manifests are larger than " +
                                          std::to_string(limits_.all_bytes) + " bytes in all");
  }
  return {};
}

}  // namespace fairway::payload
