// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/pod_annotations.h"

#include <charconv>
#include <string>

#include "apiserver/internal/validation/each_container.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "base/quoted_text.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::string_view mirror = "kubernetes.io/config.mirror",
                           deletion_cost = "controller.kubernetes.io/pod-deletion-cost",
                           seccomp_pod = "seccomp.security.alpha.kubernetes.io/pod",
                           seccomp_container = "container.seccomp.security.alpha.kubernetes.io/",
                           app_armor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view localhost = "localhost/", unconfined = "unconfined",
                           runtime_default = "runtime/default", docker_default = "docker/default";

bool is_cost(std::string_view text) {
  if (text.empty() || (text.front() == '0' && text != "0")) return false;
  std::int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return error == std::errc{} && end == text.data() + text.size();
}

void check_seccomp(const Scope& at, std::string_view shown, std::string_view profile) {
  if (profile == runtime_default || profile == docker_default || profile == unconfined) return;
  if (!profile.starts_with(localhost)) {
    at.invalid(shown, json::Value(profile), "must be a valid seccomp profile");
    return;
  }
  profile.remove_prefix(localhost.size());
  at.faults(shown, profile, check_descending_path(profile));
}

bool has_container(const Scope& spec, std::string_view name) {
  bool found = false;
  each_container(spec, [&](const Scope& container) { found = found || container.text("name") == name; });
  return found;
}

/// An annotation, and the field that has to agree with it.
struct Profile {
  std::string_view what;
  std::string_view annotation;
  const json::Object& field;
};

void check_agrees(const Scope& at, const Profile& profile) {
  const Scope field = at.other(profile.field, at.path());
  const std::string_view type = field.text("type"), annotation = profile.annotation;
  const std::string what(profile.what);
  const auto differ = [&] { at.forbidden("type", what + " type in annotation and field must match"); };
  if (type == "Unconfined" && annotation != unconfined) differ();
  if (type == "RuntimeDefault" && annotation != runtime_default &&
      (what == "apparmor" || annotation != docker_default))
    differ();
  if (type != "Localhost") return;
  if (!annotation.starts_with(localhost)) {
    differ();
  } else if (!field.has("localhostProfile") ||
             annotation.substr(localhost.size()) != field.text("localhostProfile")) {
    at.forbidden("localhostProfile", what + " profile in annotation and field must match");
  }
}

}  // namespace

void check_pod_annotations(const Scope& metadata, const k8s::StringMap& annotations, const Scope& spec) {
  const Path path = metadata.path().child("annotations");
  const auto at = [&](std::string_view key) { return metadata.other(metadata.json(), path.key(key)); };
  if (const auto value = annotations.find(mirror); value && spec.text("nodeName").empty())
    at(mirror).invalid(".", json::Value(*value), "must set spec.nodeName if mirror pod annotation is set");
  if (has_bad_deletion_cost(annotations) && !spec.facts().allows_bad_deletion_cost) {
    const json::Value cost(annotations.find(deletion_cost).value_or(""));
    at(deletion_cost).invalid(".", cost, "must be a 32bit integer");
  }
  const Scope shown = metadata.other(metadata.json(), path);
  if (const auto profile = annotations.find(seccomp_pod)) check_seccomp(shown, seccomp_pod, *profile);
  for (const auto& [key, profile] : annotations) {
    if (key.starts_with(seccomp_container)) check_seccomp(shown, key, profile);
  }
  for (const auto& [key, profile] : annotations) {
    if (!key.starts_with(app_armor)) continue;
    const std::string_view name = key.substr(app_armor.size());
    if (!has_container(spec, name)) at(key).invalid(".", json::Value(name), "container not found");
    if (!profile.empty() && profile != runtime_default && profile != unconfined &&
        !profile.starts_with(localhost))
      at(key).invalid(".", json::Value(profile), "invalid AppArmor profile name: " + quote(profile));
  }
}

bool has_bad_deletion_cost(const k8s::StringMap& annotations) {
  const auto cost = annotations.find(deletion_cost);
  return cost && !is_cost(*cost);
}

void check_profiles_agree(const k8s::StringMap& annotations, const Scope& spec) {
  if (annotations.empty()) return;
  const Scope context = spec.child("securityContext");
  if (const auto annotation = annotations.find(seccomp_pod); annotation && context.has("seccompProfile")) {
    check_agrees(context.child("seccompProfile"), {"seccomp", *annotation, context.object("seccompProfile")});
  }
  each_container(spec, [&](const Scope& container) {
    const Scope own = container.child("securityContext");
    const auto annotation =
        annotations.find(std::string(seccomp_container) + std::string(container.text("name")));
    if (annotation && own.has("seccompProfile"))
      check_agrees(own.child("seccompProfile"), {"seccomp", *annotation, own.object("seccompProfile")});
  });
  if (spec.facts().os == "windows") return;
  each_container(spec, [&](const Scope& container) {
    const Scope own = container.child("securityContext");
    const bool has_own = own.has("appArmorProfile");
    const auto annotation = annotations.find(std::string(app_armor) + std::string(container.text("name")));
    if (!annotation || (!has_own && !context.has("appArmorProfile"))) return;
    check_agrees(own.child("appArmorProfile"),
                 {"apparmor", *annotation,
                  has_own ? own.object("appArmorProfile") : context.object("appArmorProfile")});
  });
}

void check_annotation_changes(const Scope& metadata, const k8s::StringMap& annotations,
                              const k8s::StringMap& old) {
  const Path path = metadata.path().child("annotations");
  const auto forbid = [&](std::string_view key, std::string_view how, bool added) {
    const std::string verb = added ? "may not add " : "may not remove or update ";
    metadata.other(metadata.json(), path.key(key)).forbidden(".", verb + std::string(how));
  };
  for (const auto& [key, value] : old) {
    if (annotations.find(key) == std::optional(value)) continue;
    if (key.starts_with(app_armor)) forbid(key, "AppArmor annotations", false);
    if (key == mirror) forbid(key, "mirror pod annotation", false);
  }
  for (const auto& [key, value] : annotations) {
    if (old.contains(key)) continue;
    if (key.starts_with(app_armor)) forbid(key, "AppArmor annotations", true);
    if (key == mirror) forbid(key, "mirror pod annotation", true);
  }
}

}  // namespace fairway::apiserver::validation
