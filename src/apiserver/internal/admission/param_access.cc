// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/param_access.h"

#include <string>
#include <string_view>

#include "apiserver/internal/objects/object_text.h"
#include "base/text.h"
#include "k8s/equality.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::admission {

namespace {

/// Returns a user as Go's %v prints it, as it is in kube-apiserver's messages.
std::string printed(const access::User& user) {
  std::string extra;
  for (const auto& [key, values] : user.extra) {
    extra += (extra.empty() ? "" : " ") + key + ":[" + join(values, " ") + "]";
  }
  return "&{" + user.name + " " + user.uid + " [" + join(user.groups, " ") + "] map[" + extra + "]}";
}

/// The resource that a right is needed for; all resources if the kind is not known.
struct ParamResource {
  std::string group = "*", version = "*", resource = "*";
  bool is_resolved = false;
};

ParamResource resolve(const resources::ResourceRegistry& registry, const k8s::View& param_kind) {
  ParamResource found;
  const auto version = k8s::GroupVersion::parse(param_kind.text("apiVersion"));
  if (!version) return found;
  found.group = version->group;
  found.version = version->version;
  const resources::ServedResourcePtr served =
      registry.find_kind({found.group, found.version, std::string(param_kind.text("kind"))});
  if (served == nullptr) return found;
  found.resource = served->plural;
  found.is_resolved = true;
  return found;
}

access::Attributes reading(std::string_view verb, const ParamResource& of, std::string_view namespace_name,
                           std::string_view name) {
  return {.verb = std::string(verb),
          .is_resource = true,
          .group = of.group,
          .version = of.version,
          .resource = of.resource,
          .namespace_name = std::string(namespace_name),
          .name = std::string(name)};
}

std::optional<k8s::FieldError> check_policy_access(const ParamAccess& from, const access::User& user,
                                                   const k8s::Dynamic& policy, const k8s::Dynamic* old) {
  if (!policy.has("spec.paramKind")) return std::nullopt;
  if (old != nullptr &&
      k8s::equal_with_null_as_absent(policy.find("spec.paramKind"), old->find("spec.paramKind"))) {
    return std::nullopt;
  }
  const k8s::View kind = policy.at("spec.paramKind");
  if (from.authorize(user, reading("get", resolve(from.registry, kind), "*", "*")).allowed)
    return std::nullopt;
  return k8s::FieldError::forbidden(
      "spec.paramKind",
      "user " + printed(user) +
          " must have \"get\" permission on all objects of the referenced paramKind (kind=" +
          std::string(kind.text("kind")) + ", apiVersion=" + std::string(kind.text("apiVersion")) + ")");
}

/// Returns the policy that a binding names; std::nullopt if there is none.
std::optional<k8s::Dynamic> find_policy(const ParamAccess& from, const k8s::Dynamic& binding) {
  const bool validates = binding.kind() == "ValidatingAdmissionPolicyBinding";
  const resources::ServedResourcePtr policies =
      from.registry.find_kind({"admissionregistration.k8s.io", "v1",
                               validates ? "ValidatingAdmissionPolicy" : "MutatingAdmissionPolicy"});
  if (policies == nullptr) return std::nullopt;
  const auto record = from.storage.get({policies->storage, "", std::string(binding.text("spec.policyName"))});
  if (!record || *record == nullptr) return std::nullopt;
  return resources::parse(**record);
}

std::optional<k8s::FieldError> check_binding_access(const ParamAccess& from, const access::User& user,
                                                    const k8s::Dynamic& binding) {
  // Also of an update that leaves it as it is: kube-apiserver compares pointers, which always differ.
  if (!binding.has("spec.paramRef")) return std::nullopt;
  const k8s::View reference = binding.at("spec.paramRef");
  const std::optional<k8s::Dynamic> policy = find_policy(from, binding);
  ParamResource resource;
  const bool has_kind = policy && policy->has("spec.paramKind");
  if (has_kind) resource = resolve(from.registry, policy->at("spec.paramKind"));
  const std::string verb = reference.text("name").empty() ? "list" : "get";
  if (from.authorize(user, reading(verb, resource, reference.text("namespace"), reference.text("name")))
          .allowed) {
    return std::nullopt;
  }
  const std::string_view path = "spec.paramRef";
  const std::string who = "user " + printed(user) + " does not have \"" + verb + "\" permission ";
  if (!policy) {
    return k8s::FieldError::forbidden(path, "unable to get policy " +
                                                std::string(binding.text("spec.policyName")) +
                                                " to determine minimum required permissions and " + who +
                                                "for all groups, versions and resources");
  }
  if (has_kind && !resource.is_resolved) {
    const k8s::View kind = policy->at("spec.paramKind");
    return k8s::FieldError::forbidden(
        path, "unable to resolve paramKind &{" + std::string(kind.text("apiVersion")) + " " +
                  std::string(kind.text("kind")) + "} to determine minimum required permissions and " + who +
                  "for all groups, versions and resources");
  }
  return k8s::FieldError::forbidden(path, who + "on the object referenced by paramRef");
}

}  // namespace

std::optional<k8s::FieldError> check_param_access(const ParamAccess& from, const access::User& user,
                                                  const k8s::Dynamic& object, const k8s::Dynamic* old) {
  if (user.is_in(access::masters_group)) return std::nullopt;
  const std::string_view kind = object.kind();
  if (kind == "ValidatingAdmissionPolicy" || kind == "MutatingAdmissionPolicy")
    return check_policy_access(from, user, object, old);
  if (kind == "ValidatingAdmissionPolicyBinding" || kind == "MutatingAdmissionPolicyBinding")
    return check_binding_access(from, user, object);
  return std::nullopt;
}

}  // namespace fairway::apiserver::admission
