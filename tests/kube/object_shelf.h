// SPDX-License-Identifier: Apache-2.0

// A few objects behind an API server's address, with the server's rules about who may overwrite what. No
// kinds, no schemas: for tests of programs that share objects. Lists and watches are of one object, by its
// name.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"
#include "http/url.h"
#include "k8s/object.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/status.h"
#include "kube/client/client.h"
#include "support/loopback_server.h"

namespace fairway::kube::testing {

class ObjectShelf {
 public:
  ObjectShelf() {
    server_ = fairway::testing::serve_on_loopback(
        "GET POST PUT PATCH DELETE", [this](const http::Request& request) { return answer(request); },
        {.blocking_threads = 2});
  }
  ~ObjectShelf() {
    const std::lock_guard lock(mutex_);
    for (const Watch& watch : watches_) watch.stream->close();
  }
  ObjectShelf(const ObjectShelf&) = delete;
  ObjectShelf& operator=(const ObjectShelf&) = delete;

  std::shared_ptr<Client> client(Clock& clock) const {
    ClientConfig config;
    config.server = "http://" + server_->address();
    return Client::create(config, {.max_retries = 0, .clock = &clock}).value();
  }

  /// Returns an object by the path of its kind and name; a null one if there is none.
  k8s::Dynamic get(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(path);
    return found == objects_.end() ? k8s::Dynamic() : found->second;
  }
  void put(const std::string& path, k8s::Dynamic object) {
    const std::lock_guard lock(mutex_);
    store(path, std::move(object));
  }
  void remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    objects_.erase(path);
  }
  /// Sets a function that is called, without the lock, before each write is processed; a status other than 0
  /// is the answer.
  void before_write(std::function<int(const std::string& path)> hook) {
    const std::lock_guard lock(mutex_);
    before_write_ = std::move(hook);
  }
  /// Sets a function that is called, with the lock, for each object before it is stored, to add what a server
  /// adds.
  void complete(std::function<void(const std::string& path, k8s::Dynamic& object)> hook) {
    const std::lock_guard lock(mutex_);
    complete_ = std::move(hook);
  }
  /// Waits until this path has an object for which `holds` returns true; false on timeout.
  bool wait_for(const std::string& path, const std::function<bool(const k8s::Dynamic&)>& holds,
                std::chrono::seconds limit = std::chrono::seconds(30)) const {
    std::unique_lock lock(mutex_);
    return stored_.wait_for(lock, limit, [&] {
      const auto found = objects_.find(path);
      return found != objects_.end() && holds(found->second);
    });
  }
  bool wait_for(const std::string& path) const {
    return wait_for(path, [](const k8s::Dynamic&) { return true; });
  }
  /// Returns the number of reads of an object.
  int reads(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto found = reads_.find(path);
    return found == reads_.end() ? 0 : found->second;
  }
  int writes() const {
    const std::lock_guard lock(mutex_);
    return writes_;
  }

