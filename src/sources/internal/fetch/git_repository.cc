// SPDX-License-Identifier: Apache-2.0

#include "sources/git.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "sources/internal/fetch/git_budget.h"
#include "sources/internal/fetch/git_handles.h"
#include "sources/internal/read/git_tree.h"

namespace fairway::sources {

namespace {

constexpr std::size_t object_cache_bytes = std::size_t{16} << 20;
// Packs are mapped into memory by pieces.
constexpr std::size_t pack_window_bytes = std::size_t{32} << 20, mapped_pack_bytes = std::size_t{256} << 20;
// Limit on the objects of one pack: each takes some 200 bytes while it is indexed.
constexpr std::size_t max_pack_objects = 500'000;

/// The objects of a repository's database, each checked against its id by libgit2.
class DatabaseObjects final : public GitObjects {
 public:
  DatabaseObjects(git_odb* database, const GitBudget& budget) : database_(database), budget_(budget) {}

  Result<std::size_t> size(const GitId& id) override {
    std::size_t size = 0;
    git_object_t type = GIT_OBJECT_INVALID;
    const git_oid oid = to_oid(id);
    if (auto exceeded = budget_.exceeded()) return fail(*std::move(exceeded));
    if (git_odb_read_header(&size, &type, database_, &oid) != 0)
      return fail(budget_.exceeded().value_or(git_failure(ErrorCode::unavailable)));
    return size;
  }
  Result<std::string> tree(const GitId& id) override { return content(id, GIT_OBJECT_TREE); }
  Result<std::string> blob(const GitId& id) override { return content(id, GIT_OBJECT_BLOB); }

 private:
  static git_oid to_oid(const GitId& id) {
    git_oid oid{};
    git_oid_fromraw(&oid, id.data());
    return oid;
  }

  Result<std::string> content(const GitId& id, git_object_t expected) {
    GitDatabaseObject object;
    const git_oid oid = to_oid(id);
    if (git_take(object, [&](git_odb_object** out) { return git_odb_read(out, database_, &oid); }) != 0) {
      return fail(budget_.exceeded().value_or(git_failure(ErrorCode::unavailable)));
    }
    if (git_odb_object_type(object.get()) != expected) {
      return fail(ErrorCode::invalid, std::string("the object is a ") +
                                          git_object_type2string(git_odb_object_type(object.get())) +
                                          ", not a " + git_object_type2string(expected));
    }
    return std::string(static_cast<const char*>(git_odb_object_data(object.get())),
                       git_odb_object_size(object.get()));
  }

  git_odb* database_;
  const GitBudget& budget_;
};

Result<graphdata::Files> read_tree(git_repository* repository, const git_oid& tree, const GitBudget& budget,
                                   const GitTreeLimits& limits) {
  GitDatabase database;
  if (git_take(database, [&](git_odb** out) { return git_repository_odb(out, repository); }) != 0) {
    return fail(git_failure(ErrorCode::unavailable, "opening the object database"));
  }
  DatabaseObjects objects(database.get(), budget);
  GitId id{};
  std::copy_n(static_cast<const std::uint8_t*>(tree.id), id.size(), id.begin());
  return read_git_files(objects, id, limits);
}

Result<GitRepository> open_repository(const std::string& folder) {
  start_git();
  GitRepository repository;
  if (git_take(repository, [&](git_repository** out) {
        return git_repository_open_ext(out, folder.c_str(), 0, nullptr);
      }) != 0) {
    return fail(git_failure(ErrorCode::not_found, "opening a Git repository at " + folder));
  }
  return repository;
}

/// Returns the path of `folder` below the top of the working tree: "" or "some/folder".
std::string folder_in_tree(git_repository* repository, const std::string& folder) {
  const char* top = git_repository_workdir(repository);
  if (top == nullptr) return "";
  std::error_code error;
  const auto here = std::filesystem::canonical(folder, error);
  if (error) return "";
  const auto root = std::filesystem::canonical(top, error);
  if (error) return "";
  const std::string below = here.lexically_relative(root).generic_string();
  const auto git_folder = std::filesystem::canonical(git_repository_path(repository), error);
  return below == "." || (!error && here == git_folder) ? "" : below;
}

Result<GitObject> find_object(git_repository* repository, const std::string& folder,
                              const std::string& revision, git_object_t type, const GitBudget& budget) {
  GitObject found;
  if (git_take(found, [&](git_object** out) {
        return git_revparse_single(out, repository, revision.c_str());
      }) != 0) {
    if (auto exceeded = budget.exceeded())
      return fail(exceeded->within("resolving " + printable(revision) + " in " + folder));
    return fail(ErrorCode::not_found,
                "the Git repository at " + folder + " has no revision " + printable(revision) +
                    "; name a branch, a tag or a commit (in a shallow clone, fetch it first)");
  }
  GitObject peeled;
  if (git_take(peeled, [&](git_object** out) { return git_object_peel(out, found.get(), type); }) != 0) {
    return fail(git_failure(ErrorCode::invalid, "resolving " + printable(revision) + " in " + folder));
  }
  return peeled;
}

}  // namespace

void start_git() {
  static const bool started = [] {
    GitBudget::install();
    git_libgit2_init();
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, pack_window_bytes);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, mapped_pack_bytes);
    git_libgit2_opts(GIT_OPT_SET_PACK_MAX_OBJECTS, max_pack_objects);
    git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, static_cast<ssize_t>(object_cache_bytes));
    // Only objects and refs are read here; nothing in a repository or in a user's configuration is run or
    // obeyed. So it does not matter who owns the files (containers mount them under any user), nor what
    // ~/.gitconfig says.
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    for (const int level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
                            GIT_CONFIG_LEVEL_GLOBAL}) {
      git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    }
    return true;
  }();
  static_cast<void>(started);
}

