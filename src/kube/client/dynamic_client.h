// SPDX-License-Identifier: Apache-2.0

// A client of objects whose kinds are known only at run time, by their apiVersion and kind.
#pragma once

#include <memory>
#include <string>

#include "kube/client/api.h"
#include "kube/client/resource_mapper.h"

namespace fairway::kube {

/// A client for objects of any kind, like client-go's dynamic client with a RESTMapper. Copies are
/// equivalent. Safe from all threads.
///
/// A namespaced object without a namespace is in `namespace_name`; if that is empty too, it is an error
/// (`invalid`), as is a cluster-scoped one with a namespace. An error of the mapper has no Status
/// (`ApiError::is_answer`): `not_found` without a Status means that the server does not serve the kind, and
/// with a Status that there is no such object.
class DynamicClient {
 public:
  /// Uses the namespace of the client's configuration. The mapper may be another client's of the same server.
  DynamicClient(const std::shared_ptr<Client>& client, std::shared_ptr<ResourceMapper> mapper)
      : DynamicClient(client, std::move(mapper), client->config().namespace_name) {}
  DynamicClient(std::shared_ptr<Client> client, std::shared_ptr<ResourceMapper> mapper,
                std::string namespace_name)
      : client_(std::move(client)), mapper_(std::move(mapper)), namespace_name_(std::move(namespace_name)) {}

  /// Returns the API of a kind, in `namespace_name()` if it is namespaced.
  Result<DynamicApi> api(const k8s::GroupVersionKind& kind, const Limits& limits = {}) const;
  Result<DynamicApi> api(const k8s::GroupVersionKind& kind, std::string namespace_name,
                         const Limits& limits = {}) const;

  ApiResult<k8s::Dynamic> get(const k8s::GroupVersionKind& kind, const k8s::Key& key,
                              const Limits& limits = {}) const;
  /// Applies any document with apiVersion, kind and name (server-side apply).
  ApiResult<k8s::Dynamic> apply(k8s::Dynamic document, const ApplyOptions& options,
                                const Limits& limits = {}) const;
  /// Deletes the object that a document names.
  ApiResult<void> remove(const k8s::Dynamic& document, const DeleteOptions& options = {},
                         const Limits& limits = {}) const;
  /// Watches the namespace (empty: all namespaces). See `Client::watch`.
  ApiResult<void> watch(const k8s::GroupVersionKind& kind, const std::string& namespace_name,
                        const WatchOptions& options, const OnWatchEvent& on_event,
                        const Limits& limits) const;

  ResourceMapper& mapper() const { return *mapper_; }
  /// Returns the untyped client, for other calls.
  const std::shared_ptr<Client>& client() const { return client_; }
  const std::string& namespace_name() const { return namespace_name_; }

 private:
  ApiResult<DynamicApi> api_of_object(const k8s::GroupVersionKind& kind, const k8s::Key& key,
                                      const Limits& limits) const;
  template <class T>
  ApiResult<T> recorded(ApiResult<T> answer) const;

  std::shared_ptr<Client> client_;
  std::shared_ptr<ResourceMapper> mapper_;
  std::string namespace_name_;
};

}  // namespace fairway::kube
