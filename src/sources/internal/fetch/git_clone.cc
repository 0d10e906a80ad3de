// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/git_clone.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "sources/git.h"
#include "sources/internal/fetch/git_budget.h"
#include "sources/internal/fetch/git_handles.h"
#include "sources/internal/fetch/git_transport.h"

namespace fairway::sources {

namespace {

// Each fetch leaves a pack behind, and libgit2 does not merge them: past this many the clone is made anew.
constexpr std::size_t max_packs = 64;
constexpr std::size_t commit_id_size = 40;

bool is_commit_id(std::string_view text) {
  return text.size() == commit_id_size &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

struct RemoteRef {
  std::string name;
  git_oid id;
};

Result<GitRepository> open_or_make(const std::string& folder) {
  start_git();
  GitRepository repository;
  const int opened = git_take(
      repository, [&](git_repository** out) { return git_repository_open_bare(out, folder.c_str()); });
  if (opened == 0) return repository;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(ErrorCode::unavailable, "making " + folder + ": " + error.message());
  if (git_take(repository,
               [&](git_repository** out) { return git_repository_init(out, folder.c_str(), 1); }) != 0) {
    return fail(git_failure(ErrorCode::unavailable, "making a Git repository in " + folder));
  }
  return repository;
}

/// Returns the commit that an object is or stands for (annotated tags), if it is present.
std::optional<std::string> commit_here(git_repository* repository, const git_oid& id) {
  GitObject object;
  if (git_take(object, [&](git_object** out) {
        return git_object_lookup(out, repository, &id, GIT_OBJECT_ANY);
      }) != 0) {
    return {};
  }
  GitObject commit;
  if (git_take(commit, [&](git_object** out) {
        return git_object_peel(out, object.get(), GIT_OBJECT_COMMIT);
      }) != 0) {
    return {};
  }
  return git_id_text(*git_object_id(commit.get()));
}

std::size_t count_packs(const std::string& folder) {
  std::size_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder + "/objects/pack", error), end;
       !error && entry != end; entry.increment(error)) {
    count += entry->path().extension() == ".pack" ? 1 : 0;
  }
  return count;
}

/// Returns the remote's refs to fetch: the one that `ref` means, or all branches and tags if it is a commit
/// id that none of them is.
std::vector<RemoteRef> wanted_refs(const std::vector<RemoteRef>& refs, const std::string& ref) {
  const std::array<std::string, 3> names = {"refs/heads/" + ref, "refs/tags/" + ref,
                                            ref.empty() ? "HEAD" : ref};
  for (const std::string& name : names) {
    const auto found = std::ranges::find(refs, name, &RemoteRef::name);
    if (found != refs.end()) return {*found};
  }
  if (!is_commit_id(ref)) return {};
  std::vector<RemoteRef> all;
  for (const RemoteRef& one : refs) {
    if (one.name.ends_with("^{}")) continue;
    if (git_id_text(one.id) == ref && one.name != "HEAD") return {one};
    if (one.name.starts_with("refs/heads/") || one.name.starts_with("refs/tags/")) all.push_back(one);
  }
  return all;
}

std::string missing_ref(const std::vector<RemoteRef>& refs, const std::string& ref) {
  if (refs.empty()) return "the repository is empty";
  std::vector<std::string> branches;
  for (const RemoteRef& one : refs) {
    if (one.name.starts_with("refs/heads/") && branches.size() < 8) branches.push_back(one.name.substr(11));
  }
  if (ref.empty()) return "the remote names no HEAD; add #BRANCH to the URL, one of: " + join(branches, ", ");
  return "there is no branch or tag " + printable(ref) + "; there are the branches " + join(branches, ", ") +
         " (of a commit its whole id is needed)";
}

struct Connection {
  Connection(git_remote* remote, GitTransport& transport, const GitBudget& budget)
      : remote_(remote), transport_(&transport), budget_(&budget) {}
  ~Connection() { git_remote_disconnect(remote_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  git_remote_callbacks callbacks() {
    git_remote_callbacks callbacks = GIT_REMOTE_CALLBACKS_INIT;
    callbacks.transport = GitTransport::make;
    callbacks.payload = transport_->payload();
    callbacks.transfer_progress = [](const git_indexer_progress*, void* payload) {
      return static_cast<GitTransport*>(payload)->deadline_passed() ? -1 : 0;
    };
    return callbacks;
  }

  Result<std::vector<RemoteRef>> refs() {
    const git_remote_callbacks with = callbacks();
    if (git_remote_connect(remote_, GIT_DIRECTION_FETCH, &with, nullptr, nullptr) != 0)
      return failure("connecting");
    const git_remote_head** heads = nullptr;
    std::size_t count = 0;
    if (git_remote_ls(&heads, &count, remote_) != 0) return failure("listing the remote's refs");
    std::vector<RemoteRef> refs;
    refs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) refs.push_back({heads[i]->name, heads[i]->oid});
    return refs;
  }

  Result<void> download(const std::vector<RemoteRef>& wanted) {
    std::vector<std::string> texts;
    texts.reserve(wanted.size());
    for (const RemoteRef& one : wanted) texts.push_back("+" + one.name + ":" + kept_name(one.name));
    std::vector<char*> pointers;
    pointers.reserve(wanted.size());
    for (std::string& text : texts) pointers.push_back(text.data());
    const git_strarray specs{pointers.data(), pointers.size()};
    git_fetch_options options = GIT_FETCH_OPTIONS_INIT;
    options.callbacks = callbacks();
    options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
    if (git_remote_download(remote_, &specs, &options) != 0) return failure("fetching");
    return {};
  }

  /// Returns the name under which a ref of the remote is kept: the next fetch uses these to announce what is
  /// present.
  static std::string kept_name(const std::string& name) {
    return "refs/fairway/" + (name.starts_with("refs/") ? name.substr(5) : name);
  }

 private:
  std::unexpected<Error> failure(const std::string& doing) {
    if (transport_->error()) return fail(*transport_->error());
    if (auto exceeded = budget_->exceeded()) return fail(exceeded->within(doing));
    const bool late = transport_->deadline_passed();
    return fail(git_failure(late ? ErrorCode::deadline_exceeded : ErrorCode::internal, doing));
  }

  git_remote* remote_;
  GitTransport* transport_;
  const GitBudget* budget_;
};

}  // namespace

GitClone::GitClone(http::Access remote, std::string folder, http::Client& client, const Clock& clock)
    : remote_(std::move(remote)), folder_(std::move(folder)), client_(client), clock_(clock) {}

Result<std::string> GitClone::fetch(const std::string& ref, const Limits& limits) {
  auto commit = fetch_once(ref, limits);
  // Neither the network nor the caller is at fault: what is in the folder may be broken, and can be had
  // again.
  if (!commit && (commit.error().code == ErrorCode::internal || commit.error().code == ErrorCode::conflict)) {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
    commit = fetch_once(ref, limits);
  }
  if (!commit) return fail(commit.error().within("fetching " + remote_.url.to_string()));
  return commit;
}

Result<std::string> GitClone::fetch_once(const std::string& ref, const Limits& limits) {
  auto repository = open_or_make(folder_);
  if (!repository) return fail(repository.error());
  if (git_oid id; is_commit_id(ref) && git_oid_fromstr(&id, ref.c_str()) == 0) {
    if (auto commit = commit_here(repository->get(), id)) return *commit;
  }

  const GitBudget budget(limits, clock_);
  GitTransport transport(client_, remote_, folder_, limits, clock_);
  GitRemote remote;
  if (git_take(remote, [&](git_remote** out) {
        return git_remote_create_anonymous(out, repository->get(), remote_.url.to_string().c_str());
      }) != 0) {
    return fail(git_failure(ErrorCode::invalid, "using the URL"));
  }
  Connection connection(remote.get(), transport, budget);
  const auto refs = connection.refs();
  if (!refs) return fail(refs.error());
  const std::vector<RemoteRef> wanted = wanted_refs(*refs, ref);
  if (wanted.empty()) return fail(ErrorCode::not_found, missing_ref(*refs, ref));
  if (wanted.size() == 1) {
    if (auto commit = commit_here(repository->get(), wanted.front().id)) return *commit;
  }
  if (count_packs(folder_) > max_packs) return fail(ErrorCode::conflict, "the clone has too many packs");

  if (auto done = connection.download(wanted); !done) return fail(done.error());
  for (const RemoteRef& one : wanted) {
    GitReference kept;
    if (git_take(kept, [&](git_reference** out) {
          return git_reference_create(out, repository->get(), Connection::kept_name(one.name).c_str(),
                                      &one.id, 1, nullptr);
        }) != 0) {
      return fail(git_failure(ErrorCode::internal, "keeping " + one.name));
    }
  }
  git_oid id = wanted.front().id;
  if (is_commit_id(ref)) git_oid_fromstr(&id, ref.c_str());
  if (auto commit = commit_here(repository->get(), id)) return *commit;
  return fail(ErrorCode::not_found, is_commit_id(ref) ? "no branch or tag leads to commit " + ref
                                                      : printable(ref) + " is no commit");
}

Result<graphdata::Files> GitClone::read(const std::string& commit, const Limits& limits) const {
  return read_git_tree(folder_, commit, limits, clock_);
}

}  // namespace fairway::sources
