// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/token_volume.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace fairway::apiserver::resources {
namespace {

constexpr std::string_view prefix = "kube-api-access-",
                           place = "/var/run/secrets/kubernetes.io/serviceaccount",
                           wish = "automountServiceAccountToken";

std::string volume_name(const k8s::View& pod, const Random& random) {
  for (const k8s::View& volume : pod.items("spec.volumes")) {
    if (volume.text("name").starts_with(prefix)) return std::string(volume.text("name"));
  }
  // As generated names of objects are made: no vowels.
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr int length = 5;
  std::string name(prefix);
  for (int i = 0; i < length; ++i)
    name += letters[static_cast<std::size_t>(random() * static_cast<double>(letters.size()))];
  return name;
}

/// Mounts the volume in the containers of a list. Returns whether one needed it.
bool mount_in(k8s::Dynamic& pod, std::string_view list, const std::string& volume) {
  if (!pod.has(list)) return false;
  bool is_needed = false;
  for (json::Value& item : pod.array(list)) {
    json::Object* object = item.if_object();
    if (object == nullptr) continue;
    k8s::Editor container(*object);
    const auto mounts = container.items("volumeMounts");
    if (std::ranges::any_of(mounts, [](const k8s::View& mount) { return mount.text("mountPath") == place; }))
      continue;
    container.array("volumeMounts")
        .push_back(json::Object{{"name", volume}, {"readOnly", true}, {"mountPath", place}});
    is_needed = true;
  }
  return is_needed;
}

json::Object token_volume(const std::string& name) {
  constexpr int mode = 0644, seconds = 3607;
  const auto item = [](std::string_view key) { return json::Object{{"key", key}, {"path", key}}; };
  const json::Object namespace_file{
      {"path", "namespace"},
      {"fieldRef", json::Object{{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}}}};
  const json::Array sources{
      json::Object{{"serviceAccountToken", json::Object{{"expirationSeconds", seconds}, {"path", "token"}}}},
      json::Object{
          {"configMap", json::Object{{"name", "kube-root-ca.crt"}, {"items", json::Array{item("ca.crt")}}}}},
      json::Object{{"downwardAPI", json::Object{{"items", json::Array{namespace_file}}}}}};
  return {{"name", name}, {"projected", json::Object{{"sources", sources}, {"defaultMode", mode}}}};
}

}  // namespace

void mount_token(k8s::Dynamic& pod, const k8s::View& account, const Random& random) {
  if (!pod.find_flag("spec." + std::string(wish)).value_or(account.flag(wish, true))) return;
  const std::string name = volume_name(pod, random);
  const bool in_init = mount_in(pod, "spec.initContainers", name),
             in_others = mount_in(pod, "spec.containers", name);
  const auto volumes = pod.items("spec.volumes");
  const bool is_there =
      std::ranges::any_of(volumes, [&](const k8s::View& volume) { return volume.text("name") == name; });
  if (!is_there && (in_init || in_others)) pod.array("spec.volumes").push_back(token_volume(name));
}

}  // namespace fairway::apiserver::resources
