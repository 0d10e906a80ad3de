// SPDX-License-Identifier: Apache-2.0

// The client of one kind: a thin wrapper around the untyped one.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "k8s/api_resource.h"
#include "kube/client/client.h"
#include "kube/client/pages.h"
#include "kube/internal/client/placement.h"

namespace fairway::kube {

template <class T>
struct TypedList {
  std::vector<T> items = {};
  /// resourceVersion of the list.
  std::string resource_version = {};
};

/// The objects of one kind in one namespace; `T` is a typed view with `T::resource`, or `k8s::Dynamic` for a
/// kind that is known only at run time. An empty namespace means all namespaces, in lists and watches. For
/// cluster-scoped kinds, typed views ignore the namespace.
///
/// For `k8s::Dynamic`, calls fail with `invalid`, before anything is sent: a namespace for a cluster-scoped
/// kind, an object of a namespaced kind without one, an object of another kind. A new object may leave out
/// apiVersion and kind.
template <class T>
class Api {
  static constexpr bool is_dynamic = std::same_as<T, k8s::Dynamic>;

 public:
  /// Uses the namespace of the client's configuration.
  explicit Api(const std::shared_ptr<Client>& client)
    requires(!is_dynamic)
      : Api(client, client->config().namespace_name) {}
  Api(std::shared_ptr<Client> client, std::string namespace_name)
    requires(!is_dynamic)
      : Api(std::move(client), std::move(namespace_name), T::resource) {
    if (!kind_.is_namespaced()) namespace_name_.clear();
  }
  /// Uses the namespace of the client's configuration if the kind, from a `ResourceMapper`, is namespaced.
  Api(const std::shared_ptr<Client>& client, const k8s::ApiResource& kind)
    requires is_dynamic
      : Api(client, kind.is_namespaced() ? client->config().namespace_name : "", kind) {}
  Api(std::shared_ptr<Client> client, const k8s::ApiResource& kind, std::string namespace_name)
    requires is_dynamic
      : Api(std::move(client), std::move(namespace_name), kind) {}

  ApiResult<T> get(const std::string& name, const Limits& limits = {}) {
    if (auto fits = check(name); !fits) return refuse<T>(fits.error());
    return typed(client_->get(resource_, {namespace_name_, name}, {}, limits));
  }
  /// Returns all objects, fetched in pages.
  ApiResult<TypedList<T>> list(const ListOptions& options = {}, const Limits& limits = {}) {
    if (auto fits = check(); !fits) return refuse<TypedList<T>>(fits.error());
    auto list = list_all(*client_, resource_, namespace_name_, options, limits);
    if (!list) return std::unexpected(std::move(list.error()));
    TypedList<T> result;
    result.resource_version = std::move(list->resource_version);
    result.items.reserve(list->items.size());
    for (k8s::Dynamic& item : list->items) result.items.emplace_back(item.release());
    return result;
  }
  /// See `Client::watch`.
  ApiResult<void> watch(const WatchOptions& options, const OnWatchEvent& on_event, const Limits& limits) {
    if (auto fits = check(); !fits) return refuse<void>(fits.error());
    return client_->watch(resource_, namespace_name_, options, on_event, limits);
  }
  ApiResult<T> create(T object, const WriteOptions& options = {}, const Limits& limits = {}) {
    if (auto placed = place(object); !placed) return refuse<T>(placed.error());
    return typed(client_->create(resource_, object, options, limits));
  }
  ApiResult<T> replace(T object, const WriteOptions& options = {}, const Limits& limits = {}) {
    if (auto placed = place(object); !placed) return refuse<T>(placed.error());
    return typed(client_->replace(resource_, object, {}, options, limits));
  }
  ApiResult<T> replace_status(T object, const WriteOptions& options = {}, const Limits& limits = {}) {
    if (auto placed = place(object); !placed) return refuse<T>(placed.error());
    return typed(client_->replace(resource_, object, "status", options, limits));
  }
  ApiResult<T> merge_patch(const std::string& name, const json::Object& patch,
                           const WriteOptions& options = {}, const Limits& limits = {}) {
    return merge_patch_of({}, name, patch, options, limits);
  }
  ApiResult<T> merge_patch_status(const std::string& name, const json::Object& patch,
                                  const WriteOptions& options = {}, const Limits& limits = {}) {
    return merge_patch_of("status", name, patch, options, limits);
  }
  /// See `k8s::apply_document`.
  ApiResult<T> apply(T document, const ApplyOptions& options, const Limits& limits = {}) {
    if (auto placed = place(document); !placed) return refuse<T>(placed.error());
    return typed(client_->apply(resource_, document, options, {}, limits));
  }
  ApiResult<T> apply_status(T document, const ApplyOptions& options, const Limits& limits = {}) {
    if (auto placed = place(document); !placed) return refuse<T>(placed.error());
    return typed(client_->apply(resource_, document, options, "status", limits));
  }
  ApiResult<void> remove(const std::string& name, const DeleteOptions& options = {},
                         const Limits& limits = {}) {
    if (auto fits = check(name); !fits) return refuse<void>(fits.error());
    auto removed = client_->remove(resource_, {namespace_name_, name}, options, limits);
    if (!removed) return std::unexpected(std::move(removed.error()));
    return {};
  }
  ApiResult<void> remove_all(const ListOptions& which, const DeleteOptions& options = {},
                             const Limits& limits = {}) {
    if (auto fits = check(); !fits) return refuse<void>(fits.error());
    return client_->remove_all(resource_, namespace_name_, which, options, limits);
  }

