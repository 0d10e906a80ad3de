// SPDX-License-Identifier: Apache-2.0

#include <stdexcept>

#include "kube/internal/informer/informer_set.h"

namespace fairway::kube {

Informers::Informers(std::shared_ptr<Client> client, InformersOptions options)
    : set_(std::make_shared<InformerSet>(std::move(client), std::move(options))) {}

Informers::~Informers() {
  stop();
}

void Informers::check_namespaces(const k8s::ApiResource& kind, const InformerOptions& options) {
  if (kind.is_namespaced() || options.namespaces.empty()) return;
  throw std::logic_error("an informer of " + kind.group_version_resource().to_string() +
                         " is given namespaces, and its objects are in none: give it no namespaces");
}

std::shared_ptr<InformerEngine> Informers::handle(const k8s::GroupVersionResource& resource,
                                                  const InformerOptions& options, ObjectType type,
                                                  Content content) {
  return set_->get(resource, options, type, content);
}

std::vector<std::shared_ptr<InformerEngine>> Informers::engines_of(
    const k8s::GroupVersionResource& resource) const {
  auto result = set_->engines();
  std::erase_if(result, [&](const auto& engine) {
    return engine->resource().group != resource.group || engine->resource().resource != resource.resource;
  });
  return result;
}

void Informers::record_written(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object) {
  for (const auto& engine : engines_of(resource)) engine->record_written(object);
}

void Informers::record_removed(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                               std::string_view uid) {
  for (const auto& engine : engines_of(resource)) engine->record_removed(key, uid);
}

Client& Informers::client() const {
  return set_->client();
}

void Informers::start() {
  set_->start();
}

bool Informers::wait_for_sync(const Limits& limits) {
  return set_->wait_for_sync(limits);
}

bool Informers::wait_for_sync(std::chrono::nanoseconds timeout) {
  return wait_for_sync(Limits::within(client().clock(), timeout));
}

std::vector<std::string> Informers::unsynced() const {
  std::vector<std::string> result;
  for (const auto& engine : set_->engines()) {
    for (std::string& why : engine->unsynced()) result.push_back(std::move(why));
  }
  return result;
}

void Informers::stop() {
  set_->stop();
}

}  // namespace fairway::kube
