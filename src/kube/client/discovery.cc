// SPDX-License-Identifier: Apache-2.0

#include "kube/client/discovery.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "k8s/wire/media_type.h"

namespace fairway::kube {

namespace {

struct Document {
  std::string text;
  bool aggregated = false;
};

std::string accept_aggregated() {
  std::string accept;
  for (const char* version : {"v2", "v2beta1"}) {
    const k8s::GroupVersionKind kind{std::string(k8s::representation::discovery_group), version,
                                     std::string(k8s::representation::group_discovery_list)};
    accept += k8s::json_as(kind).to_string() + ",";
  }
  return accept + "application/json";
}

ApiResult<Document> ask(Client& client, const std::string& path, bool aggregated, const Limits& limits) {
  ApiRequest request;
  request.path = path;
  if (aggregated) request.accept = accept_aggregated();
  Document document;
  const auto headers = client.send(request, document.text, limits);
  if (!headers) return std::unexpected(headers.error());
  for (const k8s::MediaType& type : k8s::parse_accept(headers->find("Content-Type").value_or(""))) {
    document.aggregated = k8s::is_aggregated_discovery(type.as());
  }
  return document;
}

/// Requests /api or /apis, as the aggregated document if the server has one.
ApiResult<Document> ask_for_either(Client& client, const std::string& path, const DiscoveryOptions& options,
                                   const Limits& limits) {
  if (!options.aggregated) return ask(client, path, false, limits);
  auto document = ask(client, path, true, limits);
  const int code = document ? 0 : document.error().status.code();
  // A proxy before the server may know the plain form only.
  return code == 404 || code == 406 ? ask(client, path, false, limits) : std::move(document);
}

/// Returns the error for a document of the server that cannot be read: `unavailable`, as it is the server's
/// fault.
Error unreadable(const std::string& path, const Error& error) {
  return Error{ErrorCode::unavailable, error.message}.within("reading the server's " + path);
}

class Discoverer {
 public:
  Discoverer(Client& client, const DiscoveryOptions& options, const Limits& limits)
      : client_(client), options_(options), limits_(limits) {}

  Result<ServedResources> run() {
    for (const char* path : {"/api", "/apis"}) {
      if (auto read = read_root(path); !read) return fail(read.error());
    }
    if (auto read = read_versions(); !read) return fail(read.error());
    for (const k8s::DiscoveredGroup& group : served_.discovery.groups) {
      for (const k8s::DiscoveredVersion& version : group.versions) {
        if (!version.stale) continue;
        const k8s::GroupVersion of{group.name, version.version};
        served_.unavailable.try_emplace(
            of, Error{ErrorCode::unavailable, "the API server says that it is stale"});
      }
    }
    return std::move(served_);
  }

 private:
  Result<void> read_root(const std::string& path) {
    const bool core = path == "/api";
    auto document = ask_for_either(client_, path, options_, limits_);
    if (!document && core && document.error().status.code() == 404) return {};
    if (document && document->aggregated) {
      if (auto read = k8s::read_aggregated(document->text)) return add(std::move(read->groups), path);
      // One server behind this one may have spoilt the document of all. Only its own plain ones are.
      document = ask(client_, path, false, limits_);
    }
    if (!document) return fail(document.error());
    std::vector<k8s::DiscoveredGroup> groups;
    if (core) {
      auto read = k8s::read_api_versions(document->text);
      if (!read) return fail(unreadable(path, read.error()));
      groups.push_back(*std::move(read));
    } else {
      auto read = k8s::read_group_list(document->text);
      if (!read) return fail(unreadable(path, read.error()));
      groups = std::move(read->groups);
    }
    for (const k8s::DiscoveredGroup& group : groups) {
      for (const k8s::DiscoveredVersion& version : group.versions)
        missing_.push_back({group.name, version.version});
    }
    return add(std::move(groups), path);
  }

  Result<void> add(std::vector<k8s::DiscoveredGroup> groups, const std::string& path) {
    for (k8s::DiscoveredGroup& group : groups) {
      if (served_.discovery.find(group.name) != nullptr || group.name.empty() != (path == "/api")) {
        return fail(ErrorCode::unavailable, "the server's " + path + " lists the group '" + group.name +
                                                "', which does not belong there");
      }
      served_.discovery.groups.push_back(std::move(group));
    }
    return {};
  }

