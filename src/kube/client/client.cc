// SPDX-License-Identifier: Apache-2.0

#include "kube/client/client.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/go_text.h"
#include "k8s/wire/list.h"
#include "k8s/wire/media_type.h"
#include "k8s/wire/resource_path.h"
#include "kube/internal/client/transport.h"

namespace fairway::kube {

namespace {

std::unexpected<ApiError> refuse(Error error) {
  return std::unexpected(ApiError(std::move(error)));
}

/// Returns the beginning of an error: "patching apps/v1, Resource=deployments a/b".
std::string doing(std::string_view what, const k8s::GroupVersionResource& resource, const std::string& name) {
  return std::string(what) + " " + resource.to_string() + (name.empty() ? "" : " " + name);
}

/// Returns the path of a request. Checks its parts: a name with a slash would address another resource.
Result<std::string> build_path(const std::string& doing, const k8s::GroupVersionResource& resource,
                               std::string_view namespace_name, std::string_view name = {},
                               std::string_view subresource = {}) {
  const std::size_t slash = std::min(subresource.find('/'), subresource.size());
  const k8s::ResourcePath path{
      .resource = resource,
      .namespace_name = std::string(namespace_name),
      .name = std::string(name),
      .subresource = std::string(subresource.substr(0, slash)),
      .rest = std::string(subresource.substr(std::min(slash + 1, subresource.size())))};
  if (auto checked = path.check(); !checked) return fail(checked.error().within(doing));
  return path.to_string();
}

/// Returns the path of an object. Error: the key has no name.
Result<std::string> build_path(const std::string& doing, const k8s::GroupVersionResource& resource,
                               const k8s::Key& key, std::string_view subresource = {}) {
  if (key.name.empty()) return fail(ErrorCode::invalid, doing + ": the object's name is missing");
  return build_path(doing, resource, key.namespace_name, key.name, subresource);
}

/// Builds a request whose body is a whole object.
ApiRequest request_with_object(const char* method, std::string path, const k8s::Dynamic& object,
                               const WriteOptions& options) {
  ApiRequest request;
  request.method = method;
  request.path = std::move(path);
  request.query = k8s::to_query(options).to_string();
  request.content_type = "application/json";
  request.body = object.to_text();
  return request;
}

/// Returns whether the answer has the name and the new resourceVersion of the object itself: whole objects,
/// and a Scale. Answers of other subresources (token, proxy) are other objects.
bool answers_with_version(std::string_view subresource) {
  constexpr std::array names{"", "status", "scale", "ephemeralcontainers", "resize", "approval", "finalize"};
  return std::ranges::find(names, subresource) != names.end();
}

/// Returns the Accept header. It includes whole objects, for servers that can send nothing else.
std::string accept(Content content, std::string_view metadata_kind) {
  if (content == Content::objects) return "application/json";
  namespace representation = k8s::representation;
  return k8s::json_as({std::string(representation::group), "v1", std::string(metadata_kind)}).to_string() +
         ", application/json";
}

k8s::Dynamic reduce(k8s::Dynamic object, Content content) {
  return content == Content::metadata ? k8s::to_partial_metadata(object) : std::move(object);
}

Result<ApiRequest> list_request(const std::string& doing, const k8s::GroupVersionResource& resource,
                                std::string_view namespace_name, const ListOptions& options,
                                Content content) {
  auto path = build_path(doing, resource, namespace_name);
  if (!path) return fail(path.error());
  ApiRequest request;
  request.path = *std::move(path);
  request.query = k8s::to_query(options).to_string();
  request.accept = accept(content, k8s::representation::metadata_list);
  return request;
}

}  // namespace

struct Client::Implementation {
  std::shared_ptr<Transport> transport;
  WriteHooks hooks = {};
  Throttle throttle = Throttle::yes;

  ApiResult<http::Reply> send(const ApiRequest& request, const std::string& doing,
                              const Limits& limits) const {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    auto reply = transport->send(request, limits, reads ? nullptr : hooks.may_write, throttle);
    if (!reply) return refuse(reply.error().within(doing));
    if (reply->status >= 200 && reply->status < 300) return *std::move(reply);
    return std::unexpected(ApiError(doing, k8s::Status::of_reply(reply->status, reply->body)));
  }

  /// Sends a request that is answered with an object.
  ApiResult<k8s::Dynamic> send_for_object(const ApiRequest& request, const std::string& doing,
                                          const Limits& limits) const {
    const auto reply = send(request, doing, limits);
    if (!reply) return std::unexpected(reply.error());
    auto object = k8s::Dynamic::parse(reply->body);
    if (!object) {
      return refuse(
          Error{ErrorCode::unavailable, object.error().message}.within(doing + ": reading the answer"));
    }
    return *std::move(object);
  }

