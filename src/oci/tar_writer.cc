// SPDX-License-Identifier: Apache-2.0

#include "oci/tar_writer.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstddef>
#include <memory>
#include <new>

namespace fairway::oci {

namespace {

struct FreeArchive {
  void operator()(archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};

la_ssize_t append_to_string(archive*, void* out, const void* bytes, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

}  // namespace

std::string make_tar(const std::map<std::string, std::string>& files) {
  std::string tar;
  const std::unique_ptr<archive, FreeArchive> writer(archive_write_new());
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  if (!writer || !entry) throw std::bad_alloc();
  archive_write_set_format_pax_restricted(writer.get());
  archive_write_open(writer.get(), &tar, nullptr, append_to_string, nullptr);
  for (const auto& [path, text] : files) {
    archive_entry_clear(entry.get());
    archive_entry_set_pathname(entry.get(), path.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
    archive_entry_set_mtime(entry.get(), 0, 0);
    archive_write_header(writer.get(), entry.get());
    archive_write_data(writer.get(), text.data(), text.size());
  }
  archive_write_close(writer.get());
  return tar;
}

}  // namespace fairway::oci
