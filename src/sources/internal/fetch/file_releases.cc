// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "sources/internal/fetch/source_kinds.h"

namespace fairway::sources {

namespace {

constexpr std::size_t max_list_bytes = std::size_t{256} << 20;

class FileReleaseSource final : public ReleaseSource {
 public:
  explicit FileReleaseSource(std::string path) : path_(std::move(path)) {}

  std::string name() const override { return path_; }

  Result<FetchedReleases> fetch(const FetchContext& /*context*/) override {
    const auto text = read_file(path_, max_list_bytes);
    if (!text) return fail(text.error());
    std::string revision = sha256_hex(*text);
    if (revision == last_.revision) return last_;
    auto list = graph::read_release_list(*text, path_);
    if (!list) return fail(list.error());
    last_.revision = std::move(revision);
    last_.releases = std::move(list->releases);
    last_.problems = std::move(list->problems);
    return last_;
  }

 private:
  std::string path_;
  FetchedReleases last_;
};

}  // namespace

std::unique_ptr<ReleaseSource> make_file_release_source(std::string path) {
  return std::make_unique<FileReleaseSource>(std::move(path));
}

}  // namespace fairway::sources
