// The typed client: a thin wrapper around the untyped one.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "k8s/object.h"
#include "kube/client/client.h"
#include "kube/client/pages.h"

namespace fairway::kube {

template <class T>
struct TypedList {
  std::vector<T> items;
  /// Of the list.
  std::string resource_version;
};

/// The objects of one kind in one namespace; `T` is a typed view with `T::resource`. The namespace is ignored
/// for cluster-scoped kinds; an empty one means all namespaces, in lists.
template <class T>
class Api {
 public:
  /// Uses the namespace of the client's configuration.
  explicit Api(const std::shared_ptr<Client>& client) : Api(client, client->config().namespace_name) {}
  Api(std::shared_ptr<Client> client, std::string namespace_name)
      : client_(std::move(client)), namespace_name_(std::move(namespace_name)) {
    if (T::resource.scope == k8s::Scope::cluster) namespace_name_.clear();
  }

  ApiResult<T> get(const std::string& name, const Limits& limits = {}) {
    return typed(client_->get(resource_, {namespace_name_, name}, {}, limits));
  }
  /// All objects, fetched in pages.
  ApiResult<TypedList<T>> list(const ListOptions& options = {}, const Limits& limits = {}) {
    auto list = list_all(*client_, resource_, namespace_name_, options, limits);
    if (!list) return std::unexpected(std::move(list.error()));
    TypedList<T> result;
    result.resource_version = std::move(list->resource_version);
    result.items.reserve(list->items.size());
    for (k8s::Dynamic& item : list->items) result.items.emplace_back(item.release());
    return result;
  }
  ApiResult<T> create(T object, const WriteOptions& options = {}, const Limits& limits = {}) {
    place(object);
    return typed(client_->create(resource_, object, options, limits));
  }
  ApiResult<T> replace(T object, const WriteOptions& options = {}, const Limits& limits = {}) {
    place(object);
    return typed(client_->replace(resource_, object, {}, options, limits));
  }
  ApiResult<T> replace_status(T object, const WriteOptions& options = {}, const Limits& limits = {}) {
    place(object);
    return typed(client_->replace(resource_, object, "status", options, limits));
  }
  ApiResult<T> merge_patch(const std::string& name, const json::Object& patch,
                           const WriteOptions& options = {}, const Limits& limits = {}) {
    return typed(client_->patch(resource_, {namespace_name_, name}, PatchType::merge, json::Value(patch), {},
                                options, limits));
  }
  ApiResult<T> merge_patch_status(const std::string& name, const json::Object& patch,
                                  const WriteOptions& options = {}, const Limits& limits = {}) {
    return typed(client_->patch(resource_, {namespace_name_, name}, PatchType::merge, json::Value(patch),
                                "status", options, limits));
  }
  /// See `k8s::apply_document`.
  ApiResult<T> apply(T document, const ApplyOptions& options, const Limits& limits = {}) {
    place(document);
    return typed(client_->apply(resource_, document, options, {}, limits));
  }
  ApiResult<T> apply_status(T document, const ApplyOptions& options, const Limits& limits = {}) {
    place(document);
    return typed(client_->apply(resource_, document, options, "status", limits));
  }
  ApiResult<void> remove(const std::string& name, const DeleteOptions& options = {},
                         const Limits& limits = {}) {
    auto removed = client_->remove(resource_, {namespace_name_, name}, options, limits);
    if (!removed) return std::unexpected(std::move(removed.error()));
    return {};
  }
  ApiResult<void> remove_all(const ListOptions& which, const DeleteOptions& options = {},
                             const Limits& limits = {}) {
    return client_->remove_all(resource_, namespace_name_, which, options, limits);
  }

  /// The untyped client and its arguments, for other calls (scale, JSON patches, watches).
  Client& client() const { return *client_; }
  const k8s::GroupVersionResource& resource() const { return resource_; }
  const std::string& namespace_name() const { return namespace_name_; }

 private:
  static ApiResult<T> typed(ApiResult<k8s::Dynamic> object) {
    if (!object) return std::unexpected(std::move(object.error()));
    auto as = k8s::as<T>(*std::move(object));
    if (!as) return std::unexpected(ApiError(as.error().within("reading the server's answer")));
    return *std::move(as);
  }
  void place(T& object) const {
    if (object.namespace_name().empty() && !namespace_name_.empty())
      object.set_namespace_name(namespace_name_);
  }

  std::shared_ptr<Client> client_;
  std::string namespace_name_;
  k8s::GroupVersionResource resource_ = T::resource.group_version_resource();
};

}  // namespace fairway::kube
