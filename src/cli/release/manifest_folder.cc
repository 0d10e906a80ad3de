// SPDX-License-Identifier: Apache-2.0

#include "cli/release/manifest_folder.h"

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace fairway::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file_bytes = std::size_t{8} << 20;

bool is_read(const std::string& name) {
  return release::is_manifest_file(name) || name == release::metadata_file ||
         name == release::image_references_file;
}

}  // namespace

Result<ManifestFolder> read_manifest_folder(const fs::path& folder) {
  const std::string doing = "reading the manifests in " + printable(folder.string());
  ManifestFolder read;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) {
    const bool is_missing = error == std::errc::no_such_file_or_directory;
    return fail(is_missing ? ErrorCode::not_found : ErrorCode::unavailable, doing + ": " + error.message());
  }
  for (; entries != fs::directory_iterator(); entries.increment(error)) {
    std::string name = entries->path().filename().string();
    std::error_code ignored;
    if (is_read(name) && fs::is_symlink(entries->path(), ignored) && !fs::exists(entries->path(), ignored)) {
      return fail(ErrorCode::not_found,
                  doing + ": " + printable(name) +
                      " is a link to a file that is not there; remove the link, or make "
                      "the file");
    }
    if (!is_read(name) || !fs::is_regular_file(entries->path(), ignored)) {
      read.skipped.push_back(std::move(name));
      continue;
    }
    auto bytes = read_file(entries->path(), max_file_bytes);
    if (!bytes) return fail(bytes.error().within(doing));
    read.files.emplace(std::move(name), *std::move(bytes));
  }
  if (error) return fail(ErrorCode::unavailable, doing + ": " + error.message());
  std::ranges::sort(read.skipped);
  const bool has_manifest =
      std::ranges::any_of(read.files, [](const auto& file) { return release::is_manifest_file(file.first); });
  if (!has_manifest) {
    return fail(ErrorCode::invalid,
                doing +
                    ": there are none; their files end in .yaml, .yml or .json, and lie in the folder "
                    "itself");
  }
  return read;
}

}  // namespace fairway::cli
