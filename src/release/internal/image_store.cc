// SPDX-License-Identifier: Apache-2.0

#include "release/internal/image_store.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/temporary_files.h"

namespace fairway::release {

namespace {

constexpr std::string_view header = "fairway-payload 1 ";
constexpr std::size_t digest_digits = 64;
constexpr std::size_t max_file_bytes = std::size_t{512} << 20;
constexpr std::size_t max_kept = 8;
constexpr std::size_t max_fingerprint_bytes = 4096;
constexpr std::string_view image_suffix = ".payload", verified_suffix = ".verified";

/// Returns the text after the header, if it has the digest in the header.
std::optional<std::string_view> body_of(std::string_view text) {
  if (!text.starts_with(header)) return std::nullopt;
  text.remove_prefix(header.size());
  if (text.size() <= digest_digits || text[digest_digits] != '\n') return std::nullopt;
  const std::string_view body = text.substr(digest_digits + 1);
  if (sha256_hex(body) != text.substr(0, digest_digits)) return std::nullopt;
  return body;
}

std::optional<Contents> read_image(std::string_view body, const std::string& digest) {
  const auto document = json::parse(body);
  if (!document || json::find_string(*document, "digest") != digest) return std::nullopt;
  Contents image;
  image.arch = json::find_string(*document, "arch").value_or("");
  const json::Value* const files = json::find(*document, "files");
  if (image.arch.empty() || files == nullptr || !files->is_object()) return std::nullopt;
  for (const auto& [name, text] : files->as_object()) {
    if (!text.is_string()) return std::nullopt;
    image.files.emplace(name, std::string(text.as_string()));
  }
  return image;
}

}  // namespace

std::filesystem::path ImageStore::path(const std::string& digest, std::string_view suffix) const {
  return folder_ / (digest.substr(digest.find(':') + 1) + std::string(suffix));
}

std::optional<Contents> ImageStore::find(const std::string& digest) const {
  if (folder_.empty()) return std::nullopt;
  const auto file = path(digest, image_suffix);
  const auto text = read_file(file, max_file_bytes);
  if (!text) return std::nullopt;
  if (const auto body = body_of(*text)) {
    if (auto image = read_image(*body, digest)) return image;
  }
  log::warning("a cached release image is not as it was written; it is pulled again",
               {{"file", file.string()}});
  return std::nullopt;
}

void ImageStore::put(const std::string& digest, const Contents& image) const {
  if (folder_.empty()) return;
  json::Object files;
  for (const auto& [name, text] : image.files) files.emplace(name, text);
  const std::string body =
      json::to_text(json::Object{{"digest", digest}, {"arch", image.arch}, {"files", std::move(files)}});
  const auto file = path(digest, image_suffix);
  const auto written = write_file_atomically(file, std::string(header) + sha256_hex(body) + "\n" + body);
  // Files that a full disk or a kill has left behind would never be removed otherwise.
  remove_temporary_files(file);
  if (!written) {
    log::warning("a release image cannot be cached; after a restart it is pulled again",
                 {{"error", written.error().message}});
  }
  remove_old(file);
}

std::string ImageStore::verified_by(const std::string& digest) const {
  if (folder_.empty()) return "";
  return read_file(path(digest, verified_suffix), max_fingerprint_bytes).value_or("");
}

Result<void> ImageStore::put_verified(const std::string& digest, const std::string& keys) const {
  const auto file = path(digest, verified_suffix);
  const auto written = write_file_atomically(file, keys);
  remove_temporary_files(file);
  return written;
}

void ImageStore::remove_old(const std::filesystem::path& newest) const {
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> others;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() != image_suffix || at->path() == newest) continue;
    std::error_code unknown;
    const auto time = at->last_write_time(unknown);
    if (!unknown) others.emplace_back(time, at->path());
  }
  std::ranges::sort(others, std::greater{});
  for (std::size_t i = max_kept; i < others.size(); ++i) {
    std::filesystem::remove(others[i].second, error);
    std::filesystem::remove(others[i].second.replace_extension(verified_suffix), error);
  }
}

}  // namespace fairway::release
