// SPDX-License-Identifier: Apache-2.0

// The system that a Pod is for, and what it shares with its node.
#include <array>
#include <optional>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/each_container.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/windows_user.h"

namespace fairway::apiserver::validation {
namespace {

void check_windows_options(const Scope& options) {
  constexpr std::string_view spec_name = "gmsaCredentialSpecName", spec = "gmsaCredentialSpec";
  constexpr std::size_t longest = std::size_t{64} << 10;
  if (options.has(spec_name))
    options.faults(spec_name, options.text(spec_name), k8s::check_dns_subdomain(options.text(spec_name)));
  if (options.has(spec)) {
    const std::string_view text = options.text(spec);
    if (text.empty()) options.invalid(spec, "", "gmsaCredentialSpec cannot be an empty string");
    if (text.size() > longest)
      options.invalid(spec, json::Value(text), "gmsaCredentialSpec size must be under 64 KiB");
  }
  constexpr std::string_view user = "runAsUserName";
  if (options.has(user)) options.faults(user, options.text(user), check_windows_user(options.text(user)));
}

/// Returns whether a container is a process of the node; std::nullopt if it does not say.
std::optional<bool> host_process(const Scope& of) {
  const Scope options = of.child("securityContext").child("windowsOptions");
  if (!options.has("hostProcess")) return std::nullopt;
  return options.flag("hostProcess");
}

void check_host_processes(const Scope& spec) {
  const std::optional<bool> of_pod = host_process(spec);
  std::size_t count = 0, processes = 0;
  each_container(spec, [&](const Scope& container) {
    ++count;
    const std::optional<bool> own = host_process(container);
    if (of_pod && own && *of_pod != *own) {
      const Scope context = container.child("securityContext"), options = context.child("windowsOptions");
      options.invalid("hostProcess", *own,
                      std::string("pod hostProcess value must be identical if both are specified, was ") +
                          (*of_pod ? "true" : "false"));
    }
    if (own.value_or(of_pod.value_or(false))) ++processes;
  });
  if (processes == 0) return;
  if (processes != count)
    spec.invalid(
        ".", "",
        "If pod contains any hostProcess containers then all containers must be HostProcess containers");
  if (!spec.facts().host_network)
    spec.invalid("hostNetwork", false, "hostNetwork must be true if pod contains any hostProcess containers");
}

void check_host_users(const Scope& spec) {
  constexpr std::string_view why = "when `hostUsers` is false";
  const PodFacts& facts = spec.facts();
  if (facts.host_users) return;
  if (facts.host_network) spec.forbidden("hostNetwork", why);
  if (facts.host_pid) spec.forbidden("HostPID", why);
  if (facts.host_ipc) spec.forbidden("HostIPC", why);
  each_container(spec, [&](const Scope& container) {
    if (!container.list("volumeDevices").empty()) container.forbidden("volumeDevices", why);
  });
}

/// Checks that a Pod in the network of its node has the same ports there.
void check_host_ports(const Scope& spec) {
  if (!spec.facts().host_network) return;
  spec.each("containers", [&](const Scope& container, std::size_t) {
    container.each("ports", [&](const Scope& port, std::size_t) {
      const std::int64_t on_host = port.integer("hostPort").value_or(0),
                         own = port.integer("containerPort").value_or(0);
      if ((spec.facts().is_pod || on_host != 0) && on_host != own)
        port.invalid("hostPort", json::Value(on_host),
                     "must match `containerPort` when `hostNetwork` is true");
    });
  });
}

void check_host_name(const Scope& spec) {
  constexpr std::string_view field = "hostnameOverride";
  constexpr std::size_t longest = 64;
  if (!spec.has(field)) return;
  if (spec.flag("setHostnameAsFQDN"))
    spec.forbidden(field, "may not be specified when setHostnameAsFQDN is true");
  if (spec.facts().host_network) spec.forbidden(field, "may not be specified when hostNetwork is true");
  const std::string_view name = spec.text(field);
  if (name.size() > longest) spec.too_long(field, longest);
  spec.faults(field, name, k8s::check_dns_subdomain(name));
}

/// Checks what a Pod of Linux may not have, and one of Windows.
void check_os(const Scope& spec) {
  if (!spec.has("os")) return;
  const std::string_view os = spec.child("os").text("name");
  if (os.empty()) {
    const Scope at = spec.child("os");
    at.required("name");
  } else if (os == "linux") {
    check_type("LinuxSecurityContext", spec.child("securityContext"));
    each_container(
        spec, [](const Scope& one) { check_type("LinuxSecurityContext", one.child("securityContext")); });
  } else if (os == "windows") {
    check_type("WindowsPodSecurityContext", spec.child("securityContext"));
    check_type("WindowsPod", spec);
    each_container(
        spec, [](const Scope& one) { check_type("WindowsSecurityContext", one.child("securityContext")); });
  } else {
    spec.not_supported("os", json::Value(os), {"linux", "windows"});
  }
}

constexpr std::array calls{
    NamedCall{"windows_options", &check_windows_options},
    NamedCall{"host_processes", &check_host_processes},
    NamedCall{"host_users", &check_host_users},
    NamedCall{"host_ports", &check_host_ports},
    NamedCall{"host_name", &check_host_name},
    NamedCall{"os", &check_os},
};

}  // namespace

std::span<const NamedCall> system_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
