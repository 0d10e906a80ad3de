// SPDX-License-Identifier: Apache-2.0

#include "program/tiny_operator.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "command_line/help.h"
#include "command_line/run.h"
#include "command_line/settings.h"
#include "k8s/core.h"
#include "program/run.h"

namespace fairway::program::testing {
namespace {

constexpr const char* gadgets = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets}
  versions:
  - {name: v1, served: true, storage: true}
  - {name: v1beta1, served: true, storage: false}
)";
constexpr const char* gizmos = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gizmo, plural: gizmos}
  versions:
  - {name: v1, served: true, storage: true}
)";

Result<kube::Requeue> copy(const kube::Context& context, const k8s::ConfigMap& map,
                           const std::string& greeting) {
  if (map.name().ends_with("-copy")) return kube::done();
  auto made = k8s::make<k8s::ConfigMap>(std::string(map.name()) + "-copy", map.namespace_name());
  made.set_data("greeting", greeting);
  const auto applied = context.api<k8s::ConfigMap>().apply(made, {.field_manager = "tiny"}, context.limits());
  if (!applied) return fail(applied.error());
  return kube::done();
}

std::vector<webhook::Handler> guard(kube::Client& /*client*/, metrics::Registry& metrics) {
  webhook::AdmissionWebhook maps;
  maps.name = "maps.tiny.example.com";
  maps.versions = {"v1"};
  maps.resources = {"configmaps"};
  return {webhook::admission_handler(
      "/maps", [](const webhook::AdmissionRequest&) { return webhook::AdmissionAnswer::allow(); }, metrics,
      {maps})};
}

}  // namespace

Operator tiny_operator(const std::string& parts) {
  const auto greeting = std::make_shared<std::string>("hello");
  Operator tiny{.name = "tiny", .description = "Copies ConfigMaps.", .release = "1.0.0"};
  for (const std::string_view part : split(parts, ',')) {
    if (part == "controllers") {
      tiny.controllers = [greeting](kube::Manager& manager) {
        manager.controller<k8s::ConfigMap>("copies").reconcile(
            [greeting](const kube::Context& context, const k8s::ConfigMap& map) {
              return copy(context, map, *greeting);
            });
      };
    } else if (part == "flags") {
      tiny.flags = [greeting](CLI::App& command) {
        command.add_option("--greeting", *greeting, "What copies say")
            ->type_name("TEXT")
            ->capture_default_str()
            ->group("Copies");
      };
    } else if (part == "kinds") {
      tiny.definitions += std::string("---\n") + gadgets;
      tiny.kinds = [](conversion::Converters& converters) {
        converters.kind("example.com", "Gadget")
            .storage("v1")
            .step(
                "v1beta1", "v1",
                [](k8s::Dynamic object) -> Result<k8s::Dynamic> {
                  if (object.has("spec.broken"))
                    return conversion::invalid_field("spec.broken", "it has no v1");
                  return object;
                },
                conversion::same_schema);
      };
    } else if (part == "definitions") {
      tiny.definitions += std::string("---\n") + gizmos;
    } else if (part == "admission") {
      tiny.handlers = guard;
    } else if (part == "alone") {
      tiny.leader_election = false;
    }
  }
  return tiny;
}

int run_role(int argc, char** argv) {
  const Operator tiny = tiny_operator(argv[2]);
  argv[2] = argv[0];
  if (std::string_view(argv[1]) == "operate") return run(tiny, argc - 2, argv + 2);
  CLI::App app{"A tool.", "tool"};
  app.formatter(std::make_shared<command_line::HelpFormatter>());
  app.require_subcommand(1);
  command_line::Context context;
  context.root = &app;
  add_to(app, context, tiny, "greet");
  command_line::add_settings(app, "tool");
  return command_line::run(app, context, argc - 2, argv + 2);
}

}  // namespace fairway::program::testing