  /// Requests the resources of the versions that the plain documents have named.
  Result<void> read_versions() {
    std::mutex mutex;
    std::optional<Error> failed;
    std::vector<std::optional<Result<k8s::DiscoveredVersion>>> answers(missing_.size());
    parallel_for(missing_.size(), options_.concurrency, limits_, client_.clock(), [&](std::size_t i) {
      {
        const std::lock_guard lock(mutex);
        if (failed) return;
      }
      auto answer = read_version(missing_[i]);
      const std::lock_guard lock(mutex);
      if (answer) {
        answers[i] = *std::move(answer);
      } else if (!failed) {
        failed = std::move(answer.error());
      }
    });
    if (failed) return fail(*failed);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const k8s::GroupVersion& of = missing_[i];
      if (!answers[i]) {
        const bool stopped = limits_.stop.stop_requested();
        return fail(stopped ? ErrorCode::cancelled : ErrorCode::deadline_exceeded,
                    "reading the resources of " + of.to_string() + ": " +
                        (stopped ? "stopped before" : "the time was over before"));
      }
      k8s::DiscoveredVersion& version = version_of(of);
      if (*answers[i]) {
        version.resources = std::move((*answers[i])->resources);
      } else {
        version.stale = true;
        served_.unavailable.emplace(of, answers[i]->error());
      }
    }
    return {};
  }

  /// Reads the plain document of one version. The outer error ends the discovery; the inner one is a reply
  /// that makes the version stale.
  Result<Result<k8s::DiscoveredVersion>> read_version(const k8s::GroupVersion& of) {
    const std::string path = k8s::GroupVersionResource{of.group, of.version, ""}.root_path();
    const Clock& clock = client_.clock();
    const auto document = ask(client_, path, false, limits_.at_most(clock, options_.version_timeout));
    if (!document) {
      const bool late = document.error().code == ErrorCode::deadline_exceeded && !limits_.expired(clock);
      if (!document.error().is_answer() && !late) return fail(document.error());
      return Result<k8s::DiscoveredVersion>(fail(document.error()));
    }
    auto read = k8s::read_resource_list(document->text);
    if (!read) return Result<k8s::DiscoveredVersion>(fail(unreadable(path, read.error())));
    if (read->first != of) {
      return Result<k8s::DiscoveredVersion>(
          fail(ErrorCode::unavailable, "the server's " + path + " is about " + read->first.to_string()));
    }
    return Result<k8s::DiscoveredVersion>(std::move(read->second));
  }

  k8s::DiscoveredVersion& version_of(const k8s::GroupVersion& of) {
    auto& groups = served_.discovery.groups;
    auto& versions = std::ranges::find(groups, of.group, &k8s::DiscoveredGroup::name)->versions;
    return *std::ranges::find(versions, of.version, &k8s::DiscoveredVersion::version);
  }

  Client& client_;
  const DiscoveryOptions& options_;
  const Limits& limits_;
  ServedResources served_;
  std::vector<k8s::GroupVersion> missing_;
};

/// Returns the error for a failed discovery. It has no code that says something about a kind or a name.
Error not_asked(Error error) {
  if (error.code == ErrorCode::not_found || error.code == ErrorCode::conflict ||
      error.code == ErrorCode::invalid) {
    error.code = ErrorCode::unavailable;
  }
  return error.within("asking the server which resources it serves");
}

}  // namespace

Result<ServedResources> discover(Client& client, const DiscoveryOptions& options, const Limits& limits) {
  // All requests together have the time of one call.
  const Limits within = limits.has_deadline() ? limits : limits.at_most(client.clock(), default_call_timeout);
  // A delay by the rate limit would count as a server that does not answer: its version would be stale.
  const auto unlimited = client.without_rate_limit();
  auto served = Discoverer(*unlimited, options, within).run();
  if (!served) return fail(not_asked(std::move(served.error())));
  return served;
}

}  // namespace fairway::kube
