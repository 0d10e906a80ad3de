// SPDX-License-Identifier: Apache-2.0

// The containers of a Pod: their names, ports and hooks.
#include <array>
#include <set>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/pod_facts.h"

namespace fairway::apiserver::validation {
namespace {

using Names = std::set<std::string_view>;

Names names_of(const Scope& spec, std::string_view list) {
  Names names;
  spec.each(list, [&](const Scope& one, std::size_t) { names.insert(one.text("name")); });
  return names;
}

/// Reports ports of the node that are taken by two containers. `taken` are those of the containers before.
void check_host_ports(const Scope& container, const Path& shown, std::set<std::string>& taken) {
  const Scope at = container.other(container.json(), shown);
  const Scope ports = at;
  ports.each("ports", [&](const Scope& port, std::size_t) {
    const auto number = port.integer("hostPort");
    if (!number) return;
    const std::string text = std::string(port.text("protocol")) + "/" + std::string(port.text("hostIP")) +
                             "/" + std::to_string(*number);
    if (!taken.insert(text).second) port.duplicate("hostPort", json::Value(text));
  });
}

void check_restart_policy(const Scope& container) {
  const json::Array& rules = container.list("restartPolicyRules");
  if (!container.has("restartPolicy")) {
    if (rules.empty()) return;
    container.required("restartPolicy", "must specify restartPolicy when restart rules are used");
  } else {
    const std::string_view policy = container.text("restartPolicy");
    if (policy != "Always" && policy != "Never" && policy != "OnFailure")
      container.not_supported("restartPolicy", json::Value(policy), {"Always", "Never", "OnFailure"});
  }
  constexpr std::size_t most = 20;
  if (rules.size() > most) container.too_many("restartPolicyRules", rules.size(), most);
  container.each("restartPolicyRules",
                 [](const Scope& rule, std::size_t) { check_type("ContainerRestartRule", rule); });
}

/// Also called for a Pod, not for templates: there, such an image may stand for another one.
void check_image_blanks(const Scope& container) {
  const std::string_view image = container.text("image");
  constexpr std::string_view blanks = " \t\n\v\f\r";
  if (!image.empty() && (blanks.find(image.front()) != std::string_view::npos ||
                         blanks.find(image.back()) != std::string_view::npos))
    container.invalid("image", json::Value(image), "must not have leading or trailing whitespace");
}

void check_containers(const Scope& spec) {
  if (spec.list("containers").empty()) {
    spec.required("containers");
    return;
  }
  Names names;
  spec.each("containers", [&](const Scope& container, std::size_t) {
    check_type("Container", container);
    if (!names.insert(container.text("name")).second) container.duplicate("name", container.value("name"));
    check_type("ContainerHooks", container);
    check_restart_policy(container);
  });
  std::set<std::string> taken;
  spec.each("containers", [&](const Scope& container, std::size_t) {
    check_host_ports(container, container.path(), taken);
  });
}

void check_init_containers(const Scope& spec) {
  Names names = names_of(spec, "containers");
  const Path list = spec.path().child("initContainers"), first = list.item(0);
  spec.each("initContainers", [&](const Scope& container, std::size_t) {
    check_type("Container", container);
    if (container.has("restartPolicy") || !container.list("restartPolicyRules").empty())
      check_restart_policy(container);
    const std::string_view name = container.text("name");
    if (names.contains(name)) {
      container.duplicate("name", json::Value(name));
    } else if (!name.empty()) {
      names.insert(name);
    }
    // They run one after the other. Kubernetes names each as if it were the only one.
    std::set<std::string> taken;
    check_host_ports(container, first, taken);
    const bool stays = container.text("restartPolicy") == "Always";
    check_type(stays ? "ContainerHooks" : "NoContainerHooks", container);
    if (stays) return;
    container.each("resizePolicy", [](const Scope& policy, std::size_t) {
      if (policy.text("restartPolicy") == "RestartContainer")
        policy.invalid("restartPolicy", policy.value("restartPolicy"),
                       "must not be set to 'RestartContainer' for non-sidecar initContainers");
    });
  });
}

void check_ephemeral_containers(const Scope& spec) {
  const Names regular = names_of(spec, "containers"), init = names_of(spec, "initContainers");
  Names others = regular;
  others.insert(init.begin(), init.end());
  Names all = others;
  constexpr std::string_view refused = "cannot be set for an Ephemeral Container";
  spec.each("ephemeralContainers", [&](const Scope& container, std::size_t) {
    check_type("Container", container);
    check_image_blanks(container);
    if (!all.insert(container.text("name")).second) container.duplicate("name", container.value("name"));
    const std::string_view target = container.text("targetContainerName");
    if (!target.empty() && !others.contains(target))
      container.not_found("targetContainerName", json::Value(target));
    check_type("EphemeralContainerFields", container);
    container.each("volumeMounts", [&](const Scope& mount, std::size_t) {
      for (const std::string_view path : {"subPath", "subPathExpr"}) {
        if (mount.has(path)) mount.forbidden(path, refused);
      }
    });
  });
}

void check_ports(const Scope& container) {
  Names names;
  container.each("ports", [&](const Scope& port, std::size_t) {
    if (const std::string_view name = port.text("name"); !name.empty()) {
      const k8s::Faults faults = check_port_name(name);
      port.faults("name", name, faults);
      if (faults.empty() && !names.insert(name).second) port.duplicate("name", json::Value(name));
    }
    check_type("ContainerPort", port);
  });
}

void check_http_protocol(const Scope& get) {
  constexpr std::string_view member = "protocol";
  if (!get.has(member)) return;
  const std::string_view protocol = get.text(member);
  if (protocol != "HTTP1" && protocol != "HTTP2") {
    get.not_supported(member, json::Value(protocol), {"HTTP1", "HTTP2"});
  } else if (protocol == "HTTP2" && get.text("scheme") != "HTTP") {
    get.invalid(member, json::Value(protocol), "is only supported with HTTP (H2C)");
  } else if (protocol == "HTTP2" && !get.text("host").empty()) {
    get.invalid("host", json::Value(get.text("host")), "must be empty when `protocol` is \"HTTP2\"");
  }
}

void check_http_headers(const Scope& get) {
  get.each("httpHeaders", [&](const Scope& header, std::size_t) {
    get.faults("httpHeaders", header.text("name"), check_header_name(header.text("name")));
  });
}

void check_sleep(const Scope& sleep) {
  const auto grace = sleep.facts().grace_seconds;
  const std::int64_t seconds = sleep.integer("seconds").value_or(0);
  if (grace && (seconds < 0 || seconds > *grace)) {
    sleep.invalid(
        ".", json::Value(seconds),
        "must be non-negative and less than terminationGracePeriodSeconds (" + std::to_string(*grace) + ")");
  }
}

void check_resize_policies(const Scope& container) {
  Names resources;
  container.each("resizePolicy", [&](const Scope& policy, std::size_t) {
    const std::string_view resource = policy.text("resourceName"), restart = policy.text("restartPolicy");
    if (!resources.insert(resource).second) policy.duplicate(".", json::Value(resource));
    if (resource.empty()) {
      container.required("resizePolicy");
    } else if (resource != "cpu" && resource != "memory") {
      container.not_supported("resizePolicy", json::Value(resource), {"cpu", "memory"});
    }
    if (restart.empty()) {
      container.required("resizePolicy");
    } else if (restart != "NotRequired" && restart != "RestartContainer") {
      container.not_supported("resizePolicy", json::Value(restart), {"NotRequired", "RestartContainer"});
    }
    if (container.facts().restart_policy == "Never" && restart != "NotRequired")
      container.invalid("resizePolicy", json::Value(restart),
                        "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
  });
}

/// Checks the signal by which containers are stopped: which there are depends on the system.
void check_stop_signal(const Scope& lifecycle) {
  const std::string_view os = lifecycle.facts().os, signal = lifecycle.text("stopSignal");
  if (os.empty()) {
    lifecycle.forbidden("stopSignal", "may not be set for containers with empty `spec.os.name`");
  } else if (os == "windows" && signal != "SIGKILL" && signal != "SIGTERM") {
    lifecycle.not_supported("stopSignal", json::Value(signal), {"SIGKILL", "SIGTERM"});
  }
}

void check_blanks_of_all(const Scope& spec) {
  for (const std::string_view list : {"containers", "initContainers"})
    spec.each(list, [](const Scope& container, std::size_t) { check_image_blanks(container); });
}

constexpr std::array calls{
    NamedCall{"containers", &check_containers},
    NamedCall{"init_containers", &check_init_containers},
    NamedCall{"ephemeral_containers", &check_ephemeral_containers},
    NamedCall{"ports", &check_ports},
    NamedCall{"http_headers", &check_http_headers},
    NamedCall{"http_protocol", &check_http_protocol},
    NamedCall{"sleep", &check_sleep},
    NamedCall{"resize_policies", &check_resize_policies},
    NamedCall{"stop_signal", &check_stop_signal},
    NamedCall{"image_blanks", &check_blanks_of_all},
};

}  // namespace

std::span<const NamedCall> container_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
