// An API server that knows of each object in which version it is stored: enough of one for storage migration.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "http/server.h"
#include "http/url.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/label_selector.h"
#include "k8s/status.h"

namespace fairway::conversion::testing {

class StoredObjects {
 public:
  struct Stored {
    k8s::Dynamic object;
    std::string version;
    /// How often its resourceVersion has moved.
    int writes = 0;
  };

  StoredObjects() {
    http::Router router;
    router.blocking("/", "GET PUT PATCH", [this](const http::Request& request) { return serve(request); });
    http::ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.io_threads = 1;
    options.blocking_threads = 4;
    auto server = http::Server::start(options, router);
    if (!server) throw std::runtime_error(server.error().message);
    server_ = std::move(*server);
  }

  std::string url() const { return "http://" + server_->address(); }

  /// Defines a kind, "widgets" of Widget, with these versions, the last of which is the storage version, and
  /// which all may be stored.
  void define(const std::string& plural, const std::string& kind, const std::vector<std::string>& versions,
              bool namespaced = true) {
    const std::lock_guard lock(mutex_);
    k8s::CustomResourceDefinition definition;
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
    definitions_.insert_or_assign(std::string(definition.name()), definition);
  }
  /// Changes a definition as an admin does: its generation moves.
  void redefine(const std::string& name, const std::function<void(k8s::Dynamic&)>& change) {
    const std::lock_guard lock(mutex_);
    k8s::Dynamic& definition = definitions_.at(name);
    change(definition);
    definition.set("metadata.generation", definition.generation() + 1);
    definition.set_resource_version(std::to_string(++revision_));
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

  /// Stores a Conversion of the namespace "a" with this spec, or with another one: its generation moves.
  void ask_for(const std::string& name, json::Object spec) {
    const std::lock_guard lock(mutex_);
    k8s::Dynamic& conversion = conversions_[name];
    conversion.set("apiVersion", "pkg.knative.dev/v1alpha1");
    conversion.set("kind", "Conversion");
    conversion.set_name(name);
    conversion.set_namespace_name("a");
    conversion.set("metadata.uid", "uid-of-" + name);
    conversion.set("metadata.generation", conversion.generation() + 1);
    conversion.set_resource_version(std::to_string(++revision_));
    conversion.set("spec", std::move(spec));
  }
  k8s::Dynamic conversion(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return conversions_.at(name);
  }

  /// Asked before each request is answered: a response takes the place of the answer.
  void intercept(std::function<std::optional<http::Response>(const http::Request&)> interceptor) {
    const std::lock_guard lock(mutex_);
    interceptor_ = std::move(interceptor);
  }
  /// Tokens that were given out until now are too old; with a new one where `with_token`.
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

  static http::Response refusal(std::string_view reason, std::string_view message) {
    const k8s::Status status = k8s::Status::failure(reason, message);
    return http::Response::json(status.code(), status.to_text());
  }
  static http::Response gone(const std::string& name) {
    k8s::Status status = k8s::Status::failure(k8s::reason::not_found, name + " is gone");
    status.set("details.name", name);
    return http::Response::json(status.code(), status.to_text());
  }

 private:
  struct Asked {
    std::string collection, name, subresource, namespace_name;
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
    const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    if (path == definitions) return list_definitions();
    if (path.starts_with(definitions + "/"))
      return with_status(request, definitions_, path.substr(definitions.size() + 1));
    const std::string conversions = "/apis/pkg.knative.dev/v1alpha1/namespaces/a/conversions/";
    if (path.starts_with(conversions))
      return with_status(request, conversions_, path.substr(conversions.size()));
    // /apis/example.com/VERSION[/namespaces/NS]/PLURAL[/NAME]
    std::vector<std::string> parts;
    for (std::size_t from = 1; from <= path.size();) {
      const std::size_t slash = std::min(path.find('/', from), path.size());
      parts.push_back(path.substr(from, slash - from));
      from = slash + 1;
    }
    std::size_t at = 3;
    if (parts.size() > 5 - 1 && parts[at] == "namespaces") {
      asked.namespace_name = parts[at + 1];
      at += 2;
    }
    if (request.method == "GET") return list_objects(asked);
    return patch({.namespace_name = asked.namespace_name, .name = parts.at(at + 1)}, parts.at(at), asked);
  }

  http::Response list_definitions() const {
    json::Array items;
    for (const auto& [name, definition] : definitions_) items.emplace_back(definition.json());
    return http::Response::json(
        200, json::to_text(json::Object{{"apiVersion", "apiextensions.k8s.io/v1"},
                                        {"kind", "CustomResourceDefinitionList"},
                                        {"metadata", json::Object{{"resourceVersion", "1"}}},
                                        {"items", std::move(items)}}));
  }

  /// An object of `objects`, or, in a PUT, its status.
  http::Response with_status(const http::Request& request, std::map<std::string, k8s::Dynamic>& objects,
                             std::string name) {
    const bool status = name.ends_with("/status");
    if (status) name.resize(name.size() - std::string_view("/status").size());
    const auto found = objects.find(name);
    if (found == objects.end()) return refusal(k8s::reason::not_found, name + " is not there");
    if (request.method == "PUT" && status) {
      const auto sent = k8s::Dynamic::parse(request.body).value();
      if (sent.resource_version() != found->second.resource_version())
        return refusal(k8s::reason::conflict, "the object has been modified");
      found->second.set("status", *sent.find("status"));
      found->second.set_resource_version(std::to_string(++revision_));
    }
    return http::Response::json(200, found->second.to_text());
  }

  http::Response list_objects(const Asked& asked) const {
    const auto value = [&](const char* name) {
      const auto found = asked.query.find(name);
      return found == asked.query.end() ? std::string() : found->second;
    };
    const auto labels = k8s::LabelSelector::parse(value("labelSelector")).value();
    std::string after = value("continue");
    if (!after.empty()) {
      const std::size_t colon = after.find(':');
      if (std::stoi(after.substr(0, colon)) != epoch_) {
        k8s::Status status = k8s::Status::failure(k8s::reason::expired, "the list is too old");
        if (expired_gives_token_)
          status.set("metadata.continue", std::to_string(epoch_) + after.substr(colon));
        return http::Response::json(410, status.to_text());
      }
      after = after.substr(colon + 1);
    }
    const std::size_t limit = value("limit").empty() ? 1'000'000 : std::stoul(value("limit"));
    json::Array items;
    std::string last;
    std::int64_t remaining = 0;
    for (const auto& [key, stored] : objects_) {
      if (!asked.namespace_name.empty() && key.namespace_name != asked.namespace_name) continue;
      if (!labels.matches(stored.object.labels())) continue;
      if (!after.empty() && !(k8s::Key::parse(after).value() < key)) continue;
      if (items.size() == limit) {
        ++remaining;
        continue;
      }
      items.emplace_back(stored.object.json());
      last = key.to_string();
    }
    json::Object metadata{{"resourceVersion", std::to_string(revision_)}};
    if (remaining > 0) {
      metadata["continue"] = std::to_string(epoch_) + ":" + last;
      if (labels.is_everything()) metadata["remainingItemCount"] = remaining;
    }
    return http::Response::json(200, json::to_text(json::Object{{"apiVersion", "example.com/v1"},
                                                                {"kind", "WidgetList"},
                                                                {"metadata", std::move(metadata)},
                                                                {"items", std::move(items)}}));
  }

  http::Response patch(const k8s::Key& key, const std::string& plural, const Asked& asked) {
    const auto found = objects_.find(key);
    if (found == objects_.end()) return gone(key.name);
    Stored& stored = found->second;
    const k8s::CustomResourceDefinition definition(definitions_.at(plural + ".example.com").json());
    const std::string now(definition.storage_version());
    if (stored.version != now && !asked.query.contains("dryRun")) {
      stored.version = now;
      ++stored.writes;
      ++writes_;
      stored.object.set_resource_version(std::to_string(++revision_));
    }
    return http::Response::json(200, stored.object.to_text());
  }

  mutable std::mutex mutex_;
  std::map<std::string, k8s::Dynamic> definitions_, conversions_;
  std::map<k8s::Key, Stored> objects_;
  std::function<std::optional<http::Response>(const http::Request&)> interceptor_;
  int revision_ = 100, epoch_ = 1, writes_ = 0;
  bool expired_gives_token_ = true;
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::conversion::testing
