// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/definition_reader.h"

#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::operators {
namespace {

constexpr std::chrono::seconds reading_interval{10};

}  // namespace

std::shared_ptr<const ServedDefinition> DefinitionReader::current(kube::Client& client,
                                                                  const Limits& limits) {
  const std::lock_guard lock(mutex_);
  const SteadyTime now = client.clock().steady();
  if (read_at_ && now < *read_at_ + reading_interval) return definition_;
  read_at_ = now;
  const auto read = client.get(k8s::CustomResourceDefinition::resource.group_version_resource(),
                               {"", "clusterversions.config.openshift.io"}, {}, limits);
  if (!read) {
    log::debug("reading the definition of ClusterVersion", {{"error", read.error().message}});
  } else if (!definition_ || definition_->resource_version() != read->resource_version()) {
    if (auto served = ServedDefinition::read(read->json())) definition_ = std::move(served);
  }
  if (!definition_) definition_ = ServedDefinition::own();
  return definition_;
}

bool DefinitionReader::learn(kube::Client& client, const Error& refusal,
                             const std::function<void(openshift::ClusterVersion&)>& change,
                             const Limits& limits) {
  if (refusal.code != ErrorCode::invalid) return false;
  const auto before = current(client, limits);
  {
    const std::lock_guard lock(mutex_);
    read_at_.reset();
  }
  const bool is_another = current(client, limits) != before;
  auto read = client.get(openshift::ClusterVersion::resource.group_version_resource(),
                         {"", std::string(openshift::ClusterVersion::object_name)}, {}, limits);
  if (!read) return false;
  openshift::ClusterVersion refused(read->release());
  change(refused);
  // Its answer has the fields; the attempt itself was of an object that has changed since, maybe.
  const auto tried = client.replace(openshift::ClusterVersion::resource.group_version_resource(), refused,
                                    "status", {.field_manager = "fairway-operator", .dry_run = true}, limits);
  const auto parts =
      tried ? std::set<std::string>() : ServedDefinition::refused_parts(tried.error().status, refused);
  const std::lock_guard lock(mutex_);
  // Another definition may take what the one before did not.
  if (is_another) return true;
  auto narrower = definition_->with_refused(parts);
  if (!narrower) return false;
  definition_ = std::move(narrower);
  for (const std::string& part : parts) {
    log::warning("a part of the status of ClusterVersion is refused, and left out",
                 {{"part", printable(part, 300)}, {"error", refusal.message}});
  }
  return true;
}

}  // namespace fairway::operators
