// SPDX-License-Identifier: Apache-2.0

// An API server that knows of each object in which version it is stored: enough of one for storage migration,
// and for a controller of Conversions.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/clock.h"
#include "base/json.h"
#include "http/server.h"
#include "http/url.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/field_selector.h"
#include "k8s/label_selector.h"
#include "k8s/patch/json_patch.h"
#include "k8s/status.h"
#include "kube/client/client.h"
#include "support/generous.h"
#include "support/loopback_server.h"

namespace fairway::conversion::testing {

class StoredObjects {
 public:
  struct Stored {
    k8s::Dynamic object;
    std::string version;
    /// Number of changes of its resourceVersion.
    int writes = 0;
    /// The error of its conversion to any version but the one in which it is stored; empty: it converts.
    std::string fault = {};
  };

  StoredObjects() {
    server_ = fairway::testing::serve_on_loopback(
        "GET PUT PATCH", [this](const http::Request& request) { return serve(request); },
        {.blocking_threads = 32});  // a test may let requests hang
  }

  ~StoredObjects() {
    const std::lock_guard lock(mutex_);
    for (const Watch& watch : watches_) watch.stream->close();
    watches_.clear();
  }
  StoredObjects(const StoredObjects&) = delete;
  StoredObjects& operator=(const StoredObjects&) = delete;

  std::string url() const { return "http://" + server_->address(); }
  std::shared_ptr<kube::Client> client(Clock* clock = nullptr) const {
    kube::ClientConfig config;
    config.server = url();
    return kube::Client::create(std::move(config), {.clock = clock}).value();
  }

  /// Defines a kind, "widgets" of Widget, with these versions, the last of which is the storage version, and
  /// which all may be stored.
  void define(const std::string& plural, const std::string& kind, const std::vector<std::string>& versions,
              bool namespaced = true) {
    const std::lock_guard lock(mutex_);
    k8s::Dynamic definition;
    definition.set_resource(k8s::CustomResourceDefinition::resource);
    definition.set_name(plural + ".example.com");
    definition.set("metadata.uid", "uid-of-" + plural);
    definition.set("metadata.generation", std::int64_t{1});
    definition.set_resource_version(std::to_string(++revision_));
    definition.set("spec.group", "example.com");
    definition.set("spec.scope", namespaced ? "Namespaced" : "Cluster");
    definition.set("spec.names", json::Object{{"plural", plural}, {"kind", kind}});
    json::Array stored;
    for (const std::string& version : versions) {
      k8s::Editor entry = definition.append("spec.versions");
      entry.set("name", version);
      entry.set("served", true);
      entry.set("storage", version == versions.back());
      stored.emplace_back(version);
    }
    definition.set("status.storedVersions", std::move(stored));
    const bool is_new = definitions_.insert_or_assign(std::string(definition.name()), definition).second;
    notify(is_new ? "ADDED" : "MODIFIED", definitions_path, definition);
  }
  /// Changes a definition as an admin does: its generation moves.
  void redefine(const std::string& name, const std::function<void(k8s::Dynamic&)>& change) {
    const std::lock_guard lock(mutex_);
    k8s::Dynamic& definition = definitions_.at(name);
    change(definition);
    definition.set("metadata.generation", definition.generation() + 1);
    definition.set_resource_version(std::to_string(++revision_));
    notify("MODIFIED", definitions_path, definition);
  }
  /// Deletes a definition. Its objects stay, which no server does.
  void remove_definition(const std::string& name) {
    const std::lock_guard lock(mutex_);
    k8s::Dynamic last = definitions_.at(name);
    definitions_.erase(name);
    last.set_resource_version(std::to_string(++revision_));
    notify("DELETED", definitions_path, last);
  }
  /// Adds an object of Widget that is stored in `version`.
  void add(const k8s::Key& key, const std::string& version, const std::string& color = "red") {
    const std::lock_guard lock(mutex_);
    k8s::Dynamic object;
    object.set("apiVersion", "example.com/" + version);
    object.set("kind", "Widget");
    object.set_name(key.name);
    if (!key.namespace_name.empty()) object.set_namespace_name(key.namespace_name);
    object.set_resource_version(std::to_string(++revision_));
    object.set_label("color", color);
    objects_[key] = {std::move(object), version};
  }
  /// Removes all objects of Widget.
  void remove_objects() {
    const std::lock_guard lock(mutex_);
    objects_.clear();
  }
  /// Makes an object one that cannot be converted, by this error; empty: it can be again.
  void spoil(const k8s::Key& key, const std::string& fault) {
    const std::lock_guard lock(mutex_);
    objects_.at(key).fault = fault;
  }
  /// Marks an object as being deleted, which it is when somebody removes its finalizer.
  void delete_object(const k8s::Key& key) {
    const std::lock_guard lock(mutex_);
    k8s::Dynamic& object = objects_.at(key).object;
    object.set("metadata.deletionTimestamp", "2026-01-01T00:00:00Z");
    object.set("metadata.finalizers", json::Array{json::Value("example.com/hold")});
  }
  /// Sets whether the tokens of lists of one namespace have it in their keys, as those of `fairway apiserver`
  /// have; Kubernetes's do not.
  void name_namespaces_in_tokens(bool wanted) {
    const std::lock_guard lock(mutex_);
    tokens_have_namespace_ = wanted;
  }