Error git_failure(ErrorCode code) {
  const git_error* last = git_error_last();
  return {code, last != nullptr && last->message != nullptr ? printable(last->message) : "unknown Git error"};
}

Error git_failure(ErrorCode code, const std::string& doing) {
  return git_failure(code).within(doing);
}

std::string git_id_text(const git_oid& id) {
  std::string text(GIT_OID_HEXSZ, '0');
  git_oid_fmt(text.data(), &id);
  return text;
}

namespace {

Result<graphdata::Files> read_revision(const std::string& folder, const std::string& revision,
                                       const Limits& limits, const Clock& clock,
                                       const GitTreeLimits& tree_limits) {
  const GitBudget budget(limits, clock);
  auto repository = open_repository(folder);
  if (!repository) return fail(repository.error());
  auto object = find_object(repository->get(), folder, revision, GIT_OBJECT_TREE, budget);
  if (!object) return fail(object.error());
  const std::string doing = "reading graph data of " + printable(revision) + " in " + folder;

  git_oid tree = *git_object_id(object->get());
  const std::string below = folder_in_tree(repository->get(), folder);
  if (!below.empty()) {
    GitTree whole;
    if (git_take(whole, [&](git_tree** out) { return git_tree_lookup(out, repository->get(), &tree); }) !=
        0) {
      return fail(git_failure(ErrorCode::unavailable, doing));
    }
    GitTreeEntry entry;
    const bool found = git_take(entry,
                                [&](git_tree_entry** out) {
                                  return git_tree_entry_bypath(out, whole.get(), below.c_str());
                                }) == 0 &&
                       git_tree_entry_type(entry.get()) == GIT_OBJECT_TREE;
    if (!found) return fail(ErrorCode::not_found, doing + ": that revision has no folder " + below);
    tree = *git_tree_entry_id(entry.get());
  }
  auto files = read_tree(repository->get(), tree, budget, tree_limits);
  if (!files) return fail(files.error().within(doing));
  return files;
}

}  // namespace

Result<graphdata::Files> read_git_tree(const std::string& folder, const std::string& revision,
                                       const Limits& limits, const Clock& clock) {
  return read_revision(folder, revision, limits, clock, {});
}

Result<graphdata::Files> read_git_base(const std::string& folder, const std::string& revision) {
  return read_revision(folder, revision, {}, Clock::system(), {.lenient = true});
}

std::vector<std::string> find_git_links(const std::string& folder) {
  const auto repository = open_repository(folder);
  if (!repository) return {};
  const char* top = git_repository_workdir(repository->get());
  GitIndex index;
  if (top == nullptr ||
      git_take(index, [&](git_index** out) { return git_repository_index(out, repository->get()); }) != 0) {
    return {};
  }
  const std::string below = folder_in_tree(repository->get(), folder);
  const std::string prefix = below.empty() ? "" : below + "/";
  std::vector<std::string> links;
  for (std::size_t i = 0; i < git_index_entrycount(index.get()); ++i) {
    const git_index_entry* entry = git_index_get_byindex(index.get(), i);
    const std::string_view path = entry->path;
    if ((entry->mode != GIT_FILEMODE_LINK && entry->mode != GIT_FILEMODE_COMMIT) || !path.starts_with(prefix))
      continue;
    // One that is a file by now is as good as mended.
    std::error_code ignored;
    const auto status = std::filesystem::symlink_status(std::filesystem::path(top) / path, ignored);
    const bool still = entry->mode == GIT_FILEMODE_LINK ? std::filesystem::is_symlink(status)
                                                        : std::filesystem::is_directory(status);
    if (still) links.emplace_back(path.substr(prefix.size()));
  }
  return links;
}

Result<std::string> resolve_git_ref(const std::string& folder, const std::string& ref, const Limits& limits,
                                    const Clock& clock) {
  const GitBudget budget(limits, clock);
  auto repository = open_repository(folder);
  if (!repository) return fail(repository.error());
  auto object = find_object(repository->get(), folder, ref.empty() ? "HEAD" : ref, GIT_OBJECT_COMMIT, budget);
  if (!object) return fail(object.error());
  return git_id_text(*git_object_id(object->get()));
}

}  // namespace fairway::sources
