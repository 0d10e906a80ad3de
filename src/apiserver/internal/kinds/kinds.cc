// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/kinds.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "admissionregistration_v1.txt.h"
#include "apiextensions_v1.txt.h"
#include "apiregistration_v1.txt.h"
#include "apiserver/internal/kinds/kind_table.h"
#include "apps_v1.txt.h"
#include "authentication_v1.txt.h"
#include "authorization_v1.txt.h"
#include "autoscaling_v1.txt.h"
#include "autoscaling_v2.txt.h"
#include "batch_v1.txt.h"
#include "certificates_v1.txt.h"
#include "coordination_v1.txt.h"
#include "core_v1.txt.h"
#include "discovery_v1.txt.h"
#include "events_v1.txt.h"
#include "flowcontrol_v1.txt.h"
#include "meta_v1.txt.h"
#include "networking_v1.txt.h"
#include "node_v1.txt.h"
#include "policy_v1.txt.h"
#include "rbac_v1.txt.h"
#include "resource_v1.txt.h"
#include "scheduling_v1.txt.h"
#include "scheduling_v1alpha3.txt.h"
#include "storage_v1.txt.h"
#include "storagemigration_v1.txt.h"

namespace fairway::apiserver::kinds {

namespace {

struct Entry {
  std::string_view table, group, version;
  const char* text;
};

/// Tables of the group versions, sorted by group and version. That of scheduling.k8s.io/v1alpha3 has no
/// kinds, but parts of Jobs.
constexpr std::array entries{
    Entry{"core/v1", "", "v1", core_v1_text},
    Entry{"admissionregistration/v1", "admissionregistration.k8s.io", "v1", admissionregistration_v1_text},
    Entry{"apiextensions/v1", "apiextensions.k8s.io", "v1", apiextensions_v1_text},
    Entry{"apiregistration/v1", "apiregistration.k8s.io", "v1", apiregistration_v1_text},
    Entry{"apps/v1", "apps", "v1", apps_v1_text},
    Entry{"authentication/v1", "authentication.k8s.io", "v1", authentication_v1_text},
    Entry{"authorization/v1", "authorization.k8s.io", "v1", authorization_v1_text},
    Entry{"autoscaling/v1", "autoscaling", "v1", autoscaling_v1_text},
    Entry{"autoscaling/v2", "autoscaling", "v2", autoscaling_v2_text},
    Entry{"batch/v1", "batch", "v1", batch_v1_text},
    Entry{"certificates/v1", "certificates.k8s.io", "v1", certificates_v1_text},
    Entry{"coordination/v1", "coordination.k8s.io", "v1", coordination_v1_text},
    Entry{"discovery/v1", "discovery.k8s.io", "v1", discovery_v1_text},
    Entry{"events/v1", "events.k8s.io", "v1", events_v1_text},
    Entry{"flowcontrol/v1", "flowcontrol.apiserver.k8s.io", "v1", flowcontrol_v1_text},
    Entry{"meta/v1", "meta.k8s.io", "v1", meta_v1_text},
    Entry{"networking/v1", "networking.k8s.io", "v1", networking_v1_text},
    Entry{"node/v1", "node.k8s.io", "v1", node_v1_text},
    Entry{"policy/v1", "policy", "v1", policy_v1_text},
    Entry{"rbac/v1", "rbac.authorization.k8s.io", "v1", rbac_v1_text},
    Entry{"resource/v1", "resource.k8s.io", "v1", resource_v1_text},
    Entry{"scheduling/v1", "scheduling.k8s.io", "v1", scheduling_v1_text},
    Entry{"scheduling/v1alpha3", "scheduling.k8s.io", "v1alpha3", scheduling_v1alpha3_text},
    Entry{"storage/v1", "storage.k8s.io", "v1", storage_v1_text},
    Entry{"storagemigration/v1", "storagemigration.k8s.io", "v1", storagemigration_v1_text},
};

constexpr std::string_view meta_table = "meta/v1";

/// Kinds of the meta group that each group version also has.
constexpr std::array<std::string_view, 6> options{"CreateOptions", "DeleteOptions", "GetOptions",
                                                  "ListOptions",   "PatchOptions",  "UpdateOptions"};

/// Returns the table of an entry, which is read at first use.
const KindTable& load(const Entry& entry);

const KindTable& load(std::string_view table) {
  const auto* const entry = std::ranges::find(entries, table, &Entry::table);
  if (entry == entries.end())
    throw std::logic_error("the tables of built-in kinds: no " + std::string(table));
  return load(*entry);
}

const KindTable& load(const Entry& entry) {
  static std::array<std::once_flag, entries.size()> once;
  static std::array<std::unique_ptr<const KindTable>, entries.size()> tables;
  const auto at = static_cast<std::size_t>(&entry - entries.data());
  // Tables refer to those of the core and the meta group, which refer to none that refer back.
  std::call_once(once[at], [&] {
    tables[at] = std::make_unique<const KindTable>(
        entry.text, [](std::string_view other) -> const KindTable& { return load(other); });
  });
  return *tables[at];
}

const Entry* entry_of(std::string_view group, std::string_view version) {
  const auto* const found = std::ranges::find_if(
      entries, [&](const Entry& entry) { return entry.group == group && entry.version == version; });
  return found != entries.end() ? found : nullptr;
}

}  // namespace

const MessageType* Kinds::find(const k8s::GroupVersionKind& kind) {
  if (const Entry* entry = entry_of(kind.group, kind.version)) {
    if (const MessageType* type = load(*entry).kind(kind.kind)) return type;
  }
  const bool of_core = kind.group.empty() && kind.version == "v1";
  return of_core || std::ranges::find(options, kind.kind) != options.end() ? load(meta_table).kind(kind.kind)
                                                                           : nullptr;
}

const MessageType* Kinds::message(std::string_view table, std::string_view name) {
  const auto* const entry = std::ranges::find(entries, table, &Entry::table);
  return entry != entries.end() ? load(*entry).message(name) : nullptr;
}

std::vector<k8s::GroupVersion> Kinds::group_versions() {
  std::vector<k8s::GroupVersion> all;
  for (const Entry& entry : entries) {
    if (load(entry).kinds().empty()) continue;
    all.push_back({std::string(entry.group), std::string(entry.version)});
  }
  return all;
}

std::vector<std::string_view> Kinds::kinds_of(const k8s::GroupVersion& group_version) {
  std::vector<std::string_view> names;
  if (const Entry* entry = entry_of(group_version.group, group_version.version)) {
    for (const auto& [name, type] : load(*entry).kinds()) names.push_back(name);
  }
  return names;
}

}  // namespace fairway::apiserver::kinds