 private:
  /// Returns a failure. `name`: of the object that it is about.
  static http::Response failure(std::string_view reason, const std::string& name = {}) {
    k8s::Status status = k8s::Status::failure(reason, "it is so");
    if (!name.empty()) status.set("details.name", name);
    return http::Response::json(status.code(), status.to_text());
  }
  const k8s::Dynamic& store(const std::string& path, k8s::Dynamic object) {
    object.set_resource_version(std::to_string(++version_));
    if (complete_) complete_(path, object);
    stored_.notify_all();
    changes_.push_back({version_, path, R"({"type":"MODIFIED","object":)" + object.to_text() + "}\n"});
    for (const Watch& watch : watches_) {
      if (watch.path == path) watch.stream->try_push(http::make_bytes(changes_.back().event));
    }
    return objects_[path] = std::move(object);
  }
  /// Returns the name in a field selector; empty if there is none.
  static std::string selected_name(const http::Request& request) {
    constexpr std::string_view name_is = "metadata.name=";
    for (const auto& [name, value] : http::parse_query(request.query)) {
      if (name == "fieldSelector" && value.starts_with(name_is)) return value.substr(name_is.size());
    }
    return "";
  }
  http::Response read_one_of_many(const http::Request& request, const std::string& path) {
    std::int64_t from = 0;
    bool watching = false;
    for (const auto& [name, value] : http::parse_query(request.query)) {
      if (name == "watch") watching = value == "true" || value == "1";
      if (name == "resourceVersion" && !value.empty()) from = std::stoll(value);
    }
    if (!watching) {
      const auto found = objects_.find(path);
      json::Array items;
      if (found != objects_.end()) items.emplace_back(found->second.json());
      return http::Response::json(
          200, json::to_text(json::Object{{"kind", "List"},
                                          {"apiVersion", "v1"},
                                          {"metadata", {{"resourceVersion", std::to_string(version_)}}},
                                          {"items", std::move(items)}}));
    }
    http::Response response;
    response.headers.set("Content-Type", "application/json");
    response.stream = http::Stream::make();
    for (const Change& change : changes_) {
      if (change.version > from && change.path == path)
        response.stream->try_push(http::make_bytes(change.event));
    }
    watches_.push_back({path, response.stream});
    return response;
  }
  http::Response answer(const http::Request& request) {
    std::string path(request.path);
    // A merge patch is no whole object.
    auto sent =
        request.body.empty() ? k8s::Dynamic() : k8s::Dynamic(json::parse(request.body).value().as_object());
    if (request.method == "POST") path += "/" + std::string(sent.name());
    if (request.method != "GET") {
      std::function<int(const std::string&)> hook;
      {
        const std::lock_guard lock(mutex_);
        hook = before_write_;
      }
      if (const int status = hook ? hook(path) : 0; status != 0) return http::Response::json(status, "");
    }
    const std::lock_guard lock(mutex_);
    if (const std::string name = selected_name(request); request.method == "GET" && !name.empty())
      return read_one_of_many(request, path + "/" + name);
    const auto found = objects_.find(path);
    const bool there = found != objects_.end();
    if (request.method == "POST" && there) return failure(k8s::reason::already_exists);
    const bool is_apply = request.header("Content-Type") == "application/apply-patch+yaml";
    if (request.method != "POST" && !is_apply && !there)
      return failure(k8s::reason::not_found, path.substr(path.rfind('/') + 1));
    if (request.method == "GET") ++reads_[path];
    if (request.method == "GET") return http::Response::json(200, found->second.to_text());
    if (request.method == "PUT" && sent.resource_version() != found->second.resource_version())
      return failure(k8s::reason::conflict);
    if (request.method == "DELETE") {
      const std::string_view wanted = sent.text("preconditions.resourceVersion");
      if (!wanted.empty() && wanted != found->second.resource_version())
        return failure(k8s::reason::conflict);
      ++writes_;
      objects_.erase(found);
      return http::Response::json(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
    }
    ++writes_;
    if (request.method == "PATCH" && there)
      sent = k8s::Dynamic(k8s::apply_merge_patch(json::Value(found->second.json()), json::Value(sent.json()))
                              .value()
                              .as_object());
    return http::Response::json(200, store(path, std::move(sent)).to_text());
  }

  struct Change {
    std::int64_t version;
    std::string path, event;
  };
  struct Watch {
    std::string path;
    std::shared_ptr<http::Stream> stream;
  };

  mutable std::mutex mutex_;
  mutable std::condition_variable stored_;
  std::map<std::string, k8s::Dynamic> objects_;
  std::function<void(const std::string&, k8s::Dynamic&)> complete_;
  std::function<int(const std::string&)> before_write_;
  std::int64_t version_ = 0;
  int writes_ = 0;
  std::map<std::string, int> reads_;
  std::vector<Change> changes_;
  std::vector<Watch> watches_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::kube::testing
