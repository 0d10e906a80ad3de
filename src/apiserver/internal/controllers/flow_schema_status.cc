// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/flow_schema_status.h"

#include <set>
#include <string_view>
#include <utility>

#include "apiserver/internal/controllers/is_gone.h"
#include "apiserver/internal/flow/default_configuration.h"
#include "apiserver/internal/objects/object_text.h"

namespace fairway::apiserver::controllers {
namespace {

constexpr std::string_view schemas = "flowcontrol.apiserver.k8s.io/flowschemas",
                           levels = "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
                           manager = "api-priority-and-fairness-config-consumer-v1";

}  // namespace

void FlowSchemaStatus::observe(const Observed& observed) {
  // Levels matter when they come and go.
  due_ |= observed.resource == schemas || observed.resource == levels;
}

void FlowSchemaStatus::resync(const std::string& resource) {
  due_ |= resource == schemas || resource == levels;
}

bool FlowSchemaStatus::work() {
  if (!std::exchange(due_, false)) return true;
  const auto resource = objects_.registry().find({"flowcontrol.apiserver.k8s.io", "v1", "flowschemas"});
  // A cluster may have the group disabled.
  if (resource == nullptr) return true;
  const auto all = objects_.storage().list({.resource = std::string(schemas)});
  const auto present = objects_.storage().list({.resource = std::string(levels)});
  if (!all || !present) {
    due_ = true;
    return false;
  }
  std::set<std::string, std::less<>> names;
  for (const storage::RecordPtr& record : present->records) names.emplace(record->name());
  for (const storage::RecordPtr& record : all->records) {
    auto document = json::parse(record->json());
    if (!document || !document->is_object()) continue;
    k8s::Dynamic schema(std::move(document->get_object()));
    const auto write = [&](k8s::Dynamic& one) {
      const bool exists = names.contains(one.text("spec.priorityLevelConfiguration.name"));
      return flow::write_dangling(one, exists, objects_.clock().now());
    };
    if (!write(schema)) continue;
    const objects::Objects::UpdateRequest request{
        .key = {"", std::string(record->name())},
        .part = resources::Part::status,
        .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
          k8s::Dynamic changed = *current;
          write(changed);
          return changed;
        }};
    const objects::WriteContext context{
        .user = {.name = "system:apiserver", .groups = {std::string(access::masters_group)}},
        .field_manager = std::string(manager)};
    const auto done = objects_.update(*resource, request, context);
    if (!done && !is_gone(done.error())) due_ = true;
  }
  return !due_;
}

}  // namespace fairway::apiserver::controllers
