// SPDX-License-Identifier: Apache-2.0

#include "kube/memory_api.h"

#include "base/text.h"
#include "http/url.h"
#include "k8s/patch/json_patch.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/status.h"
#include "support/loopback_server.h"

namespace fairway::kube::testing {

namespace {

/// Returns a failure. `name`: of the object that it is about.
http::Response failure(std::string_view reason, const std::string& name = {}) {
  auto status = k8s::Status::failure(reason, "as the test's server has it");
  if (!name.empty()) status.set("details.name", name);
  return http::Response::json(status.code(), status.to_text());
}

/// Returns an object without the parts whose changes do not change its generation.
std::string without_metadata_and_status(const k8s::Dynamic& object) {
  k8s::Dynamic rest = object;
  rest.erase("metadata");
  rest.erase("status");
  return rest.to_text();
}

}  // namespace

MemoryApi::MemoryApi() {
  server_ = fairway::testing::serve_on_loopback(
      "GET POST PUT PATCH DELETE", [this](const http::Request& request) { return answer(request); },
      {.blocking_threads = 16});
}

MemoryApi::~MemoryApi() {
  const std::lock_guard lock(mutex_);
  for (const Watch& watch : watches_) watch.stream->close();
  watches_.clear();
}

std::shared_ptr<Client> MemoryApi::client(Clock* clock, metrics::Registry* registry) const {
  ClientConfig config;
  config.server = "http://" + server_->address();
  config.cluster_origin = "the test's cluster";
  ClientSettings settings;
  settings.clock = clock;
  settings.registry = registry;
  return Client::create(config, settings).value();
}

void MemoryApi::intercept(std::function<int(const http::Request&)> function) {
  const std::lock_guard lock(mutex_);
  intercept_ = std::move(function);
}

void MemoryApi::respond(std::function<std::optional<http::Response>(const http::Request&)> function) {
  const std::lock_guard lock(mutex_);
  respond_ = std::move(function);
}

void MemoryApi::complete(std::function<void(k8s::Dynamic&)> function) {
  const std::lock_guard lock(mutex_);
  complete_ = std::move(function);
}

MemoryApi::Place MemoryApi::place_of(std::string_view path) {
  std::vector<std::string_view> parts = split(path.substr(1), '/');
  parts.resize(std::max<std::size_t>(parts.size(), 8));
  std::size_t at = parts[0] == "api" ? 2 : 3;
  Place place;
  for (std::size_t i = 0; i < at; ++i) place.collection += "/" + std::string(parts[i]);
  if (parts[at] == "namespaces" && !parts[at + 2].empty()) {
    place.namespace_name = parts[at + 1];
    at += 2;
  }
  place.collection += "/" + std::string(parts[at]);
  place.name = parts[at + 1];
  place.subresource = parts[at + 2];
  return place;
}

http::Response MemoryApi::answer(const http::Request& request) {
  std::function<int(const http::Request&)> intercept;
  std::function<std::optional<http::Response>(const http::Request&)> respond;
  {
    const std::lock_guard lock(mutex_);
    intercept = intercept_;
    respond = respond_;
  }
  if (respond) {
    if (auto response = respond(request)) return *std::move(response);
  }
  if (const int status = intercept ? intercept(request) : 0; status != 0) {
    return failure(k8s::reason_of(status));
  }
  const Place place = place_of(request.path);
  const std::lock_guard lock(mutex_);
  return request.method == "GET" ? read(request, place) : write(request, place);
}

http::Response MemoryApi::read(const http::Request& request, const Place& place) {
  Objects& objects = collections_[place.collection];
  if (!place.name.empty()) {
    const auto found = objects.find({place.namespace_name, place.name});
    if (found == objects.end()) return failure(k8s::reason::not_found, place.name);
    return http::Response::json(200, found->second.to_text());
  }
  bool watching = false;
  std::uint64_t from = 0;
  for (const auto& [name, value] : http::parse_query(request.query)) {
    if (name == "watch") watching = value == "true" || value == "1";
    if (name == "resourceVersion" && !value.empty()) from = std::stoull(value);
  }
  if (watching) {
    http::Response response = http::Response::json(200, "");
    response.body = nullptr;
    response.stream = http::Stream::make();
    const Watch watch{place.collection, place.namespace_name, response.stream};
    for (const Change& change : history_) {
      if (change.version > from && watch.matches(change)) {
        watch.stream->try_push(http::make_bytes(event_text(change)));
      }
    }
    watches_.push_back(watch);
    return response;
  }
  json::Array items;
  for (const auto& [key, object] : objects) {
    if (place.namespace_name.empty() || key.namespace_name == place.namespace_name) {
      items.emplace_back(object.json());
    }
  }
  const json::Object list{{"kind", "List"},
                          {"apiVersion", "v1"},
                          {"metadata", json::Object{{"resourceVersion", std::to_string(version_)}}},
                          {"items", std::move(items)}};
  return http::Response::json(200, json::to_text(list));
}

http::Response MemoryApi::write(const http::Request& request, const Place& place) {
  if (request.method == "DELETE") return remove(place);
  auto sent = json::parse(request.body);
  if (!sent) return failure(k8s::reason::bad_request);
  Objects& objects = collections_[place.collection];
  if (request.header("Content-Type") == "application/json-patch+json") {
    const auto found = objects.find({place.namespace_name, place.name});
    if (found == objects.end()) return failure(k8s::reason::not_found, place.name);
    const k8s::Dynamic before = found->second;
    auto patched = k8s::apply_json_patch(json::Value(before.json()), *sent);
    if (!patched || !patched->is_object()) return failure(k8s::reason::invalid);
    return store(place, k8s::Dynamic(patched->get_object()), &before);
  }
  if (!sent->is_object()) return failure(k8s::reason::bad_request);
  if (request.method == "POST") {
    k8s::Dynamic object(sent->get_object());
    object.set_namespace_name(place.namespace_name);
    if (place.namespace_name.empty()) object.erase("metadata.namespace");
    if (objects.contains(object.key())) return failure(k8s::reason::already_exists);
    object.set("metadata.uid", "uid-" + std::to_string(++next_uid_));
    object.set("metadata.creationTimestamp", "2026-01-02T03:04:05Z");
    return store(place, std::move(object), nullptr);
  }
  const auto found = objects.find({place.namespace_name, place.name});
  const bool applies = request.header("Content-Type") == "application/apply-patch+yaml";
  if (found == objects.end() && applies) {
    k8s::Dynamic object(sent->get_object());
    object.set("metadata.uid", "uid-" + std::to_string(++next_uid_));
    return store(place, std::move(object), nullptr);
  }
  if (found == objects.end()) return failure(k8s::reason::not_found, place.name);
  const k8s::Dynamic before = found->second;
  k8s::Dynamic object(sent->get_object());
  const std::string version(object.resource_version());
  if (!version.empty() && version != before.resource_version()) return failure(k8s::reason::conflict);
  if (request.method == "PATCH") {
    auto patched = k8s::apply_merge_patch(json::Value(before.json()), *sent);
    if (!patched) return failure(k8s::reason::bad_request);
    object = k8s::Dynamic(patched->get_object());
  }
  return store(place, std::move(object), &before);
}

http::Response MemoryApi::store(const Place& place, k8s::Dynamic object, const k8s::Dynamic* before) {
  Objects& objects = collections_[place.collection];
  if (complete_) complete_(object);
  if (before != nullptr) {
    object.set_resource_version(before->resource_version());
    if (object.to_text() == before->to_text()) return http::Response::json(200, object.to_text());
  }
  const bool grows =
      before == nullptr || without_metadata_and_status(*before) != without_metadata_and_status(object);
  object.set("metadata.generation", (before != nullptr ? before->generation() : 0) + (grows ? 1 : 0));
  object.set_resource_version(std::to_string(++version_));
  if (before != nullptr && object.is_being_deleted() && object.finalizers().empty()) {
    objects.erase(object.key());
    record("DELETED", place.collection, object);
  } else {
    objects.insert_or_assign(object.key(), object);
    record(before == nullptr ? "ADDED" : "MODIFIED", place.collection, object);
  }
  return http::Response::json(before == nullptr ? 201 : 200, object.to_text());
}

http::Response MemoryApi::remove(const Place& place) {
  Objects& objects = collections_[place.collection];
  const auto found = objects.find({place.namespace_name, place.name});
  if (found == objects.end()) return failure(k8s::reason::not_found, place.name);
  k8s::Dynamic object = found->second;
  object.set_resource_version(std::to_string(++version_));
  if (!object.finalizers().empty()) {
    object.set("metadata.deletionTimestamp", "2026-01-02T03:04:05Z");
    object.set("metadata.generation", object.generation() + 1);
    found->second = object;
    record("MODIFIED", place.collection, object);
  } else {
    objects.erase(found);
    record("DELETED", place.collection, object);
  }
  return http::Response::json(200, object.to_text());
}

std::string MemoryApi::event_text(const Change& change) {
  return R"({"type":")" + std::string(change.type) + R"(","object":)" + change.object.to_text() + "}\n";
}

void MemoryApi::record(const char* type, const std::string& collection, const k8s::Dynamic& object) {
  history_.push_back({version_, type, collection, object});
  const http::Bytes text = http::make_bytes(event_text(history_.back()));
  for (const Watch& watch : watches_) {
    if (watch.matches(history_.back())) watch.stream->try_push(text);
  }
}

}  // namespace fairway::kube::testing
