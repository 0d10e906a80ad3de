#include "sources/git.h"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "sources/fetch/internal/git_handles.h"

namespace fairway::sources {

namespace {

// The limits of graphdata::read_directory, so that the same data is taken or refused however it comes.
constexpr std::size_t max_file_bytes = std::size_t{1} << 20;
constexpr std::size_t max_total_bytes = std::size_t{64} << 20;
constexpr std::size_t max_files = 50'000;
constexpr std::size_t object_cache_bytes = std::size_t{16} << 20;

bool is_top_folder(std::string_view name) {
  return name == "channels" || name == "blocked-edges" || name == "raw" || name == "signatures";
}

bool is_yaml(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

class TreeReader {
 public:
  TreeReader(git_repository* repository, git_odb* database) : repository_(repository), database_(database) {}

  Result<void> read(const git_tree* tree, const std::string& prefix, int depth) {
    if (depth > 16)
      return fail(ErrorCode::invalid, "folders lie deeper than 16 levels under " + printable(prefix));
    for (std::size_t i = 0; i < git_tree_entrycount(tree); ++i) {
      if (auto entry = read_entry(git_tree_entry_byindex(tree, i), prefix, depth); !entry) return entry;
    }
    return {};
  }

  graphdata::Files take() { return std::move(files_); }

 private:
  Result<void> read_entry(const git_tree_entry* entry, const std::string& prefix, int depth) {
    const std::string path = prefix + git_tree_entry_name(entry);
    const bool folder_counts = depth > 0 || is_top_folder(path);
    switch (git_tree_entry_filemode(entry)) {
      case GIT_FILEMODE_TREE: {
        if (!folder_counts) return {};
        GitTree below;
        if (git_take(below, [&](git_tree** out) {
              return git_tree_lookup(out, repository_, git_tree_entry_id(entry));
            }) != 0) {
          return fail(git_failure(ErrorCode::unavailable, "reading folder " + printable(path)));
        }
        return read(below.get(), path + "/", depth + 1);
      }
      case GIT_FILEMODE_BLOB:
      case GIT_FILEMODE_BLOB_EXECUTABLE:
        return graphdata::counts(path) ? read_blob(git_tree_entry_id(entry), path) : Result<void>{};
      default:
        // What a symbolic link or a submodule stands for is not in this tree, and must not just be missing.
        if (!graphdata::counts(path) && !folder_counts) return {};
        return fail(ErrorCode::invalid,
                    printable(path) + " is a symbolic link or a submodule; commit the file itself instead");
    }
  }

  Result<void> read_blob(const git_oid* id, const std::string& path) {
    std::size_t size = 0;
    git_object_t type = GIT_OBJECT_INVALID;
    if (git_odb_read_header(&size, &type, database_, id) != 0) {
      return fail(git_failure(ErrorCode::unavailable, "reading " + printable(path)));
    }
    total_ += size;
    if (is_yaml(path) && size > max_file_bytes) {
      return fail(ErrorCode::too_large,
                  printable(path) + " is " + std::to_string(size) + " bytes; the limit is 1 MiB");
    }
    if (total_ > max_total_bytes) return fail(ErrorCode::too_large, "the graph data is larger than 64 MiB");
    if (files_.size() >= max_files)
      return fail(ErrorCode::too_large, "the graph data has more than 50000 files");
    GitBlob blob;
    if (git_take(blob, [&](git_blob** out) { return git_blob_lookup(out, repository_, id); }) != 0) {
      return fail(git_failure(ErrorCode::unavailable, "reading " + printable(path)));
    }
    files_.emplace(path, std::string(static_cast<const char*>(git_blob_rawcontent(blob.get())),
                                     static_cast<std::size_t>(git_blob_rawsize(blob.get()))));
    return {};
  }

  git_repository* repository_;
  git_odb* database_;
  graphdata::Files files_;
  std::size_t total_ = 0;
};

Result<graphdata::Files> read_tree(git_repository* repository, const git_tree* tree) {
  GitDatabase database;
  if (git_take(database, [&](git_odb** out) { return git_repository_odb(out, repository); }) != 0) {
    return fail(git_failure(ErrorCode::unavailable, "opening the object database"));
  }
  TreeReader reader(repository, database.get());
  if (auto done = reader.read(tree, "", 0); !done) return fail(done.error());
  return reader.take();
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

/// Where `folder` lies below the top of the working tree: "" or "some/folder".
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
                              const std::string& revision, git_object_t type) {
  GitObject found;
  if (git_take(found, [&](git_object** out) {
        return git_revparse_single(out, repository, revision.c_str());
      }) != 0) {
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
    git_libgit2_init();
    git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, static_cast<ssize_t>(object_cache_bytes));
    // What is read here are objects and refs; nothing in a repository or in anybody's configuration is run or
    // obeyed. So whose files they are does not matter (containers mount them under any user), nor what
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

Error git_failure(ErrorCode code, const std::string& doing) {
  const git_error* last = git_error_last();
  return {code,
          doing + ": " +
              (last != nullptr && last->message != nullptr ? printable(last->message) : "unknown Git error")};
}

std::string git_id_text(const git_oid& id) {
  std::string text(GIT_OID_HEXSZ, '0');
  git_oid_fmt(text.data(), &id);
  return text;
}

Result<graphdata::Files> read_git_tree(const std::string& folder, const std::string& revision) {
  auto repository = open_repository(folder);
  if (!repository) return fail(repository.error());
  auto object = find_object(repository->get(), folder, revision, GIT_OBJECT_TREE);
  if (!object) return fail(object.error());
  const std::string doing = "reading graph data of " + printable(revision) + " in " + folder;

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libgit2's own way down from object to tree
  const auto* tree = reinterpret_cast<const git_tree*>(object->get());
  const std::string below = folder_in_tree(repository->get(), folder);
  GitTree part;
  if (!below.empty()) {
    GitTreeEntry entry;
    const bool found = git_take(entry,
                                [&](git_tree_entry** out) {
                                  return git_tree_entry_bypath(out, tree, below.c_str());
                                }) == 0 &&
                       git_tree_entry_type(entry.get()) == GIT_OBJECT_TREE;
    if (!found) return fail(ErrorCode::not_found, doing + ": that revision has no folder " + below);
    if (git_take(part, [&](git_tree** out) {
          return git_tree_lookup(out, repository->get(), git_tree_entry_id(entry.get()));
        }) != 0) {
      return fail(git_failure(ErrorCode::unavailable, doing));
    }
    tree = part.get();
  }
  auto files = read_tree(repository->get(), tree);
  if (!files) return fail(files.error().within(doing));
  return files;
}

Result<std::string> resolve_git_ref(const std::string& folder, const std::string& ref) {
  auto repository = open_repository(folder);
  if (!repository) return fail(repository.error());
  auto object = find_object(repository->get(), folder, ref.empty() ? "HEAD" : ref, GIT_OBJECT_COMMIT);
  if (!object) return fail(object.error());
  return git_id_text(*git_object_id(object->get()));
}

}  // namespace fairway::sources
