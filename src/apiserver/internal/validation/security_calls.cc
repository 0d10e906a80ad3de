// SPDX-License-Identifier: Apache-2.0

// Security contexts, of containers and of whole Pods.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

void check_proc_mount(const Scope& context) {
  if (context.facts().host_users && context.text("procMount") == "Unmasked")
    context.invalid("procMount", "Unmasked", "`hostUsers` must be false to use `Unmasked`");
}

void check_privileges(const Scope& context) {
  if (!context.has("allowPrivilegeEscalation") || context.flag("allowPrivilegeEscalation")) return;
  if (context.flag("privileged")) {
    context.invalid(".", json::Value(context.json()),
                    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
  // Kubernetes repeats the error, and the context in it, for each time that the capability is in the list.
  const auto added = context.child("capabilities").texts("add");
  if (std::ranges::find(added, "CAP_SYS_ADMIN") != added.end()) {
    context.invalid(".", json::Value(context.json()),
                    "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
  }
}

void check_seccomp_profile(const Scope& profile) {
  constexpr std::string_view field = "localhostProfile";
  if (profile.text("type") != "Localhost") {
    if (profile.has(field))
      profile.invalid(field, json::Value(profile.json()), "can only be set when seccomp type is Localhost");
  } else if (!profile.has(field)) {
    profile.required(field, "must be set when seccomp type is Localhost");
  } else {
    profile.faults(field, profile.text(field), check_descending_path(profile.text(field)));
  }
}

void check_app_armor_profile(const Scope& profile) {
  constexpr std::string_view field = "localhostProfile";
  constexpr std::size_t longest = 4095;
  const std::string_view type = profile.text("type"), name = profile.text(field);
  if (type == "Localhost") {
    if (!profile.has(field)) {
      profile.required(field, "must be set when AppArmor type is Localhost");
      return;
    }
    if (trim(name) != name) {
      profile.invalid(field, json::Value(name), "must not be padded with whitespace");
    } else if (name.empty()) {
      profile.required(field, "must be set when AppArmor type is Localhost");
    }
    if (name.size() > longest) profile.too_long(field, longest);
  } else if (type == "RuntimeDefault" || type == "Unconfined") {
    if (profile.has(field))
      profile.invalid(field, json::Value(name), "can only be set when AppArmor type is Localhost");
  } else if (type.empty()) {
    profile.required("type", "type is required when appArmorProfile is set");
  } else {
    profile.not_supported("type", json::Value(type), {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

void check_shared_processes(const Scope& spec) {
  if (spec.facts().host_pid && spec.flag("shareProcessNamespace"))
    spec.invalid("shareProcessNamespace", true, "ShareProcessNamespace and HostPID cannot both be enabled");
}

bool is_sysctl_name(std::string_view name) {
  constexpr std::size_t longest = 253;
  if (name.size() > longest) return false;
  std::string dotted(name);
  std::ranges::replace(dotted, '/', '.');
  const auto fits_end = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto parts = split(dotted, '.');
  return std::ranges::all_of(parts, [&](std::string_view part) {
    return !part.empty() && fits_end(part.front()) && fits_end(part.back()) &&
           std::ranges::all_of(part, [&](char c) { return fits_end(c) || c == '-' || c == '_'; });
  });
}

/// Returns a sysctl's name with dots between its parts, the first of which says what it separates.
std::string normal_sysctl(std::string_view name) {
  std::string made(name);
  const std::size_t first = made.find_first_of("./");
  if (first == std::string::npos || made[first] == '.') return made;
  for (char& c : made) {
    if (c == '/') {
      c = '.';
    } else if (c == '.') {
      c = '/';
    }
  }
  return made;
}

void check_sysctls(const Scope& context) {
  constexpr std::array<std::string_view, 10> of_ipc{"kernel.sem",    "kernel.shm",
                                                    "kernel.shmall", "kernel.shmmax",
                                                    "kernel.shmmni", "kernel.shm_rmid_forced",
                                                    "kernel.msg",    "kernel.msgmax",
                                                    "kernel.msgmnb", "kernel.msgmni"};
  std::set<std::string_view> names;
  const PodFacts& facts = context.facts();
  context.each("sysctls", [&](const Scope& one, std::size_t) {
    const std::string_view name = one.text("name");
    if (name.empty()) {
      one.required("name");
    } else if (!is_sysctl_name(name)) {
      one.invalid("name", json::Value(name),
                  "must have at most 253 characters and match regex "
                  "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
    } else if (names.contains(name)) {
      one.duplicate("name", json::Value(name));
    }
    const std::string normal = normal_sysctl(name);
    const bool is_ipc = normal.starts_with("fs.mqueue.") || std::ranges::find(of_ipc, normal) != of_ipc.end();
    if (facts.host_network && normal.starts_with("net.")) {
      one.invalid("name", json::Value(name), "may not be specified when 'hostNetwork' is true");
    } else if (facts.host_ipc && is_ipc) {
      one.invalid("name", json::Value(name), "may not be specified when 'hostIPC' is true");
    }
    names.insert(name);
  });
}

constexpr std::array calls{
    NamedCall{"proc_mount", &check_proc_mount},
    NamedCall{"privileges", &check_privileges},
    NamedCall{"seccomp_profile", &check_seccomp_profile},
    NamedCall{"app_armor_profile", &check_app_armor_profile},
    NamedCall{"shared_processes", &check_shared_processes},
    NamedCall{"sysctls", &check_sysctls},
};

}  // namespace

std::span<const NamedCall> security_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
