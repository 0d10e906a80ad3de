// SPDX-License-Identifier: Apache-2.0

// Packs of anybody's repository, as a fetch indexes them and as objects are read from them: whatever the
// bytes say, it ends within the budget, and nothing unpacks to more than an object may have.
#include <git2.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "sources/internal/fetch/git_budget.h"
#include "sources/internal/fetch/git_handles.h"

namespace {

using namespace fairway;

constexpr sources::GitBudgetLimits sizes{.object_bytes = 4 << 20, .total_bytes = 64 << 20};

std::string make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "fairway-fuzz-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

int read_object(const git_oid* id, void* database) {
  git_odb_object* object = nullptr;
  if (git_odb_read(&object, static_cast<git_odb*>(database), id) != 0) return 0;
  if (git_odb_object_size(object) > sizes.object_bytes + (64 << 10)) std::abort();
  git_odb_object_free(object);
  return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sources::start_git();
  static const std::string folder = make_folder();
  const sources::GitBudget budget({}, Clock::system(), sizes);
  git_indexer* indexer = nullptr;
  git_indexer_progress progress{};
  if (git_indexer_new(&indexer, folder.c_str(), 0, nullptr, nullptr) != 0) return 0;
  const bool whole =
      git_indexer_append(indexer, data, size, &progress) == 0 && git_indexer_commit(indexer, &progress) == 0;
  const std::string name = git_indexer_name(indexer) == nullptr ? "" : git_indexer_name(indexer);
  git_indexer_free(indexer);
  if (whole) {
    git_odb_backend* backend = nullptr;
    git_odb* database = nullptr;
    const std::string index = folder + "/pack-" + name + ".idx";
    if (git_odb_new(&database) == 0 && git_odb_backend_one_pack(&backend, index.c_str()) == 0 &&
        git_odb_add_backend(database, backend, 1) == 0) {
      git_odb_foreach(database, read_object, database);
    }
    git_odb_free(database);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove(entry.path());
  return 0;
}
