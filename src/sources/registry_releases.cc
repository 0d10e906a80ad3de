// SPDX-License-Identifier: Apache-2.0

#include "sources/registry_releases.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/text.h"
#include "release/cache.h"
#include "release/metadata.h"
#include "sources/internal/fetch/file_lock.h"
#include "sources/internal/fetch/release_image.h"
#include "sources/internal/fetch/signature_options.h"

namespace fairway::sources {

namespace {

/// Returns whether a tag is one that tools keep beside images: cosign's "sha256-<hex>[.sig|.att|.sbom]" and
/// names that end like them.
bool is_no_image(std::string_view tag) {
  for (const std::string_view suffix : {".sig", ".att", ".sbom"}) {
    if (tag.ends_with(suffix)) return true;
  }
  return tag.starts_with("sha256-") && tag.size() >= 71 &&
         tag.substr(7, 64).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Returns "4.16.15" of "4.16.15-x86_64", so that a problem is shown to those who may see the version;
/// nothing of "latest".
std::vector<std::string> versions_of_tag(std::string_view tag) {
  for (const std::string_view suffix :
       {"-x86_64", "-amd64", "-aarch64", "-arm64", "-ppc64le", "-s390x", "-multi"}) {
    if (tag.ends_with(suffix)) {
      tag.remove_suffix(suffix.size());
      break;
    }
  }
  const auto version = Version::parse(tag);
  if (!version) return {};
  return {version->with_build("").to_string()};
}

/// Returns whether an error is transient, or one of the network, and not of the requested object.
bool may_pass(const Error& error) {
  return error.code != ErrorCode::not_found;
}

/// Returns whether a release's tag is that of its version: 4.16.15, 4.16.15-x86_64 or 4.16.15-multi of
/// 4.16.15, with the architecture as RPM or as Go names it. Characters that a tag cannot hold are `_` or `-`.
bool is_named_after_version(const graph::Release& release) {
  const std::size_t colon = release.source.rfind(':');
  std::string_view tag = std::string_view(release.source).substr(colon + 1);
  const std::string version = release.version.to_string();
  if (!tag.starts_with(version)) return false;
  tag.remove_prefix(version.size());
  if (tag.empty()) return true;
  if (tag.front() != '-' && tag.front() != '_') return false;
  tag.remove_prefix(1);
  return tag == release.arch || (tag == "x86_64" && release.arch == "amd64") ||
         (tag == "aarch64" && release.arch == "arm64");
}

class RegistrySource final : public ReleaseSource {
 public:
  RegistrySource(oci::Reference repository, Options options, std::unique_ptr<oci::Registry> registry,
                 std::unique_ptr<oci::SignatureStore> signatures, std::filesystem::path cache_file)
      : repository_(std::move(repository)),
        options_(std::move(options)),
        registry_(std::move(registry)),
        signatures_(std::move(signatures)),
        cache_file_(std::move(cache_file)) {}

  std::string name() const override { return "oci://" + repository_.to_string(); }
  Result<FetchedReleases> fetch(const FetchContext& context) override;

 private:
  /// One scan: from the tags to the releases.
  struct Scan;

  /// Opens the cache, if it is not open: one that cannot be read or written now costs time, but no release.
  /// Returns why it is in memory only.
  std::optional<Error> open_cache(const Limits& limits);

  oci::Reference repository_;
  Options options_;
  std::unique_ptr<oci::Registry> registry_;
  std::unique_ptr<oci::SignatureStore> signatures_;  ///< null: signatures are not required
  std::filesystem::path cache_file_;                 ///< "" for none
  std::optional<FileLock> cache_lock_;               ///< lock of its file
  std::unique_ptr<release::Cache> cache_;            ///< in memory only until its file could be opened
  bool cache_is_open_ = false;
  std::set<std::string> logged_;  ///< problems of the last scan: each is logged once
};

struct RegistrySource::Scan {
  struct Tag {
    std::string name;
    std::string digest;          ///< the image that is taken; "" for none
    std::optional<Error> error;  ///< reason why it is not the image that the tag points at now, or why there
                                 ///< is none
  };

  RegistrySource& source;
  const FetchContext& context;
  Limits limits;
  std::unique_ptr<oci::KeyRing> keys;
  std::vector<Tag> tags;
  std::map<std::string, Error> failed;     ///< digests whose image could not be read now
  std::map<std::string, Error> unsigned_;  ///< digests without a signature that counts
  std::set<std::string> messages;
  FetchedReleases fetched;
  mutable std::mutex cache_mutex;
  mutable std::optional<Error> cache_fault;  ///< the first one of this scan

  Result<void> list_tags();
  void resolve_tags();
  void read_images();
  void fall_back();
  Result<void> require_most() const;
  void check_signatures();
  void collect();

  Clock& clock() const { return *source.options_.clock; }
  /// Returns the limits of a single step: one image that hangs does not use up the time of all.
  Limits share() const {
    const auto part = std::max<SteadyTime::duration>(source.options_.deadline / 4, std::chrono::seconds(1));
    return limits.at_most(clock(), part);
  }
  Error not_reached() const {
    return {ErrorCode::deadline_exceeded,
            "the deadline of " + std::to_string(source.options_.deadline.count()) +
                " s for the whole scan (--scrape-deadline) passed before its turn came; "
                "the next scan goes on from there"};
  }
  void progress(std::string_view what, std::size_t done, std::size_t total) const {
    if (context.progress) context.progress(what, done, total);
  }
  void keep(const Result<void>& written) const {
    const std::lock_guard lock(cache_mutex);
    if (!written && !cache_fault) cache_fault = written.error();
  }
  void add_problem(const Tag& tag, const std::string& message);
  void report_cache();
  std::set<std::string> digests() const;
};

Result<FetchedReleases> RegistrySource::fetch(const FetchContext& context) {
  const auto errors_before = registry_->counts().errors;
  Scan scan{.source = *this,
            .context = context,
            .limits = Limits::within(*options_.clock, options_.deadline, context.stop)};
  scan.cache_fault = open_cache(scan.limits);
  if (signatures_) {
    auto keys = oci::KeyRing::load(options_.access.public_keys_directory, *options_.clock);
    if (!keys) return fail(keys.error().within(name()));
    scan.keys = *std::move(keys);
  }
  const auto stopped = [&context] { return context.stop.stop_requested(); };
  if (auto listed = scan.list_tags(); !listed) return fail(listed.error().within(name()));
  scan.resolve_tags();
  if (!stopped()) scan.read_images();
  if (!stopped()) scan.fall_back();
  if (!stopped()) scan.check_signatures();
  if (stopped()) return fail(ErrorCode::cancelled, name() + ": the scan was stopped");
  if (auto most = scan.require_most(); !most) return fail(most.error().within(name()));
  scan.collect();
  logged_ = std::move(scan.messages);
  scan.fetched.upstream_errors = registry_->counts().errors - errors_before;
  return std::move(scan.fetched);
}

std::optional<Error> RegistrySource::open_cache(const Limits& limits) {
  if (cache_is_open_) return std::nullopt;
  if (!cache_file_.empty() && !cache_lock_) {
    // The source that a reload has replaced gives it back soon; another process does not.
    constexpr std::chrono::seconds lock_timeout{10};
    const std::chrono::nanoseconds wait = cache_ ? std::chrono::seconds(0) : lock_timeout;
    auto lock = FileLock::take(cache_file_.string() + ".lock", limits.at_most(*options_.clock, wait),
                               *options_.clock);
    if (lock) {
      cache_lock_.emplace(*std::move(lock));
    } else if (lock.error().code != ErrorCode::unavailable) {
      if (!cache_) cache_ = release::Cache::in_memory();
      return lock.error();
    }
  }
  auto opened = release::Cache::open({.index = cache_file_, .images = {}});
  if (opened) {
    cache_ = *std::move(opened);
    cache_is_open_ = true;
    return std::nullopt;
  }
  if (!cache_) cache_ = release::Cache::in_memory();
  return opened.error();
}

Result<void> RegistrySource::Scan::list_tags() {
  auto names = source.registry_->tags(source.repository_, limits);
  if (!names) return fail(names.error());
  for (auto& name : *names) {
    if (!is_no_image(name)) tags.push_back({.name = std::move(name), .digest = {}, .error = {}});
  }
  return {};
}

void RegistrySource::Scan::resolve_tags() {
  for (auto& tag : tags) tag.error = not_reached();
  std::atomic<std::size_t> done{0};
  parallel_for(tags.size(), source.options_.concurrency, limits, clock(), [&](std::size_t i) {
    auto digest = source.registry_->resolve(source.repository_.with_tag(tags[i].name), share());
    tags[i].error.reset();
    if (digest) {
      tags[i].digest = *std::move(digest);
    } else {
      tags[i].error = digest.error();
    }
    progress("tags asked for", ++done, tags.size());
  });
}

std::set<std::string> RegistrySource::Scan::digests() const {
  std::set<std::string> all;
  for (const auto& tag : tags) {
    if (!tag.digest.empty()) all.insert(tag.digest);
  }
  return all;
}

void RegistrySource::Scan::read_images() {
  const auto now = clock().now();
  std::vector<std::string> unknown;
  for (const auto& digest : digests()) {
    const auto known = source.cache_->image(digest);
    if (!known || (known->retry_at && *known->retry_at <= now)) unknown.push_back(digest);
  }
  for (const auto& digest : unknown) failed.emplace(digest, not_reached());
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(unknown.size(), source.options_.concurrency, limits, clock(), [&](std::size_t i) {
    const auto reference = source.repository_.with_digest(unknown[i]);
    auto image = fetch_release_image(*source.registry_, reference, share(), clock().now());
    if (!image) {
      const std::lock_guard lock(mutex);
      failed.insert_or_assign(unknown[i], image.error());
      progress("images read", ++done, unknown.size());
      return;
    }
    keep(source.cache_->put_image(unknown[i], *std::move(image)));
    const std::lock_guard lock(mutex);
    failed.erase(unknown[i]);
    progress("images read", ++done, unknown.size());
  });
}

/// Keeps the previous image of a tag whose image cannot be read now: a transient error costs no release.
void RegistrySource::Scan::fall_back() {
  for (auto& tag : tags) {
    if (!tag.error) {
      const auto failure = failed.find(tag.digest);
      if (failure == failed.end()) {
        keep(source.cache_->put_tag(tag.name, tag.digest));
        continue;
      }
      tag.error = failure->second;
      // A known image is only checked again: its contents cannot have changed.
      if (source.cache_->image(tag.digest)) continue;
      tag.digest.clear();
    }
    if (!may_pass(*tag.error)) continue;
    const auto before = source.cache_->tag(tag.name);
    if (before && source.cache_->image(*before)) tag.digest = *before;
  }
}

/// Checks that a scan has most of its images: otherwise it is a failed scan, and the result of the last one
/// is better.
Result<void> RegistrySource::Scan::require_most() const {
  std::size_t lost = 0;
  const Error* first = nullptr;
  for (const auto& tag : tags) {
    if (!tag.digest.empty() || !tag.error || !may_pass(*tag.error)) continue;
    ++lost;
    if (first == nullptr) first = &*tag.error;
  }
  if (lost * 2 <= tags.size()) return {};
  return fail(first->within(std::to_string(lost) + " of " + std::to_string(tags.size()) +
                            " images could not be read (what was read is kept); the first"));
}

void RegistrySource::Scan::check_signatures() {
  if (!keys) return;
  std::vector<std::string> unverified;
  for (const auto& digest : digests()) {
    const auto image = source.cache_->image(digest);
    if (image && image->is_release() && !source.cache_->verified(digest, keys->fingerprint())) {
      unverified.push_back(digest);
    }
  }
  for (const auto& digest : unverified) unsigned_.emplace(digest, not_reached());
  std::mutex mutex;
  std::size_t done = 0, elsewhere = 0;
  parallel_for(unverified.size(), source.options_.concurrency, limits, clock(), [&](std::size_t i) {
    const auto& digest = unverified[i];
    const auto reference = source.signatures_->verify(*keys, digest, share());
    if (reference) keep(source.cache_->put_verified(digest, keys->fingerprint()));
    const std::lock_guard lock(mutex);
    if (reference) {
      unsigned_.erase(digest);
      const auto signed_for = oci::Reference::parse(*reference);
      const bool same = signed_for && signed_for->registry == source.repository_.registry &&
                        signed_for->repository == source.repository_.repository;
      if (!same) ++elsewhere;
    } else {
      unsigned_.insert_or_assign(digest, reference.error());
    }
    progress("signatures checked", ++done, unverified.size());
  });
  if (elsewhere > 0) {
    // Mirrors hold images under other names than they were signed for; the digest is what is vouched for.
    log::info("images are signed for another repository than they are read from",
              {{"repository", source.repository_.to_string()}, {"images", elsewhere}});
  }
}

void RegistrySource::Scan::add_problem(const Tag& tag, const std::string& message) {
  graph::Problem problem;
  problem.kind = graph::problem_kind::release_left_out;
  problem.place.file = source.repository_.with_tag(tag.name).to_string();
  problem.message = message;
  problem.versions = versions_of_tag(tag.name);
  auto logged = problem.place.file + ": " + message;
  if (!source.logged_.contains(logged)) {
    log::warning("a release image is left out, or stays as it was",
                 {{"image", problem.place.file}, {"problem", message}});
  }
  messages.insert(std::move(logged));
  fetched.problems.push_back(std::move(problem));
}

/// Reports a fault of the cache; the file's path is only logged.
void RegistrySource::Scan::report_cache() {
  if (!cache_fault) return;
  graph::Problem problem;
  problem.kind = graph::problem_kind::source_unavailable;
  problem.place.file = source.name();
  problem.message =
      "the release cache cannot be written, so that after a restart all images are read again; the log says "
      "why";
  auto logged = problem.message + ": " + cache_fault->message;
  if (!source.logged_.contains(logged)) {
    log::warning("the release cache cannot be written", {{"error", cache_fault->message}});
  }
  messages.insert(std::move(logged));
  fetched.problems.push_back(std::move(problem));
}

void RegistrySource::Scan::collect() {
  std::set<std::string> taken;
  std::string contents = keys ? keys->fingerprint() : "";
  for (const auto& tag : tags) {
    const auto image = tag.digest.empty() ? std::nullopt : source.cache_->image(tag.digest);
    if (!image) {
      add_problem(tag, "the image is left out: " + (tag.error ? tag.error->message : "it was not read"));
      continue;
    }
    if (!image->is_release()) {
      add_problem(tag, "the image is left out: " + image->fault);
      continue;
    }
    if (const auto refused = unsigned_.find(tag.digest); refused != unsigned_.end()) {
      add_problem(tag, "the image is left out: " + refused->second.message);
      continue;
    }
    auto read = release::read_metadata(image->metadata, image->arch,
                                       "oci://" + source.repository_.with_tag(tag.name).to_string());
    if (!read) {
      add_problem(tag, "the image is left out: " + read.error().message);
      continue;
    }
    if (tag.error) {
      add_problem(tag,
                  "the image " + tag.digest +
                      " that the tag was last known to point at is kept, because it cannot be read now: " +
                      tag.error->message);
    }
    if (!taken.insert(tag.digest).second) continue;
    read->release.payload = source.repository_.with_digest(tag.digest).to_string();
    contents += tag.name + "@" + tag.digest + "\n";
    fetched.releases.push_back(std::move(read->release));
  }
  // Of several images of one version the build takes the first: never by the order of the registry's tags.
  std::ranges::sort(fetched.releases, [](const graph::Release& a, const graph::Release& b) {
    const auto rank = [](const graph::Release& release) {
      return std::pair(!is_named_after_version(release), std::string_view(release.payload));
    };
    return rank(a) < rank(b);
  });
  std::set<std::string> names;
  std::set<std::string> used = digests();
  for (const auto& tag : tags) {
    names.insert(tag.name);
    if (const auto before = source.cache_->tag(tag.name)) used.insert(*before);
  }
  keep(source.cache_->retain(names, used));
  report_cache();
  for (const auto& message : messages) contents += message + "\n";
  fetched.revision = sha256_hex(contents);
}

}  // namespace

Result<std::unique_ptr<ReleaseSource>> make_registry_release_source(const oci::Reference& repository,
                                                                    const Options& options) {
  return make_registry_release_source(repository, options, {});
}

Result<std::unique_ptr<ReleaseSource>> make_registry_release_source(const oci::Reference& repository,
                                                                    const Options& options,
                                                                    oci::RegistryOptions client) {
  const std::string name = "oci://" + repository.to_string();
  if (!repository.tag.empty() || !repository.digest.empty()) {
    return fail(
        ErrorCode::invalid,
        name +
            ": releases come from a whole repository: leave out the tag or digest (oci://HOST/REPOSITORY)");
  }
  const oci::RegistryOptions shared = release::registry_options(options.access);
  client.ca_files = shared.ca_files;
  client.plain_http = shared.plain_http;
  client.auth_file = shared.auth_file;
  client.token_hosts = shared.token_hosts;
  client.concurrency = options.concurrency;
  client.clock = options.clock;
  auto registry = oci::Registry::create(client);
  if (!registry) return fail(registry.error().within(name));
  auto signatures = open_signature_store(options, {.ca_files = options.access.ca_files,
                                                   .retries = client.retries,
                                                   .concurrency = options.concurrency,
                                                   .backoff = client.backoff,
                                                   .clock = options.clock});
  if (!signatures) return fail(signatures.error().within(name));
  std::filesystem::path file;
  if (!options.data_directory.empty()) {
    const auto key = sha256_hex(repository.to_string()).substr(0, 32);
    file = std::filesystem::path(options.data_directory) / "registry" / (key + ".log");
  }
  return std::make_unique<RegistrySource>(repository, options, *std::move(registry), *std::move(signatures),
                                          std::move(file));
}

}  // namespace fairway::sources
