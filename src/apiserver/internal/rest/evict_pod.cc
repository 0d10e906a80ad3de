// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/status_condition.h"
#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/body.h"
#include "apiserver/internal/rest/pod_requests.h"
#include "apiserver/internal/rest/read_core_object.h"
#include "apiserver/internal/rest/typed_body.h"
#include "k8s/label_selector.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

using namespace std::chrono_literals;

const k8s::GroupVersionKind eviction_kind{"policy", "v1", "Eviction"};
constexpr std::string_view violates = "Cannot evict pod as it would violate the pod's disruption budget.",
                           budget_cause = "DisruptionBudget";
/// Number of writes of others after which an eviction is refused.
constexpr int attempts = 20;
/// Number of evictions that the controller of budgets may not have seen yet.
constexpr std::size_t most_disrupted = 2000;

k8s::Status try_later(std::string_view budget) {
  k8s::Status status = k8s::answer::too_many_requests(violates, 10s);
  status.add_cause(budget_cause, "The disruption budget " + std::string(budget) +
                                     " is still being processed by the server.");
  return status;
}

/// Returns the refusal by a budget that allows no eviction now.
k8s::Status refused(const k8s::Dynamic& budget) {
  const std::string name(budget.name());
  std::string condition_reason, condition_message;
  for (const k8s::View& condition : budget.items("status.conditions")) {
    if (condition.text("type") != "DisruptionAllowed" || condition.text("status") != "False") continue;
    condition_reason = condition.text("reason");
    condition_message = condition.text("message");
  }
  const std::int64_t healthy = budget.integer("status.currentHealthy"),
                     needed = budget.integer("status.desiredHealthy");
  std::string why = "The disruption budget " + name + " does not allow evicting pods currently";
  if (condition_reason == "SyncFailed" && !condition_message.empty()) {
    why += " because it failed sync: " + condition_message;
  } else if (healthy <= needed) {
    why = "The disruption budget " + name + " needs " + std::to_string(needed) + " healthy pods and has " +
          std::to_string(healthy) + " currently";
  } else if (!condition_message.empty()) {
    why += " (" + condition_reason + "): " + condition_message;
  }
  k8s::Status status = k8s::answer::too_many_requests(violates, 0s);
  status.add_cause(budget_cause, why);
  return status;
}

/// Returns whether a Pod serves nobody, or is already being deleted.
bool needs_no_budget(const k8s::Dynamic& pod) {
  const std::string_view phase = pod.text("status.phase");
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" || pod.is_being_deleted();
}

bool is_ready(const k8s::Dynamic& pod) {
  for (const k8s::View& condition : pod.items("status.conditions")) {
    if (condition.text("type") == "Ready") return condition.text("status") == "True";
  }
  return false;
}

/// The eviction of one Pod.
class Eviction {
 public:
  Eviction(const Services& services, Call& call, k8s::DeleteOptions options)
      : objects_(services.objects),
        key_(call.key()),
        pods_(services.objects.registry().find({"", "v1", "pods"})),
        budgets_(services.objects.registry().find({"policy", "v1", "poddisruptionbudgets"})),
        options_(std::move(options)),
        context_{.user = call.user, .dry_run = options_.dry_run, .warnings = &call.warnings} {}

  k8s::StatusResult<void> run() {
    for (int attempt = 1;; ++attempt) {
      const auto pod = read_core_object(objects_, "pods", key_);
      if (!pod) return std::unexpected(pod.error());
      if (!needs_no_budget(*pod)) return run_within_budget(*pod);
      k8s::DeleteOptions options = options_;
      const bool was_set = !options.resource_version.empty();
      const bool is_pending = pod->text("status.phase") == "Pending" && !pod->is_being_deleted();
      // It may become ready at this moment.
      if (is_pending && !was_set) options.resource_version = pod->resource_version();
      auto done = remove(std::move(options));
      if (done || was_set || attempt == attempts || !done.error().is_failure(k8s::reason::conflict)) {
        return done;
      }
    }
  }

