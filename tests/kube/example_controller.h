// SPDX-License-Identifier: Apache-2.0

// The example of docs/controllers.md, which is this file from "begin" to "end".
#pragma once

// begin
#include "fairway/k8s/core.h"
#include "fairway/kube/controller/finalizer.h"
#include "fairway/kube/controller/manager.h"

namespace example {

using namespace fairway;

class Greeting : public k8s::Dynamic {  // spec.text, spec.names: the ConfigMap with the names
 public:
  static constexpr k8s::Resource resource{"example.com", "v1", "Greeting", "greetings"};
  using Dynamic::Dynamic;
  std::string_view greeting() const { return text("spec.text", "Hello"); }
  std::string_view names() const { return text("spec.names"); }
};

/// Reconciles the ConfigMap with the greetings. Level-triggered: it gets the object, not an event, and may be
/// called at any time.
Result<kube::Requeue> reconcile(const kube::Context& context, const Greeting& greeting) {
  const auto delete_greetings = [&]() -> Result<void> {
    context.info("deleting the greetings");
    return {};
  };
  const auto state =
      kube::finalize(context.client(), greeting, "example.com/greetings", delete_greetings, context.limits());
  if (!state) return fail(state.error());
  if (*state == kube::FinalizerState::finished) return kube::done();

  const auto names = context.informers().get<k8s::ConfigMap>().find(
      {context.key().namespace_name, std::string(greeting.names())}, context.limits());
  if (!names) return fail(names.error());  // the informer cannot say
  if (!*names) {
    context.events().warning(greeting, "ConfigMapNotFound", "there is no such ConfigMap");
    return kube::requeue_after(std::chrono::minutes(10));
  }
  auto greetings =
      k8s::make<k8s::ConfigMap>(std::string(greeting.name()) + "-greetings", greeting.namespace_name());
  for (const auto& [key, name] : (*names)->data()) {
    greetings.set_data(key, std::string(greeting.greeting()) + ", " + std::string(name));
  }
  if (auto owned = greetings.set_owner(greeting); !owned) return kube::give_up(owned.error());
  const auto applied = context.api<k8s::ConfigMap>().apply(
      greetings, {.field_manager = "greeter", .force = true}, context.limits());
  if (!applied) return fail(applied.error());  // retried with backoff
  return kube::done();
}

/// Runs until `stop`. `status` is where /livez, /readyz and /metrics are served.
Result<void> run(std::shared_ptr<kube::Client> client, const std::string& status,
                 const std::stop_token& stop) {
  kube::Manager manager(std::move(client), {.lease = {"example-system", "greeter"}, .status_listen = status});
  const auto greetings = manager.informers().get<Greeting>();
  manager.controller<Greeting>("greeter")
      .when(kube::generation_changed)
      .owns<k8s::ConfigMap>()
      .watches<k8s::ConfigMap>([greetings](const k8s::ConfigMap& map) {
        std::vector<kube::Key> concerned;
        for (const auto& one : greetings.cached(map.namespace_name())) {
          if (one->names() == map.name()) concerned.push_back(one->key());
        }
        return concerned;
      })
      .workers(2)
      .reconcile(reconcile);
  return manager.run(stop);
}

}  // namespace example
// end
