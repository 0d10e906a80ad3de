// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/redact.h"
#include "base/text.h"
#include "sources/git.h"
#include "sources/internal/fetch/file_lock.h"
#include "sources/internal/fetch/git_clone.h"
#include "sources/internal/fetch/http_client.h"
#include "sources/internal/fetch/source_kinds.h"

namespace fairway::sources {

namespace {

constexpr std::string_view file_form = "git+file://";
constexpr std::size_t folder_name_size = 16;

/// A repository on this machine: its object database is read where it lies.
class LocalGitSource final : public GraphDataSource {
 public:
  LocalGitSource(std::string name, std::string folder, std::string ref, std::chrono::seconds deadline,
                 const Clock& clock)
      : name_(std::move(name)),
        folder_(std::move(folder)),
        ref_(std::move(ref)),
        deadline_(deadline),
        clock_(clock) {}

  std::string name() const override { return name_; }

  Result<FetchedGraphData> fetch(const FetchContext& context) override {
    const Limits limits = Limits::within(clock_, deadline_, context.stop);
    auto commit = resolve_git_ref(folder_, ref_, limits, clock_);
    if (!commit) return fail(commit.error());
    auto files = read_git_tree(folder_, *commit, limits, clock_);
    if (!files) return fail(files.error());
    return FetchedGraphData{std::move(*files), std::move(*commit)};
  }

  bool watch(std::function<void()> /*changed*/, std::stop_token /*stop*/) override { return false; }

 private:
  std::string name_, folder_, ref_;
  std::chrono::seconds deadline_;
  const Clock& clock_;
};

/// A folder that is removed with its owner.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "fairway-git-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      return fail(ErrorCode::unavailable,
                  "making a temporary folder like " + name + " for a Git clone failed");
    }
    return TemporaryFolder(std::move(name));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

class RemoteGitSource final : public GraphDataSource {
 public:
  RemoteGitSource(std::string name, std::string identity, http::Access remote, std::string folder,
                  std::optional<TemporaryFolder> temporary, std::chrono::seconds deadline, Clock& clock,
                  std::unique_ptr<http::Client> client)
      : name_(std::move(name)),
        identity_(std::move(identity)),
        ref_(remote.fragment),
        deadline_(deadline),
        clock_(clock),
        lock_file_(temporary ? "" : folder + ".lock"),
        temporary_(std::move(temporary)),
        client_(std::move(client)),
        clone_(std::move(remote), std::move(folder), *client_, clock) {}

  std::string name() const override { return name_; }
  std::string identity() const override { return identity_; }

  Result<FetchedGraphData> fetch(const FetchContext& context) override {
    if (context.progress) context.progress("fetching " + name_, 0, 0);
    const Limits limits = Limits::within(clock_, deadline_, context.stop);
    // Another process, or a source that a reload has replaced, may be at work in the same clone.
    std::optional<FileLock> lock;
    if (!lock_file_.empty()) {
      auto taken = FileLock::take(lock_file_, limits, clock_);
      if (taken) {
        lock.emplace(*std::move(taken));
      } else if (taken.error().code != ErrorCode::unavailable) {
        return fail(taken.error().within("fetching " + name_));
      }
    }
    auto commit = clone_.fetch(ref_, limits);
    if (!commit) return fail(commit.error());
    auto files = clone_.read(*commit, limits);
    if (!files) return fail(files.error().within(name_));
    return FetchedGraphData{std::move(*files), std::move(*commit)};
  }

  bool watch(std::function<void()> /*changed*/, std::stop_token /*stop*/) override { return false; }

 private:
  std::string name_, identity_, ref_;
  std::chrono::seconds deadline_;
  Clock& clock_;
  std::string lock_file_;  ///< path of the lock file; "" if no other process uses the clone
  std::optional<TemporaryFolder> temporary_;
  std::unique_ptr<http::Client> client_;
  GitClone clone_;
};

Result<std::unique_ptr<GraphDataSource>> make_local(std::string_view spec, const Options& options) {
  const std::string_view rest = spec.substr(file_form.size());
  const std::size_t hash = rest.find('#');
  const auto folder = http::percent_decode(rest.substr(0, hash));
  if (!folder || !folder->starts_with('/')) {
    return fail(ErrorCode::invalid, "graph data " + printable(spec) +
                                        ": after git+file:// there has to be an absolute path, as in "
                                        "git+file:///srv/graph-data#main");
  }
  return std::make_unique<LocalGitSource>(
      std::string(spec), *folder, hash == std::string_view::npos ? "" : std::string(rest.substr(hash + 1)),
      options.deadline, *options.clock);
}

}  // namespace

Result<std::unique_ptr<GraphDataSource>> make_git_source(std::string_view spec, const Options& options) {
  if (spec.starts_with(file_form)) return make_local(spec, options);
  const std::string_view url = spec.starts_with("git+") ? spec.substr(4) : spec;
  if (url.size() == spec.size() || (!url.starts_with("https://") && !url.starts_with("http://"))) {
    const std::string scheme(spec.substr(0, spec.find("://")));
    return fail(ErrorCode::unsupported,
                "graph data from " + printable(scheme) +
                    ":// is not offered; use git+https://HOST/PATH#REF (credentials go before the "
                    "host) or git+file:///PATH#REF");
  }
  auto access = http::read_access(url);
  if (!access) return fail(access.error());

  std::string name = "git+" + redact_urls(access->url.to_string()) +
                     (access->fragment.empty() ? "" : "#" + access->fragment);
  std::optional<TemporaryFolder> temporary;
  std::string folder;
  if (options.data_directory.empty()) {
    auto made = TemporaryFolder::make();
    if (!made) return fail(made.error());
    folder = made->path();
    temporary.emplace(std::move(*made));
  } else {
    folder =
        options.data_directory + "/git/" + sha256_hex(access->url.to_string()).substr(0, folder_name_size);
  }
  auto client = make_http_client(options);
  if (!client) return fail(client.error());
  return std::make_unique<RemoteGitSource>(std::move(name), sha256_hex(spec), std::move(*access),
                                           std::move(folder), std::move(temporary), options.deadline,
                                           *options.clock, std::move(*client));
}

}  // namespace fairway::sources
