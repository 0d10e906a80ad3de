#include "gateway/check.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "gateway/internal/evaluate.h"
#include "gateway/internal/schema_refusals.h"
#include "gateway/internal/status.h"
#include "k8s/documents.h"

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

Result<void> add(Objects& objects, json::Value document, const std::string& place, int depth) {
  auto object = Dynamic::from(std::move(document));
  if (!object) return fail(object.error().within(place));
  if (object->kind().ends_with("List") && object->find("items") != nullptr) {
    const json::Value* items = object->find("items");
    if (!items->is_array() || depth > 2)
      return fail(ErrorCode::invalid, place + ": items is no list of objects");
    for (const json::Value& item : items->get_array()) {
      if (auto added = add(objects, item, place, depth + 1); !added) return added;
    }
    return {};
  }
  if (object->name().empty()) {
    return fail(ErrorCode::invalid,
                place + ": " + printable(object->kind()) + " has no metadata.name; give it one");
  }
  objects.add(*std::move(object));
  return {};
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

Result<CheckedObjects> check(const std::vector<SourceText>& sources, WallTime now) {
  Objects objects;
  for (const SourceText& source : sources) {
    auto documents = k8s::read_documents(source.text);
    if (!documents) return fail(documents.error().within(source.name));
    for (k8s::Document& document : *documents) {
      const std::string place = source.name + ": line " + std::to_string(document.line);
      if (auto added = add(objects, std::move(document.value), place, 0); !added) return fail(added.error());
    }
  }
  // A time that is new is the epoch: the same input gives the same output.
  const FakeClock epoch;
  std::map<const Dynamic*, Dynamic> judged;
  for (const Report& report : evaluate(objects, {.now = now}))
    judged.insert_or_assign(report.object, with_status(report, epoch));
  CheckedObjects checked;
  json::Array items;
  for (const Dynamic& object : objects.in_order()) {
    if (!has_status(object)) continue;
    const auto found = judged.find(&object);
    items.push_back(item_of(found != judged.end() ? found->second : object));
    for (const std::string& refusal : schema_refusals(object))
      checked.warnings.push_back(describe(object) + ": the CRDs of v1.6.3 refuse it: " + refusal);
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
