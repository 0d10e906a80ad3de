// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/data_sources.h"

#include <string_view>
#include <utility>

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;

constexpr std::string_view source = "spec.dataSource", reference = "spec.dataSourceRef";

/// Returns whether a source was possible before there were references.
bool is_former_source(const k8s::View& of) {
  const std::string_view kind = of.text("kind"), group = of.text("apiGroup");
  return (kind == "PersistentVolumeClaim" && group.empty()) ||
         (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
}

json::Value copy_of(const k8s::View& from) {
  json::Object made;
  for (const std::string_view member : {"apiGroup", "kind", "name"}) {
    if (from.has(member)) made[member] = *from.find(member);
  }
  return made;
}

}  // namespace

void equal_data_sources(Dynamic& claim) {
  if (claim.has(source) == claim.has(reference)) return;
  if (claim.has(source)) {
    claim.set(reference, copy_of(claim.at(source)));
  } else if (claim.at(reference).text("namespace").empty()) {
    claim.set(source, copy_of(claim.at(reference)));
  }
}

void complete_data_sources(Dynamic& claim, const Dynamic* old) {
  const bool had_reference = old != nullptr && old->has(reference),
             had_source = old != nullptr && old->has(source);
  // Sources in other namespaces are an alpha feature.
  if (!had_reference && !claim.at(reference).text("namespace").empty()) claim.erase(reference);
  if (!had_reference && !had_source && !claim.has(reference) && !is_former_source(claim.at(source)))
    claim.erase(source);
  equal_data_sources(claim);
}

}  // namespace fairway::apiserver::resources