  /// Sends a write that is answered with an object. `kept`: the write is not a dry run, so hooks are called.
  ApiResult<k8s::Dynamic> write_object(const ApiRequest& request, const std::string& doing,
                                       const k8s::GroupVersionResource& resource, bool kept,
                                       const Limits& limits) const {
    auto object = send_for_object(request, doing, limits);
    if (object && kept && hooks.written && !object->name().empty()) hooks.written(resource, *object);
    return object;
  }
};

Client::Client(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Client::~Client() = default;

Result<std::shared_ptr<Client>> Client::create(ClientConfig config, ClientSettings settings) {
  auto transport = Transport::create(std::move(config), std::move(settings));
  if (!transport) return fail(transport.error());
  return std::shared_ptr<Client>(new Client(std::make_unique<Implementation>(*std::move(transport))));
}

std::shared_ptr<Client> Client::with_hooks(WriteHooks hooks) const {
  return std::shared_ptr<Client>(new Client(std::make_unique<Implementation>(
      implementation_->transport, std::move(hooks), implementation_->throttle)));
}

std::shared_ptr<Client> Client::without_rate_limit() const {
  return std::shared_ptr<Client>(new Client(
      std::make_unique<Implementation>(implementation_->transport, implementation_->hooks, Throttle::no)));
}

const ClientConfig& Client::config() const {
  return implementation_->transport->config();
}

Clock& Client::clock() const {
  return implementation_->transport->clock();
}

ApiResult<k8s::Dynamic> Client::get(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                    std::string_view subresource, const Limits& limits) {
  const std::string what = doing("reading", resource, key.to_string());
  auto path = build_path(what, resource, key, subresource);
  if (!path) return refuse(path.error());
  ApiRequest request;
  request.path = *std::move(path);
  return implementation_->send_for_object(request, what, limits);
}

ApiResult<ObjectList> Client::list(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                                   const ListOptions& options, const Limits& limits, Content content) {
  const std::string what = doing("listing", resource, std::string(namespace_name));
  const auto request = list_request(what, resource, namespace_name, options, content);
  if (!request) return refuse(request.error());
  const auto reply = implementation_->send(*request, what, limits);
  if (!reply) return std::unexpected(reply.error());
  std::vector<k8s::Dynamic> items;
  k8s::ListReader reader([&](k8s::Dynamic object) -> Result<void> {
    items.push_back(reduce(std::move(object), content));
    return {};
  });
  auto read = reader.feed(reply->body);
  if (!read) return refuse(read.error().within(what));
  auto list = reader.finish();
  if (!list) return refuse(list.error().within(what));
  list->items = std::move(items);
  return *std::move(list);
}

ApiResult<ObjectList> Client::list_each(const k8s::GroupVersionResource& resource,
                                        std::string_view namespace_name, const ListOptions& options,
                                        const std::function<Result<void>(k8s::Dynamic object)>& on_object,
                                        const Limits& limits, Content content) {
  const std::string what = doing("listing", resource, std::string(namespace_name));
  k8s::ListReader reader([&](k8s::Dynamic object) { return on_object(reduce(std::move(object), content)); });
  auto request = list_request(what, resource, namespace_name, options, content);
  if (!request) return refuse(request.error());
  // No more than one object of it is held here; a server that has many may send all of them in one piece.
  request->max_body_bytes = std::numeric_limits<std::size_t>::max();
  request->on_body = [&reader](std::string_view piece) { return reader.feed(piece); };
  if (const auto reply = implementation_->send(*request, what, limits); !reply) {
    return std::unexpected(reply.error());
  }
  auto list = reader.finish();
  if (!list) return refuse(list.error().within(what));
  return *std::move(list);
}

ApiResult<void> Client::watch(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                              const WatchOptions& options, const OnWatchEvent& on_event, const Limits& limits,
                              Content content) {
  const std::string what = doing("watching", resource, std::string(namespace_name));
  auto path = build_path(what, resource, namespace_name);
  if (!path) return refuse(path.error());
  ApiRequest request;
  request.path = *std::move(path);
  // The initial objects end with a bookmark.
  WatchOptions asked = options;
  if (asked.initial_events.value_or(false)) asked.bookmarks = true;
  request.query = k8s::to_query(asked).to_string();
  request.max_body_bytes = std::numeric_limits<std::size_t>::max();
  request.accept = accept(content, k8s::representation::metadata);
  WatchReader reader([&](WatchEvent event) {
    event.object = reduce(std::move(event.object), content);
    return on_event(std::move(event));
  });
  // The transport knows errors without a Status only.
  std::optional<ApiError> failed;
  request.on_body = [&](std::string_view piece) -> Result<void> {
    auto read = reader.feed(piece);
    if (read) return {};
    failed = std::move(read.error());
    return fail(*failed);
  };
  const auto reply = implementation_->send(request, what, limits);
  const auto named = [&](ApiError error) {
    static_cast<Error&>(error) = error.within(what);
    return std::unexpected(std::move(error));
  };
  if (failed) return named(*std::move(failed));
  if (!reply) return std::unexpected(reply.error());
  if (auto finished = reader.finish(); !finished) return named(std::move(finished.error()));
  return {};
}

ApiResult<k8s::Dynamic> Client::create(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object,
                                       const WriteOptions& options, const Limits& limits) {
  const std::string what = doing("creating", resource, object.key().to_string());
  // The server makes a name where only its beginning is given, and reviews (SelfSubjectReview) have none at
  // all.
  const std::string_view name = object.name().empty() ? object.generate_name() : object.name();
  if (auto own = build_path(what, resource, object.namespace_name(), name); !own) return refuse(own.error());
  auto path = build_path(what, resource, object.namespace_name());
  if (!path) return refuse(path.error());
  const ApiRequest request = request_with_object("POST", *std::move(path), object, options);
  return implementation_->write_object(request, what, resource, !options.dry_run, limits);
}

ApiResult<k8s::Dynamic> Client::replace(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object,
                                        std::string_view subresource, const WriteOptions& options,
                                        const Limits& limits) {
  const std::string what = doing("replacing", resource, object.key().to_string());
  auto path = build_path(what, resource, object.key(), subresource);
  if (!path) return refuse(path.error());
  const ApiRequest request = request_with_object("PUT", *std::move(path), object, options);
  return implementation_->write_object(request, what, resource,
                                       !options.dry_run && answers_with_version(subresource), limits);
}

ApiResult<k8s::Dynamic> Client::patch(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                      PatchType type, const json::Value& patch, std::string_view subresource,
                                      const WriteOptions& options, const Limits& limits) {
  const std::string what = doing("patching", resource, key.to_string());
  auto path = build_path(what, resource, key, subresource);
  if (!path) return refuse(path.error());
  ApiRequest request;
  request.method = "PATCH";
  request.path = *std::move(path);
  request.query = k8s::to_query(options).to_string();
  request.content_type = k8s::content_type(type);
  if (type == PatchType::json) {
    // A real API server compares what a `test` names with its own text, byte for byte.
    append_go_json(request.body, patch);
  } else {
    request.body = json::to_text(patch);
  }
  return implementation_->write_object(request, what, resource,
                                       !options.dry_run && answers_with_version(subresource), limits);
}

ApiResult<k8s::Dynamic> Client::apply(const k8s::GroupVersionResource& resource, const k8s::Dynamic& document,
                                      const ApplyOptions& options, std::string_view subresource,
                                      const Limits& limits) {
  const std::string what = doing("applying", resource, document.key().to_string());
  auto path = build_path(what, resource, document.key(), subresource);
  if (!path) return refuse(path.error());
  if (options.field_manager.empty()) {
    return refuse({ErrorCode::invalid, what + ": a field manager must be named"});
  }
  ApiRequest request;
  request.method = "PATCH";
  request.path = *std::move(path);
  ApplyOptions asked = options;
  // A default of the server is not sent.
  if (!asked.force.value_or(false)) asked.force.reset();
  request.query = k8s::to_query(asked).to_string();
  // JSON is YAML.
  request.content_type = k8s::content_type(PatchType::apply);
  request.body = document.to_text();
  return implementation_->write_object(request, what, resource,
                                       !options.dry_run && answers_with_version(subresource), limits);
}

ApiResult<k8s::Dynamic> Client::remove(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                       const DeleteOptions& options, const Limits& limits) {
  const std::string what = doing("deleting", resource, key.to_string());
  auto path = build_path(what, resource, key);
  if (!path) return refuse(path.error());
  ApiRequest request;
  request.method = "DELETE";
  request.path = *std::move(path);
  request.body = k8s::to_body(options);
  if (!request.body.empty()) request.content_type = "application/json";
  auto answer = implementation_->send_for_object(request, what, limits);
  if (!answer || options.dry_run) return answer;
  if (answer->kind() != "Status") {
    if (implementation_->hooks.written) implementation_->hooks.written(resource, *answer);
  } else if (implementation_->hooks.removed) {
    implementation_->hooks.removed(resource, key, answer->text("details.uid"));
  }
  return answer;
}

ApiResult<void> Client::remove_all(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                                   const ListOptions& which, const DeleteOptions& options,
                                   const Limits& limits) {
  const std::string what = doing("deleting all", resource, std::string(namespace_name));
  auto path = build_path(what, resource, namespace_name);
  if (!path) return refuse(path.error());
  ApiRequest request;
  request.method = "DELETE";
  request.path = *std::move(path);
  request.query = k8s::to_query(which).to_string();
  request.body = k8s::to_body(options);
  if (!request.body.empty()) request.content_type = "application/json";
  const auto reply = implementation_->send(request, what, limits);
  if (!reply) return std::unexpected(reply.error());
  return {};
}

ApiResult<http::Headers> Client::send(const ApiRequest& request, std::string& body, const Limits& limits) {
  auto reply = implementation_->send(request, request.method + " " + request.path, limits);
  if (!reply) return std::unexpected(reply.error());
  body = std::move(reply->body);
  return std::move(reply->headers);
}

}  // namespace fairway::kube
