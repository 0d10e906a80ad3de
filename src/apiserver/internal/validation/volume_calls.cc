// SPDX-License-Identifier: Apache-2.0

// The volumes of a Pod: their names, and which other parts they belong to.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/each_container.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/quantity.h"

namespace fairway::apiserver::validation {
namespace {

/// Checks the volumes, and keeps those that are valid for the rules about containers.
void check_volumes(const Scope& spec) {
  const std::string prefix = std::string(spec.facts().name) + "-";
  std::set<std::string> made;
  std::set<std::string_view> names;
  spec.each("volumes", [&](const Scope& volume, std::size_t) {
    if (volume.has("ephemeral") && !spec.facts().name.empty())
      made.insert(prefix + std::string(volume.text("name")));
  });
  spec.each("volumes", [&](const Scope& volume, std::size_t) {
    const std::size_t before = volume.errors().size();
    const std::string_view name = volume.text("name");
    check_type("Volume", volume);
    if (name.empty()) {
      volume.required("name");
    } else {
      volume.faults("name", name, k8s::check_dns_label(name));
    }
    if (names.contains(name)) volume.duplicate("name", json::Value(name));
    if (volume.errors().size() == before) {
      names.insert(name);
      spec.facts().volumes.emplace(name, &volume.json());
    }
    const Scope claim = volume.child("persistentVolumeClaim");
    if (const std::string_view claimed = claim.text("claimName"); made.contains(std::string(claimed)))
      claim.invalid("claimName", json::Value(claimed),
                    "must not reference a PVC that gets created for an ephemeral volume");
  });
}

/// Checks the name of the claim that is made for an ephemeral volume.
void check_ephemeral_name(const Scope& volume) {
  const std::string_view pod = volume.facts().name, name = volume.text("name");
  if (!volume.has("ephemeral") || pod.empty() || name.empty()) return;
  const std::string claim = std::string(pod) + "-" + std::string(name);
  for (const std::string& fault : k8s::check_dns_subdomain(claim))
    volume.invalid("name", json::Value(name), "PVC name \"" + claim + "\": " + fault);
}

void check_iscsi_name(const Scope& volume) {
  constexpr std::size_t longest = 64;
  const Scope source = volume.child("iscsi");
  const std::string_view name = volume.text("name");
  if (source.has("initiatorName") && name.size() + 1 + source.text("targetPortal").size() > longest) {
    volume.invalid("name", json::Value(name),
                   "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
                   "iscsi.initiatorName is specified.");
  }
}

/// Checks that files with the environment of containers are in volumes of the Pod's own.
void check_file_key_volumes(const Scope& spec) {
  std::map<std::string_view, const json::Object*> volumes;
  spec.each("volumes",
            [&](const Scope& volume, std::size_t) { volumes[volume.text("name")] = &volume.json(); });
  each_container(spec, [&](const Scope& container) {
    container.each("env", [&](const Scope& variable, std::size_t) {
      const Scope from = variable.child("valueFrom");
      if (!from.has("fileKeyRef")) return;
      const Scope file = from.child("fileKeyRef");
      const std::string_view name = file.text("volumeName");
      const auto volume = volumes.find(name);
      if (volume == volumes.end()) {
        file.not_found("volumeName", json::Value(name));
      } else if (!volume->second->contains("emptyDir")) {
        file.invalid("volumeName", json::Value(name), "referenced volume must be of type emptyDir");
      }
    });
  });
}

/// Checks that tokens are only asked for where there is an account.
void check_token_accounts(const Scope& spec) {
  if (!spec.text("serviceAccountName").empty()) return;
  spec.each("volumes", [](const Scope& volume, std::size_t) {
    const Scope projected = volume.child("projected");
    projected.each("sources", [](const Scope& source, std::size_t) {
      if (source.has("serviceAccountToken"))
        source.forbidden("serviceAccountToken", "must not be specified when serviceAccountName is not set");
    });
  });
}

void check_size_limit(const Scope& source) {
  const json::Value* limit = source.find("sizeLimit");
  if (limit != nullptr && Quantity::of(*limit).is_negative())
    source.forbidden("sizeLimit", "SizeLimit field must be a valid resource quantity");
}

void check_host_path_type(const Scope& source) {
  const std::vector<std::string_view> known{
      "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"};
  if (source.text("path").empty() || !source.has("type")) return;
  if (std::ranges::find(known, source.text("type")) == known.end())
    source.not_supported("type", source.value("type"), known);
}

void check_image_reference(const Scope& source) {
  if (source.facts().is_pod && source.text("reference").empty()) source.required("reference");
}

void check_pod_claims(const Scope& spec) {
  std::set<std::string_view> names;
  spec.each("resourceClaims", [&](const Scope& claim, std::size_t) {
    const std::string_view name = claim.text("name");
    if (name.empty()) {
      claim.required("name");
    } else if (names.contains(name)) {
      claim.duplicate("name", json::Value(name));
    } else {
      claim.faults("name", name, k8s::check_dns_label(name));
      names.insert(name);
    }
    const bool by_name = claim.has("resourceClaimName"), by_template = claim.has("resourceClaimTemplateName");
    if (by_name && by_template) {
      claim.invalid(".", json::Value(claim.json()),
                    "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    }
    if (!by_name && !by_template)
      claim.invalid(".", json::Value(claim.json()),
                    "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    check_type("PodResourceClaim", claim);
  });
}

constexpr std::array calls{
    NamedCall{"volumes", &check_volumes},
    NamedCall{"ephemeral_name", &check_ephemeral_name},
    NamedCall{"iscsi_name", &check_iscsi_name},
    NamedCall{"file_key_volumes", &check_file_key_volumes},
    NamedCall{"token_accounts", &check_token_accounts},
    NamedCall{"size_limit", &check_size_limit},
    NamedCall{"host_path_type", &check_host_path_type},
    NamedCall{"image_reference", &check_image_reference},
    NamedCall{"pod_claims", &check_pod_claims},
};

}  // namespace

std::span<const NamedCall> volume_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