  /// Stores a Conversion of the namespace "a" with this spec, or with another one: its generation moves.
  void ask_for(const std::string& name, json::Object spec) {
    const std::lock_guard lock(mutex_);
    k8s::Dynamic& conversion = conversions_[name];
    conversion.set("apiVersion", "pkg.knative.dev/v1alpha1");
    conversion.set("kind", "Conversion");
    conversion.set_name(name);
    conversion.set_namespace_name("a");
    if (conversion.uid().empty()) conversion.set("metadata.uid", "uid-" + std::to_string(revision_) + name);
    conversion.set("metadata.generation", conversion.generation() + 1);
    conversion.set_resource_version(std::to_string(++revision_));
    conversion.set("spec", std::move(spec));
    notify(conversion.generation() == 1 ? "ADDED" : "MODIFIED", conversions_path, conversion);
    changed_.notify_all();
  }
  void remove_conversion(const std::string& name) {
    const std::lock_guard lock(mutex_);
    k8s::Dynamic last = conversions_.at(name);
    conversions_.erase(name);
    last.set_resource_version(std::to_string(++revision_));
    notify("DELETED", conversions_path, last);
    changed_.notify_all();
  }
  /// Waits until the Conversion is as `wanted` says; false if that takes too long.
  bool wait_for(const std::string& name, const std::function<bool(const k8s::Dynamic&)>& wanted) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, fairway::testing::generous(std::chrono::seconds(3)), [&] {
      const auto found = conversions_.find(name);
      return found != conversions_.end() && wanted(found->second);
    });
  }
  k8s::Dynamic conversion(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return conversions_.at(name);
  }

  /// Sets a function that is called before each request is answered: its response, if any, replaces the
  /// answer.
  void intercept(std::function<std::optional<http::Response>(const http::Request&)> interceptor) {
    const std::lock_guard lock(mutex_);
    interceptor_ = std::move(interceptor);
  }
  /// Expires the continue tokens given out until now; the error has a new one if `with_token`.
  void forget_lists(bool with_token) {
    const std::lock_guard lock(mutex_);
    ++epoch_;
    expired_gives_token_ = with_token;
  }

  std::map<k8s::Key, Stored> objects() const {
    const std::lock_guard lock(mutex_);
    return objects_;
  }
  std::vector<std::string> stored_versions(const std::string& definition) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> versions;
    for (const std::string_view version : definitions_.at(definition).texts("status.storedVersions"))
      versions.emplace_back(version);
    return versions;
  }
  int writes() const {
    const std::lock_guard lock(mutex_);
    return writes_;
  }
  /// Number of patches that were asked for, refused ones included.
  int patches() const {
    const std::lock_guard lock(mutex_);
    return patches_;
  }
  k8s::Dynamic definition(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return definitions_.at(name);
  }

  /// Waits until the client gives the request up; for interceptors.
  static void wait_until_cancelled(const http::Request& request) {
    std::promise<void> cancelled;
    const std::stop_callback on_cancel(request.cancelled, [&] { cancelled.set_value(); });
    cancelled.get_future().wait();
  }
  static http::Response refusal(std::string_view reason, std::string_view message) {
    const k8s::Status status = k8s::Status::failure(reason, message);
    return http::Response::json(status.code(), status.to_text());
  }
  static http::Response gone(const std::string& name) {
    k8s::Status status = k8s::Status::failure(k8s::reason::not_found, name + " is gone");
    status.set("details.name", name);
    status.set("details.group", "example.com");
    status.set("details.kind", "widgets");
    return http::Response::json(status.code(), status.to_text());
  }

 private:
  inline static const std::string definitions_path =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  inline static const std::string conversions_path = "/apis/pkg.knative.dev/v1alpha1/conversions";

  struct Event {
    int revision;
    const char* type;
    std::string collection;
    k8s::Dynamic object;
  };
  struct Watch {
    std::string collection;
    k8s::FieldSelector selector;
    std::shared_ptr<http::Stream> stream;
  };
  struct Asked {
    std::string collection, name, subresource, namespace_name, version;
    std::map<std::string, std::string> query;
  };

  http::Response serve(const http::Request& request) {
    std::function<std::optional<http::Response>(const http::Request&)> interceptor;
    {
      const std::lock_guard lock(mutex_);
      interceptor = interceptor_;
    }
    // Not under the lock: it may change the server.
    if (interceptor) {
      if (auto instead = interceptor(request)) return *std::move(instead);
    }
    const std::lock_guard lock(mutex_);
    Asked asked;
    for (const auto& [name, value] : http::parse_query(request.query)) asked.query[name] = value;
    std::string path(request.path);
    if (path == definitions_path || path == conversions_path) {
      if (asked.query["watch"] == "true") return watch(path, asked);
      return path == definitions_path ? list(definitions_) : list(conversions_);
    }
    if (path.starts_with(definitions_path + "/"))
      return with_status(request, definitions_, definitions_path, path.substr(definitions_path.size() + 1));
    const std::string conversions = "/apis/pkg.knative.dev/v1alpha1/namespaces/a/conversions/";
    if (path.starts_with(conversions))
      return with_status(request, conversions_, conversions_path, path.substr(conversions.size()));
    // /apis/example.com/VERSION[/namespaces/NS]/PLURAL[/NAME]
    std::vector<std::string> parts;
    for (std::size_t from = 1; from <= path.size();) {
      const std::size_t slash = std::min(path.find('/', from), path.size());
      parts.push_back(path.substr(from, slash - from));
      from = slash + 1;
    }
    std::size_t at = 3;
    asked.version = parts.at(2);
    if (parts.size() > 5 - 1 && parts[at] == "namespaces") {
      asked.namespace_name = parts[at + 1];
      at += 2;
    }
    if (request.method == "GET" && parts.size() > at + 1)
      return get_object(parts.at(at), {.namespace_name = asked.namespace_name, .name = parts.at(at + 1)},
                        asked);
    if (request.method == "GET") return list_objects(parts.at(at), asked);
    return patch({.namespace_name = asked.namespace_name, .name = parts.at(at + 1)}, parts.at(at), asked);
  }

  http::Response list(const std::map<std::string, k8s::Dynamic>& objects) const {
    json::Array items;
    for (const auto& [name, object] : objects) items.emplace_back(object.json());
    return http::Response::json(
        200,
        json::to_text(json::Object{{"apiVersion", "v1"},
                                   {"kind", "List"},
                                   {"metadata", json::Object{{"resourceVersion", std::to_string(revision_)}}},
                                   {"items", std::move(items)}}));
  }

  /// Watches all objects of a collection, or the one that the field selector names.
  http::Response watch(const std::string& collection, Asked& asked) {
    http::Response response = http::Response::json(200, "");
    response.body = nullptr;
    response.stream = http::Stream::make();
    const auto selector = k8s::FieldSelector::parse(asked.query["fieldSelector"]).value();
    const std::string& from = asked.query["resourceVersion"];
    watches_.push_back({collection, selector, response.stream});
    for (const Event& event : events_) {
      if (event.revision > (from.empty() ? 0 : std::stoi(from))) send(watches_.back(), event);
    }
    return response;
  }
  static void send(const Watch& watch, const Event& event) {
    if (watch.collection != event.collection || !watch.selector.matches(event.object)) return;
    watch.stream->try_push(http::make_bytes(R"({"type":")" + std::string(event.type) + R"(","object":)" +
                                            event.object.to_text() + "}\n"));
  }
  void notify(const char* type, const std::string& collection, const k8s::Dynamic& object) {
    events_.push_back({revision_, type, collection, object});
    for (const Watch& watch : watches_) send(watch, events_.back());
  }

  /// Answers with an object of `objects`; a PUT or a JSON patch writes its status.
  http::Response with_status(const http::Request& request, std::map<std::string, k8s::Dynamic>& objects,
                             const std::string& collection, std::string name) {
    const bool status = name.ends_with("/status");
    if (status) name.resize(name.size() - std::string_view("/status").size());
    const auto found = objects.find(name);
    if (found == objects.end()) return gone(name);
    if (request.method == "PUT" && status) {
      const auto sent = k8s::Dynamic::parse(request.body).value();
      if (sent.resource_version() != found->second.resource_version())
        return refusal(k8s::reason::conflict, "the object has been modified");
      write_status(found->second, sent, collection);
    } else if (request.method == "PATCH" && status) {
      const auto patched =
          k8s::apply_json_patch(json::Value(found->second.json()), json::parse(request.body).value());
      if (!patched) return refusal(k8s::reason::invalid, patched.error().message);
      write_status(found->second, k8s::Dynamic(patched->get_object()), collection);
    }
    return http::Response::json(200, found->second.to_text());
  }
  void write_status(k8s::Dynamic& object, const k8s::Dynamic& sent, const std::string& collection) {
    object.set("status", *sent.find("status"));
    object.set_resource_version(std::to_string(++revision_));
    notify("MODIFIED", collection, object);
    changed_.notify_all();
  }

  /// A continue token in Kubernetes's form; the resourceVersion is the epoch of `forget_lists`.
  std::string token_after(const k8s::Key& key, const Asked& asked, int epoch) const {
    const bool whole = asked.namespace_name.empty() || tokens_have_namespace_;
    return base64url_encode(
        json::to_text(json::Object{{"v", "meta.k8s.io/v1"},
                                   {"rv", epoch},
                                   {"start", (whole ? key.to_string() : key.name) + std::string(1, '\0')}}));
  }
  /// The path in a token; std::nullopt if it is of a list that is forgotten.
  std::optional<std::string> path_of(const std::string& token, const Asked& asked) const {
    const auto read = json::parse(base64url_decode(token).value()).value();
    const std::int64_t epoch = read.at("rv").as_int64();
    if (epoch != -1 && epoch != epoch_) return std::nullopt;
    std::string start(read.at("start").as_string());
    start.pop_back();
    const bool whole = asked.namespace_name.empty() || tokens_have_namespace_;
    return whole ? start : asked.namespace_name + "/" + start;
  }

  http::Response list_objects(const std::string& plural, const Asked& asked) const {
    const auto value = [&](const char* name) {
      const auto found = asked.query.find(name);
      return found == asked.query.end() ? std::string() : found->second;
    };
    if (const auto known = definitions_.find(plural + ".example.com"); known != definitions_.end()) {
      const k8s::CustomResourceDefinition definition(known->second.json());
      for (const auto& version : definition.versions()) {
        if (version.name() == asked.version && !version.served())
          return http::Response::text(404, "404 page not found\n");
      }
    }
    const auto labels = k8s::LabelSelector::parse(value("labelSelector")).value();
    std::string after;
    if (const std::string token = value("continue"); !token.empty()) {
      const auto path = path_of(token, asked);
      if (!path) {
        k8s::Status status = k8s::Status::failure(k8s::reason::expired, "the list is too old");
        if (expired_gives_token_) {
          json::Value now = json::parse(base64url_decode(token).value()).value();
          now.as_object()["rv"] = -1;
          status.set("metadata.continue", base64url_encode(json::to_text(now)));
        }
        return http::Response::json(410, status.to_text());
      }
      after = *path;
      if (!asked.namespace_name.empty() && !after.starts_with(asked.namespace_name + "/"))
        return refusal(k8s::reason::bad_request, "continue key is not valid");
    }
    const std::size_t limit = value("limit").empty() ? 1'000'000 : std::stoul(value("limit"));
    json::Array items;
    k8s::Key last;
    std::int64_t remaining = 0;
    for (const auto& [key, stored] : objects_) {
      if (!asked.namespace_name.empty() && key.namespace_name != asked.namespace_name) continue;
      if (!after.empty() && key.to_string() <= after) continue;
      if (items.size() == limit) {
        ++remaining;
        continue;
      }
      // A server converts what it reads, and selects then.
      if (!stored.fault.empty() && stored.version != asked.version)
        return refusal(k8s::reason::internal_error, stored.fault);
      if (!labels.matches(stored.object.labels())) continue;
      items.emplace_back(stored.object.json());
      last = key;
    }
    json::Object metadata{{"resourceVersion", std::to_string(revision_)}};
    if (remaining > 0) {
      metadata["continue"] = token_after(last, asked, epoch_);
      if (labels.is_everything()) metadata["remainingItemCount"] = remaining;
    }
    return http::Response::json(200, json::to_text(json::Object{{"apiVersion", "example.com/v1"},
                                                                {"kind", "WidgetList"},
                                                                {"metadata", std::move(metadata)},
                                                                {"items", std::move(items)}}));
  }

  http::Response get_object(const std::string& plural, const k8s::Key& key, const Asked& asked) const {
    // A namespaced object has no path without its namespace.
    const auto known = definitions_.find(plural + ".example.com");
    if (known == definitions_.end() ||
        (known->second.text("spec.scope") == "Namespaced" && key.namespace_name.empty()))
      return http::Response::text(404, "404 page not found\n");
    const auto found = objects_.find(key);
    if (found == objects_.end()) return gone(key.name);
    const Stored& stored = found->second;
    if (!stored.fault.empty() && stored.version != asked.version)
      return refusal(k8s::reason::internal_error, stored.fault);
    return http::Response::json(200, stored.object.to_text());
  }

  http::Response patch(const k8s::Key& key, const std::string& plural, const Asked& asked) {
    ++patches_;
    if (!definitions_.contains(plural + ".example.com"))
      return http::Response::text(404, "404 page not found\n");  // as an API server says it
    const auto found = objects_.find(key);
    if (found == objects_.end()) return gone(key.name);
    Stored& stored = found->second;
    const k8s::CustomResourceDefinition definition(definitions_.at(plural + ".example.com").json());
    const std::string now(definition.storage_version());
    if (!stored.fault.empty() && (stored.version != now || stored.version != asked.version))
      return refusal(k8s::reason::internal_error, stored.fault);
    if (stored.version != now && !asked.query.contains("dryRun")) {
      stored.version = now;
      ++stored.writes;
      ++writes_;
      stored.object.set_resource_version(std::to_string(++revision_));
    }
    return http::Response::json(200, stored.object.to_text());
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;  ///< notified of changes of Conversions
  std::vector<Event> events_;
  std::vector<Watch> watches_;
  std::map<std::string, k8s::Dynamic> definitions_, conversions_;
  std::map<k8s::Key, Stored> objects_;
  std::function<std::optional<http::Response>(const http::Request&)> interceptor_;
  int revision_ = 100, epoch_ = 1, writes_ = 0, patches_ = 0;
  bool tokens_have_namespace_ = false;
  bool expired_gives_token_ = true;
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::conversion::testing