  /// Returns the untyped client, which takes `resource()`, for other calls (scale, JSON patches).
  Client& client() const { return *client_; }
  const k8s::GroupVersionResource& resource() const { return resource_; }
  const k8s::ApiResource& kind() const { return kind_; }
  const std::string& namespace_name() const { return namespace_name_; }

 private:
  Api(std::shared_ptr<Client> client, std::string namespace_name, k8s::ApiResource kind)
      : client_(std::move(client)), namespace_name_(std::move(namespace_name)), kind_(std::move(kind)) {}

  template <class U>
  static ApiResult<U> refuse(Error error) {
    return std::unexpected(ApiError(std::move(error)));
  }
  ApiResult<T> typed(ApiResult<k8s::Dynamic> object) const {
    if (!object) return std::unexpected(std::move(object.error()));
    if (auto checked = k8s::check_kind(*object, kind_.view()); !checked)
      return refuse<T>(checked.error().within("reading the server's answer"));
    return T(object->release());
  }
  Result<void> check() const {
    if constexpr (is_dynamic) return check_namespace(kind_, namespace_name_);
    return {};
  }
  Result<void> check(const std::string& name) const {
    if constexpr (is_dynamic) return check_key(kind_, {namespace_name_, name});
    return {};
  }
  Result<void> place(T& object) const {
    if constexpr (is_dynamic) return kube::place(kind_, namespace_name_, object);
    if (object.namespace_name().empty() && !namespace_name_.empty())
      object.set_namespace_name(namespace_name_);
    return {};
  }
  ApiResult<T> merge_patch_of(std::string_view subresource, const std::string& name,
                              const json::Object& patch, const WriteOptions& options, const Limits& limits) {
    if (auto fits = check(name); !fits) return refuse<T>(fits.error());
    return typed(client_->patch(resource_, {namespace_name_, name}, PatchType::merge, json::Value(patch),
                                subresource, options, limits));
  }

  std::shared_ptr<Client> client_;
  std::string namespace_name_;
  k8s::ApiResource kind_;
  k8s::GroupVersionResource resource_ = kind_.group_version_resource();
};

/// An API for kinds that are known only at run time.
using DynamicApi = Api<k8s::Dynamic>;

}  // namespace fairway::kube
