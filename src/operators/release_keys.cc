// SPDX-License-Identifier: Apache-2.0

#include "operators/release_keys.h"

#include <utility>
#include <vector>

#include "k8s/core.h"
#include "oci/registry.h"

namespace fairway::operators {
namespace {

std::string place_of(const k8s::Key& config_map) {
  return "the ConfigMap " + config_map.to_string();
}

}  // namespace

std::string how_to_give_keys(const k8s::Key& config_map) {
  return "give OpenPGP public keys that releases are signed with, by --public-keys DIR and --signature-store "
         "URL or as verifier-public-key-NAME and store-NAME in " +
         place_of(config_map) +
         "; or set spec.desiredUpdate.force for one update; or run the operator with "
         "--allow-unsigned-releases";
}

Result<payload::TrustedKeys> read_release_keys(kube::Client& client, const k8s::Key& config_map,
                                               const Limits& limits) {
  const auto read = client.get(k8s::ConfigMap::resource.group_version_resource(), config_map, {}, limits);
  if (!read && read.error().is_object_not_found()) return payload::TrustedKeys{};
  if (!read)
    return fail(Error(read.error()).within("reading the keys of releases in " + place_of(config_map)));
  return payload::read_trusted_keys(*read, place_of(config_map));
}

std::string distrust_of(const openshift::ClusterVersion& cluster) {
  const auto history = cluster.history();
  if (history.empty()) return "there is none";
  const openshift::UpdateHistory& newest = history.front();
  const auto image = oci::Reference::parse(newest.image());
  if (!image || image->digest.empty()) return "it is not known by its digest";
  const bool is_installed = history.size() == 1 && newest.text("acceptedRisks").empty();
  if (newest.flag("verified") || is_installed) return "";
  return "it was not verified, and is not what the administrator has installed";
}

std::optional<Finding> judge_release_keys(const Result<std::size_t>& keys, bool allow_unsigned,
                                          const k8s::Key& config_map, const std::string& note) {
  if (!keys) {
    return Finding{
        k8s::ConditionStatus::is_true,
        keys.error().code == ErrorCode::invalid ? "InvalidReleaseKeys" : "ReleaseKeysUnknown",
        "No update can be verified, so each wants spec.desiredUpdate.force: " + keys.error().message};
  }
  if (*keys > 0 || allow_unsigned) return std::nullopt;
  return Finding{
      k8s::ConditionStatus::is_true, "NoReleaseKeys",
      "No update can be verified, so each wants spec.desiredUpdate.force: there are no public keys. " +
          (note.empty() ? "" : note + ". ") + "What to do: " + how_to_give_keys(config_map)};
}

ReleaseKeysWatch::ReleaseKeysWatch(std::shared_ptr<kube::Client> client, const k8s::Key& config_map,
                                   const std::function<void()>& on_change)
    : informers_(std::move(client)) {
  kube::InformerOptions which;
  which.namespaces = {config_map.namespace_name};
  which.fields = k8s::FieldSelector({{.path = "metadata.name", .equals = true, .value = config_map.name}});
  auto informer = informers_.get<k8s::ConfigMap>(which);
  informer.add_handler({.added = [on_change](const auto&, bool) { on_change(); },
                        .updated = [on_change](const auto&, const auto&) { on_change(); },
                        .deleted = [on_change](const auto&) { on_change(); }});
  informers_.start();
}

}  // namespace fairway::operators
