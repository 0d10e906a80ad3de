// SPDX-License-Identifier: Apache-2.0

// Makes small tars for tests, with libarchive's writer.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fairway::testing {

struct TarEntry {
  enum class Kind { file, folder, symlink, hardlink, device };
  std::string path;
  std::string content;  ///< content of a file, or target of a link
  Kind kind = Kind::file;
};

/// A tar of these entries in this order; `filter` is "none", "gzip" or "zstd".
inline std::string make_tar(const std::vector<TarEntry>& entries, const std::string& filter = "none") {
  std::string out;
  const std::unique_ptr<archive, decltype(&archive_write_free)> handle(archive_write_new(),
                                                                       &archive_write_free);
  archive* const a = handle.get();
  archive_write_set_format_pax_restricted(a);
  if (filter != "none" && archive_write_add_filter_by_name(a, filter.c_str()) != ARCHIVE_OK) {
    throw std::runtime_error("no filter " + filter);
  }
  archive_write_set_bytes_in_last_block(a, 1);  // no zeros behind the compressed stream
  const auto append = [](archive*, void* to, const void* bytes, std::size_t size) -> la_ssize_t {
    static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
    return static_cast<la_ssize_t>(size);
  };
  archive_write_open(a, &out, nullptr, append, nullptr);
  for (const auto& entry : entries) {
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> header(archive_entry_new(),
                                                                               &archive_entry_free);
    archive_entry* const e = header.get();
    archive_entry_set_pathname(e, entry.path.c_str());
    archive_entry_set_perm(e, 0644);
    archive_entry_set_mtime(e, 1'700'000'000, 0);
    archive_entry_set_filetype(e, AE_IFREG);
    switch (entry.kind) {
      case TarEntry::Kind::file:
        archive_entry_set_size(e, static_cast<la_int64_t>(entry.content.size()));
        break;
      case TarEntry::Kind::folder:
        archive_entry_set_filetype(e, AE_IFDIR);
        break;
      case TarEntry::Kind::symlink:
        archive_entry_set_filetype(e, AE_IFLNK);
        archive_entry_set_symlink(e, entry.content.c_str());
        break;
      case TarEntry::Kind::hardlink:
        archive_entry_set_hardlink(e, entry.content.c_str());
        break;
      case TarEntry::Kind::device:
        archive_entry_set_filetype(e, AE_IFCHR);
        break;
    }
    if (archive_write_header(a, e) < ARCHIVE_WARN) throw std::runtime_error(archive_error_string(a));
    if (entry.kind == TarEntry::Kind::file) archive_write_data(a, entry.content.data(), entry.content.size());
  }
  archive_write_close(a);
  return out;
}

}  // namespace fairway::testing
