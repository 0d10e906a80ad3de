// SPDX-License-Identifier: Apache-2.0

// A registry in this process, with faults on demand.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/server.h"
#include "oci/images.h"

namespace fairway::testing {

class FakeRegistry {
 public:
  /// A fault sees a request and may answer it instead of the registry.
  using Fault = std::function<std::optional<http::Response>(const http::Request&)>;

  explicit FakeRegistry(std::optional<http::TlsServerOptions> tls = {}) {
    http::Router router;
    const auto handler = [this](const http::Request& request) { return answer(request); };
    router.blocking("/v2/", "GET HEAD", handler);
    router.blocking("/token", "GET POST", handler);
    router.blocking("/elsewhere/", "GET", handler);
    auto server = http::Server::start({.listen = "127.0.0.1:0", .tls = std::move(tls), .io_threads = 1},
                                      std::move(router));
    if (!server) throw std::runtime_error(server.error().message);
    server_ = *std::move(server);
  }

  std::string address() const { return server_->address(); }

  void add(const TestImage& image) {
    const std::lock_guard lock(mutex_);
    add_locked(image);
  }
  void tag(const std::string& tag, const TestImage& image) {
    add(image);
    const std::lock_guard lock(mutex_);
    tags_[tag] = image.digest;
  }
  void untag(const std::string& tag) {
    const std::lock_guard lock(mutex_);
    tags_.erase(tag);
  }
  void set_fault(Fault fault) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
  }
  /// Sends these bytes in place of a blob or manifest.
  void replace(const std::string& digest, std::string bytes) {
    const std::lock_guard lock(mutex_);
    replaced_[digest] = std::move(bytes);
  }
  void set_page_size(std::size_t size) { page_size_ = size; }
  void set_head_has_digest(bool has) { head_has_digest_ = has; }

  /// Returns the requests so far, in order, such as "GET /v2/r/tags/list", and forgets them.
  std::vector<std::string> take_requests() {
    const std::lock_guard lock(mutex_);
    return std::exchange(requests_, {});
  }
  static std::size_t count(const std::vector<std::string>& requests, std::string_view part) {
    return static_cast<std::size_t>(
        std::ranges::count_if(requests, [&](const auto& r) { return r.find(part) != std::string::npos; }));
  }

 private:
  void add_locked(const TestImage& image) {
    manifests_[image.digest] = {image.media_type, image.manifest};
    blobs_.insert(image.blobs.begin(), image.blobs.end());
    for (const auto& child : image.children) add_locked(child);
  }

  static http::Response missing(const std::string& code) {
    return http::Response::json(404, R"({"errors":[{"code":")" + code + R"(","message":"not here"}]})");
  }

  http::Response answer(const http::Request& request) {
    Fault fault;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(std::string(request.method) + " " + std::string(request.target));
      fault = fault_;
    }
    if (fault) {
      if (auto response = fault(request)) return *std::move(response);
    }
    const std::lock_guard lock(mutex_);
    const std::string path(request.path);
    if (path.ends_with("/tags/list")) return tag_list(request);
    const auto slash = path.rfind('/');
    const std::string name = path.substr(slash + 1);
    if (path.substr(0, slash).ends_with("/manifests")) return manifest(name, request);
    const auto replaced = replaced_.find(name);
    if (replaced != replaced_.end())
      return http::Response::text(200, replaced->second, "application/octet-stream");
    const auto blob = blobs_.find(name);
    if (blob == blobs_.end()) return missing("BLOB_UNKNOWN");
    return http::Response::text(200, blob->second, "application/octet-stream");
  }

  http::Response tag_list(const http::Request& request) {
    std::string last;
    if (const auto at = request.query.find("last="); at != std::string_view::npos)
      last = request.query.substr(at + 5);
    json::Array names;
    http::Response response;
    std::string link;
    for (const auto& [name, digest] : tags_) {
      if (name <= last) continue;
      if (page_size_ != 0 && names.size() == page_size_) {
        link = "</v2/r/tags/list?last=" + std::string(names.back().as_string()) + R"(>; rel="next")";
        break;
      }
      names.emplace_back(name);
    }
    std::ranges::reverse(names);  // registries list in any order
    response =
        http::Response::json(200, json::to_text(json::Object{{"name", "r"}, {"tags", std::move(names)}}));
    if (!link.empty()) response.headers.set("Link", link);
    return response;
  }

  http::Response manifest(const std::string& name, const http::Request& request) {
    const auto tag = tags_.find(name);
    const std::string digest = tag == tags_.end() ? name : tag->second;
    const auto found = manifests_.find(digest);
    if (found == manifests_.end()) return missing("MANIFEST_UNKNOWN");
    // As Debian's docker-registry does: schema 1 for those who do not say what they take.
    const auto accept = request.headers_joined("Accept");
    if (accept.find(found->second.first) == std::string::npos) {
      auto old = http::Response::text(200, R"({"schemaVersion":1,"fsLayers":[]})",
                                      "application/vnd.docker.distribution.manifest.v1+prettyjws");
      return old;
    }
    const auto replaced = replaced_.find(digest);
    auto response = http::Response::text(
        200, replaced == replaced_.end() ? found->second.second : replaced->second, found->second.first);
    if (request.method != "HEAD" || head_has_digest_) response.headers.set("Docker-Content-Digest", digest);
    return response;
  }

  std::mutex mutex_;
  std::map<std::string, std::string> tags_;
  std::map<std::string, std::pair<std::string, std::string>> manifests_;
  std::map<std::string, std::string> blobs_, replaced_;
  std::vector<std::string> requests_;
  Fault fault_;
  std::size_t page_size_ = 0;
  bool head_has_digest_ = true;
  std::unique_ptr<http::Server> server_;  // last: its handlers use all of the above
};

}  // namespace fairway::testing
