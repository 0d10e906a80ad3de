// SPDX-License-Identifier: Apache-2.0

// Devices, the flow of requests, trust in signers, and migrations of what is stored.
#include <string>

#include "apiserver/internal/table/cells.h"
#include "apiserver/internal/table/printer_column.h"
#include "base/text.h"

namespace fairway::apiserver::table {
namespace {

using k8s::View;

constexpr std::string_view none = "<none>";

Row name_and_age(const View& object, WallTime now) {
  return {{name_of(object), age(object, now)}, {}};
}

std::string state_of(const View& claim) {
  const bool is_going = !claim.text("metadata.deletionTimestamp").empty();
  std::vector<std::string> states;
  if (is_going) states.emplace_back("deleted");
  if (claim.has("status.allocation")) {
    states.emplace_back("allocated");
    if (!claim.items("status.reservedFor").empty()) states.emplace_back("reserved");
  } else if (!is_going) {
    states.emplace_back("pending");
  }
  return join(states, ",");
}

Row resource_claim(const View& object, WallTime now) {
  return {{name_of(object), state_of(object), age(object, now)}, {}};
}

Row resource_slice(const View& object, WallTime now) {
  return {{name_of(object), object.text("spec.nodeName"), object.text("spec.driver"),
           object.text("spec.pool.name"), age(object, now)},
          {}};
}

Row device_taint_rule(const View& object, WallTime now) {
  constexpr std::string_view added = "spec.taint.timeAdded";
  return {{name_of(object), object.text("spec.taint.key"), object.text("spec.taint.value"),
           object.text("spec.taint.effect"),
           object.text(added).empty() ? std::string() : age(object, added, now), age(object, now)},
          {}};
}

Row flow_schema(const View& object, WallTime now) {
  std::string_view is_dangling = "?";
  for (const View& condition : object.items("status.conditions")) {
    if (condition.text("type") != "Dangling") continue;
    is_dangling = condition.text("status");
    break;
  }
  return {{name_of(object), object.text("spec.priorityLevelConfiguration.name"),
           object.integer("spec.matchingPrecedence"),
           object.has("spec.distinguisherMethod") ? object.text("spec.distinguisherMethod.type") : none,
           age(object, now), is_dangling},
          {}};
}

Row priority_level(const View& object, WallTime now) {
  const auto cell = [&](bool is_there, std::string_view path) -> json::Value {
    return is_there ? json::Value(object.integer(path)) : json::Value(none);
  };
  const bool is_limited = object.has("spec.limited");
  const bool has_queues = object.has("spec.limited.limitResponse.queuing");
  return {
      {name_of(object), object.text("spec.type"), cell(is_limited, "spec.limited.nominalConcurrencyShares"),
       cell(has_queues, "spec.limited.limitResponse.queuing.queues"),
       cell(has_queues, "spec.limited.limitResponse.queuing.handSize"),
       cell(has_queues, "spec.limited.limitResponse.queuing.queueLengthLimit"), age(object, now)},
      {}};
}

Row trust_bundle(const View& object, WallTime) {
  return {{name_of(object), text_or(object, "spec.signerName", none)}, {}};
}

Row pod_certificate(const View& object, WallTime) {
  std::string_view state = "Pending";
  for (const View& condition : object.items("status.conditions")) {
    const std::string_view type = condition.text("type");
    if (type == "Issued" || type == "Denied" || type == "Failed") state = type;
  }
  return {{name_of(object), object.text("spec.podName"), object.text("spec.serviceAccountName"),
           object.text("spec.nodeName"), object.text("spec.signerName"), state,
           labels_text(object.map("spec.unverifiedUserAnnotations"))},
          {}};
}

Row storage_migration(const View& object, WallTime) {
  const std::string group(object.text("spec.resource.group")),
      resource(object.text("spec.resource.resource"));
  std::string_view state = "Unknown";
  for (const View& condition : object.items("status.conditions")) {
    const std::string_view type = condition.text("type");
    if (condition.text("status") != "True") continue;
    if (type == "Running" || type == "Failed" || type == "Succeeded") state = type;
  }
  return {{name_of(object), group.empty() ? resource : resource + "." + group, state}, {}};
}

}  // namespace

std::vector<Printer> device_printers() {
  const std::string devices = "resource.k8s.io", flow = "flowcontrol.apiserver.k8s.io",
                    certificates = "certificates.k8s.io";
  const std::vector<Header> short_table{name_header, age_header};
  return {
      {{devices, "DeviceClass"}, short_table, &name_and_age},
      {{devices, "ResourceClaimTemplate"}, short_table, &name_and_age},
      {{devices, "ResourceClaim"}, {name_header, {"State"}, age_header}, &resource_claim},
      {{devices, "ResourceSlice"},
       {name_header, {"Node"}, {"Driver"}, {"Pool"}, age_header},
       &resource_slice},
      {{devices, "DeviceTaintRule"},
       {name_header, {"Key"}, {"Value"}, {"Effect"}, {"TimeAdded"}, age_header},
       &device_taint_rule},
      {{flow, "FlowSchema"},
       {name_header,
        {"PriorityLevel"},
        {"MatchingPrecedence"},
        {"DistinguisherMethod"},
        age_header,
        {"MissingPL"}},
       &flow_schema},
      {{flow, "PriorityLevelConfiguration"},
       {name_header,
        {"Type"},
        {"NominalConcurrencyShares"},
        {"Queues"},
        {"HandSize"},
        {"QueueLengthLimit"},
        age_header},
       &priority_level},
      {{certificates, "ClusterTrustBundle"}, {name_header, {"SignerName"}}, &trust_bundle},
      {{certificates, "PodCertificateRequest"},
       {name_header,
        {"PodName"},
        {"ServiceAccountName"},
        {"NodeName"},
        {"SignerName"},
        {"State"},
        {"UnverifiedUserAnnotations"}},
       &pod_certificate},
      {{"storagemigration.k8s.io", "StorageVersionMigration"},
       {{"Name"}, {"Resource"}, {"Status"}},
       &storage_migration},
  };
}

}  // namespace fairway::apiserver::table