 private:
  k8s::StatusResult<void> run_within_budget(const k8s::Dynamic& pod) {
    const auto budgets = budgets_of(pod);
    if (!budgets) return std::unexpected(budgets.error());
    if (budgets->size() > 1) {
      return std::unexpected(
          k8s::Status::of({.message = "This pod has more than one PodDisruptionBudget, which the "
                                      "eviction subresource does not support.",
                           .code = 500}));
    }
    if (budgets->empty()) return remove(options_);
    const k8s::Dynamic& budget = budgets->front();
    if (!may_go_unready(pod, budget)) {
      if (auto counted = count_in(budget.key()); !counted) return counted;
      return remove(options_);
    }
    k8s::DeleteOptions options = options_;
    // It may become ready at this moment.
    options.resource_version = pod.resource_version();
    auto done = remove(std::move(options));
    if (!done && options_.resource_version.empty() && done.error().is_failure(k8s::reason::conflict)) {
      return std::unexpected(try_later(budget.name()));
    }
    return done;
  }

  k8s::StatusResult<std::vector<k8s::Dynamic>> budgets_of(const k8s::Dynamic& pod) {
    const auto all =
        objects_.storage().list({.resource = budgets_->storage, .namespace_name = key_.namespace_name});
    if (!all) return std::unexpected(resources::status_of(all.error()));
    std::vector<k8s::Dynamic> found;
    for (const storage::RecordPtr& record : all->records) {
      k8s::Dynamic budget = resources::parse(*record);
      const json::Value* selector = budget.find("spec.selector");
      if (selector == nullptr || selector->is_null()) continue;
      const auto parsed = k8s::LabelSelector::from(selector);
      if (parsed && parsed->matches(pod.labels())) found.push_back(std::move(budget));
    }
    return found;
  }

  /// Returns whether a Pod may be evicted because it is not ready, and thus not part of the count of a
  /// budget.
  static bool may_go_unready(const k8s::Dynamic& pod, const k8s::Dynamic& budget) {
    if (is_ready(pod)) return false;
    if (budget.text("spec.unhealthyPodEvictionPolicy") == "AlwaysAllow") return true;
    const std::int64_t needed = budget.integer("status.desiredHealthy");
    return needed > 0 && budget.integer("status.currentHealthy") >= needed;
  }

  /// Counts the eviction in the budget's status, if it allows one more.
  k8s::StatusResult<void> count_in(const k8s::Key& budget) {
    const WallTime now = objects_.clock().now();
    const objects::Objects::UpdateRequest request{
        .key = budget, .part = resources::Part::status, .transform = [&](const k8s::Dynamic* current) {
          return counted(*current, now);
        }};
    const auto done = objects_.update(*budgets_, request, context_);
    if (!done) return std::unexpected(done.error());
    return {};
  }

