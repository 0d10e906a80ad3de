// SPDX-License-Identifier: Apache-2.0

#include "gateway/check.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/lost_parents.h"
#include "gateway/internal/attachment/service_front.h"
#include "gateway/internal/offline/offline_context.h"
#include "gateway/internal/offline/schema_refusals.h"
#include "gateway/internal/offline/sources.h"
#include "gateway/internal/status/evaluate.h"
#include "gateway/internal/status/status.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;
using k8s::View;

bool has_status(const Dynamic& object) {
  static const std::set<std::string_view> kinds = {"GatewayClass", "Gateway",   "ListenerSet",
                                                   "HTTPRoute",    "GRPCRoute", "TLSRoute",
                                                   "TCPRoute",     "UDPRoute",  "BackendTLSPolicy"};
  return object.group_version_kind().group == gateway_group && kinds.contains(object.kind());
}

bool is_route(const Dynamic& object) {
  return std::ranges::any_of(route_kinds, [&](RouteKind kind) { return object.kind() == to_string(kind); });
}

json::Object item_of(const Dynamic& object) {
  json::Object metadata;
  metadata["name"] = object.name();
  if (!object.namespace_name().empty()) metadata["namespace"] = object.namespace_name();
  metadata["generation"] = object.generation();
  json::Object item;
  item["apiVersion"] = object.api_version();
  item["kind"] = object.kind();
  item["metadata"] = std::move(metadata);
  item["status"] = object.at("status").json();
  return item;
}

}  // namespace

Result<CheckedObjects> check(const std::vector<SourceText>& sources, WallTime now,
                             const OfflineSettings& settings) {
  auto context = offline_context(settings, now);
  if (!context) return fail(context.error());
  const auto read = read_sources(sources);
  if (!read) return fail(read.error());
  const Objects& objects = *read;
  // A time that is new is the epoch: the same input gives the same output.
  const FakeClock epoch;
  std::map<const Dynamic*, Dynamic> judged;
  find_service_fronts(objects, ServiceAddresses::count_as_assigned, *context);
  for (const Report& report : evaluate(objects, *context))
    judged.insert_or_assign(report.object, with_status(report, epoch));
  const GatewayStates gateways = read_gateways(objects, *context);
  CheckedObjects checked;
  json::Array items;
  for (const auto& one : objects.in_order()) {
    const Dynamic& object = *one;
    if (!has_status(object)) continue;
    const auto found = judged.find(&object);
    items.push_back(item_of(found != judged.end() ? found->second : object));
    for (const std::string& refusal : schema_refusals(object))
      checked.warnings.push_back(describe(object) + ": the CRDs of v1.7.0 refuse it: " + refusal);
    if (!is_route(object)) continue;
    for (const LostParent& lost : lost_parents(objects, gateways, object))
      if (lost.is_mistake) checked.warnings.push_back(describe(object) + ": " + lost.why);
  }
  json::Object list;
  list["items"] = std::move(items);
  checked.list = std::move(list);
  return checked;
}

std::vector<std::vector<std::string>> condition_rows(const json::Value& list) {
  std::vector<std::vector<std::string>> rows = {{"OBJECT", "OF", "CONDITION", "STATUS", "REASON", "MESSAGE"}};
  for (const View& item : View(list.get_object()).items("items")) {
    const std::string_view namespace_name = item.text("metadata.namespace");
    const std::string object = std::string(item.text("kind")) + " " +
                               (namespace_name.empty() ? "" : printable(namespace_name) + "/") +
                               printable(item.text("metadata.name"));
    const auto add_rows = [&](const View& owner, const std::string& path, const std::string& of) {
      for (const k8s::Condition& condition : owner.items<k8s::Condition>(path)) {
        rows.push_back({object, of, printable(condition.type()), std::string(to_string(condition.status())),
                        printable(condition.reason()), printable(condition.message(), 1000)});
      }
    };
    add_rows(item, "status.conditions", "");
    for (const View& one : item.items("status.listeners"))
      add_rows(one, "conditions", printable(one.text("name")));
    for (const char* path : {"parents", "ancestors"}) {
      for (const View& one : item.items(std::string("status.") + path)) {
        const View ref = one.at(std::string_view(path) == "parents" ? "parentRef" : "ancestorRef");
        const std::string_view section = ref.text("sectionName");
        add_rows(one, "conditions",
                 printable(ref.text("name")) + (section.empty() ? "" : "/" + printable(section)));
      }
    }
  }
  return rows;
}

}  // namespace fairway::gateway
