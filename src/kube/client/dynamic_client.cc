// SPDX-License-Identifier: Apache-2.0

#include "kube/client/dynamic_client.h"

#include <utility>

namespace fairway::kube {

namespace {

Result<k8s::GroupVersionKind> kind_of(const k8s::Dynamic& document) {
  const auto named = [&](const Error& error) {
    return fail(error.within("an object named '" + std::string(document.name()) + "'"));
  };
  auto of = k8s::GroupVersion::parse(document.api_version());
  if (!of) return named(of.error());
  if (document.kind().empty()) return named({ErrorCode::invalid, "it has no kind"});
  return k8s::GroupVersionKind{of->group, of->version, std::string(document.kind())};
}

std::unexpected<ApiError> refuse(Error error) {
  return std::unexpected(ApiError(std::move(error)));
}

}  // namespace

Result<DynamicApi> DynamicClient::api(const k8s::GroupVersionKind& kind, const Limits& limits) const {
  auto resource = mapper_->find(kind, limits);
  if (!resource) return fail(resource.error());
  return DynamicApi(client_, *resource, resource->is_namespaced() ? namespace_name_ : "");
}

Result<DynamicApi> DynamicClient::api(const k8s::GroupVersionKind& kind, std::string namespace_name,
                                      const Limits& limits) const {
  auto resource = mapper_->find(kind, limits);
  if (!resource) return fail(resource.error());
  return DynamicApi(client_, *resource, std::move(namespace_name));
}

ApiResult<DynamicApi> DynamicClient::api_of_object(const k8s::GroupVersionKind& kind, const k8s::Key& key,
                                                   const Limits& limits) const {
  auto found = key.namespace_name.empty() ? api(kind, limits) : api(kind, key.namespace_name, limits);
  if (!found) return refuse(found.error());
  return *std::move(found);
}

/// Marks the mapper outdated after a 404 that names no object: the kind is no longer served, or in another
/// way.
template <class T>
ApiResult<T> DynamicClient::recorded(ApiResult<T> answer) const {
  if (!answer && answer.error().is_not_found() && !answer.error().is_object_not_found())
    mapper_->mark_outdated();
  return answer;
}

ApiResult<k8s::Dynamic> DynamicClient::get(const k8s::GroupVersionKind& kind, const k8s::Key& key,
                                           const Limits& limits) const {
  auto api = api_of_object(kind, key, limits);
  if (!api) return std::unexpected(api.error());
  return recorded(api->get(key.name, limits));
}

ApiResult<k8s::Dynamic> DynamicClient::apply(k8s::Dynamic document, const ApplyOptions& options,
                                             const Limits& limits) const {
  const auto kind = kind_of(document);
  if (!kind) return refuse(kind.error().within("applying a document"));
  auto api = api_of_object(*kind, document.key(), limits);
  if (!api) {
    static_cast<Error&>(api.error()) = api.error().within("applying " + document.key().to_string());
    return std::unexpected(api.error());
  }
  return recorded(api->apply(std::move(document), options, limits));
}

ApiResult<void> DynamicClient::remove(const k8s::Dynamic& document, const DeleteOptions& options,
                                      const Limits& limits) const {
  const auto kind = kind_of(document);
  if (!kind) return refuse(kind.error().within("deleting an object"));
  auto api = api_of_object(*kind, document.key(), limits);
  if (!api) return std::unexpected(api.error());
  return recorded(api->remove(std::string(document.name()), options, limits));
}

ApiResult<void> DynamicClient::watch(const k8s::GroupVersionKind& kind, const std::string& namespace_name,
                                     const WatchOptions& options, const OnWatchEvent& on_event,
                                     const Limits& limits) const {
  auto api = this->api(kind, namespace_name, limits);
  if (!api) return refuse(api.error());
  return recorded(api->watch(options, on_event, limits));
}

}  // namespace fairway::kube