  k8s::StatusResult<k8s::Dynamic> counted(const k8s::Dynamic& budget, WallTime now) const {
    const auto forbid = [&](std::string_view why) {
      return std::unexpected(k8s::answer::forbidden({"policy", "poddisruptionbudget"}, budget.name(), why));
    };
    if (budget.integer("status.observedGeneration") < budget.generation()) {
      return std::unexpected(try_later(budget.name()));
    }
    const std::int64_t allowed = budget.integer("status.disruptionsAllowed");
    if (allowed < 0) return forbid("pdb disruptions allowed is negative");
    if (const json::Value* pods = budget.find("status.disruptedPods");
        pods != nullptr && pods->is_object() && pods->get_object().size() > most_disrupted) {
      return forbid("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
    }
    if (allowed == 0) return std::unexpected(refused(budget));
    k8s::Dynamic next = budget;
    next.set("status.disruptionsAllowed", json::Value(allowed - 1));
    if (allowed == 1) {
      objects::set_status_condition(next, "DisruptionAllowed", false, "InsufficientPods", "", now);
      for (k8s::Editor& condition : next.edit_items("status.conditions")) {
        if (condition.text("type") != "DisruptionAllowed") continue;
        condition.set("observedGeneration", json::Value(budget.integer("status.observedGeneration")));
        // A Condition has it always.
        condition.set("message", "");
      }
    }
    k8s::Dynamic time;
    time.set_time("at", now);
    next.set_entry("status.disruptedPods", key_.name, time.text("at"));
    return next;
  }

  /// Sets the disruption condition in the Pod's status, and deletes the Pod.
  k8s::StatusResult<void> remove(k8s::DeleteOptions options) {
    if (!context_.dry_run) {
      auto marked = mark(options);
      if (!marked) return std::unexpected(marked.error());
      if (!options.resource_version.empty()) options.resource_version = *marked;
    }
    const auto done = objects_.remove(*pods_, key_, options, context_);
    if (!done) return std::unexpected(done.error());
    return {};
  }

  /// Sets the disruption condition. Returns the Pod's new resourceVersion.
  k8s::StatusResult<std::string> mark(const k8s::DeleteOptions& options) {
    const WallTime now = objects_.clock().now();
    const auto differs = [&](const std::string& what, const std::string& wanted, std::string_view there,
                             std::string_view guess) {
      return std::unexpected(k8s::answer::conflict(
          {"", "Pod"}, key_.name,
          "the " + what + " in the precondition (" + wanted + ") does not match the " + what +
              " in record (" + std::string(there) + "). The object might have been " + std::string(guess)));
    };
    const objects::Objects::UpdateRequest request{
        .key = key_,
        .part = resources::Part::status,
        .transform = [&](const k8s::Dynamic* pod) -> k8s::StatusResult<k8s::Dynamic> {
          if (!options.uid.empty() && options.uid != pod->uid()) {
            return differs("UID", options.uid, pod->uid(), "deleted and then recreated");
          }
          if (!options.resource_version.empty() && options.resource_version != pod->resource_version()) {
            return differs("ResourceVersion", options.resource_version, pod->resource_version(), "modified");
          }
          k8s::Dynamic next = *pod;
          objects::set_status_condition(next, "DisruptionTarget", true, "EvictionByEvictionAPI",
                                        "Eviction API: evicting", now);
          return next;
        }};
    const auto done = objects_.update(*pods_, request, context_);
    if (!done) return std::unexpected(done.error());
    const auto pod = k8s::Dynamic::parse(*done->text);
    if (!pod) return std::unexpected(k8s::answer::internal_error(pod.error().message));
    return std::string(pod->resource_version());
  }

  objects::Objects& objects_;
  k8s::Key key_;
  resources::ServedResourcePtr pods_, budgets_;
  k8s::DeleteOptions options_;
  objects::WriteContext context_;
};

k8s::StatusResult<k8s::DeleteOptions> options_of(const k8s::Dynamic& eviction, bool dry_run) {
  const json::Value* given = eviction.find("deleteOptions");
  const bool is_given = given != nullptr && given->is_object();
  auto options = k8s::parse_delete_options({}, is_given ? json::to_text(*given) : std::string());
  if (options) options->dry_run |= dry_run;
  return options;
}

}  // namespace

VerbResult evict_pod(const Services& services, Call& call) {
  const auto create_options = k8s::parse_create_options(call.query);
  if (!create_options) return std::unexpected(create_options.error());
  auto eviction = read_object(call, eviction_kind);
  if (!eviction) return std::unexpected(eviction.error());
  if (auto typed = make_typed(call, *eviction, eviction_kind, create_options->validation); !typed) {
    return std::unexpected(typed.error());
  }
  const auto check = [&]() -> k8s::StatusResult<void> {
    if (call.path.name == eviction->name()) return {};
    return std::unexpected(k8s::answer::bad_request("name in URL does not match name in Eviction object"));
  };
  // The Pod's deletion is part of what was asked: nobody is asked about that as well.
  if (auto admitted = admit_request(services, call, *eviction, eviction_kind, *create_options, check);
      !admitted) {
    return std::unexpected(admitted.error());
  }
  auto options = options_of(*eviction, create_options->dry_run);
  if (!options) return std::unexpected(options.error());
  if (auto done = Eviction(services, call, *std::move(options)).run(); !done) {
    return std::unexpected(done.error());
  }
  return reply_created(call);
}

}  // namespace fairway::apiserver::rest
