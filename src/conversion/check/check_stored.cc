// SPDX-License-Identifier: Apache-2.0

#include "conversion/check/check_stored.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/text.h"
#include "conversion/internal/migration/activity.h"
#include "conversion/internal/migration/outage.h"
#include "conversion/internal/migration/stored_list.h"
#include "conversion/internal/migration/stored_pages.h"
#include "kube/client/pages.h"

namespace fairway::conversion {

namespace {

/// Times that a page is read again for what may be an outage; the reader takes an object for the cause then.
constexpr int most_doubts = 6;
constexpr std::chrono::milliseconds pause_in_doubt{500};

/// Returns the list in one version, if possible one that the new definition has. In another one, a page might
/// come in that to convert to, in which nothing of it would be converted.
StoredList list_to_check(const k8s::CustomResourceDefinition& on_server, std::string_view to,
                         const VersionSchemas& schemas) {
  const MigrationRequest request{.old_version = std::string(to), .new_version = std::string(to)};
  StoredList list = list_of_stored(on_server, request, {});
  if (!list.versions.empty() && !schemas.knows(list.versions.front())) {
    const auto known = std::ranges::find_if(
        list.versions, [&](const std::string& version) { return schemas.knows(version) && version != to; });
    if (known != list.versions.end()) std::iter_swap(list.versions.begin(), known);
  }
  if (list.versions.size() > 1) list.versions.resize(1);
  list.whole = true;
  return list;
}

kube::ApiResult<StoredPage> next_page(StoredPages& pages, Clock& clock, const std::stop_token& stop) {
  for (int doubts = 1;; ++doubts) {
    auto page = pages.next();
    if (page || fault_of(page.error()) != Fault::perhaps_outage || doubts > most_doubts) return page;
    if (!clock.wait_until(clock.steady() + pause_in_doubt, stop)) return page;
  }
}

}  // namespace

Result<k8s::CustomResourceDefinition> find_definition(kube::Client& client, std::string_view group,
                                                      std::string_view kind, const Limits& limits) {
  const auto definitions = kube::list_all(
      client, k8s::CustomResourceDefinition::resource.group_version_resource(), {}, {}, limits);
  if (!definitions) return fail(definitions.error().within("looking for the definition of the kind"));
  for (const k8s::Dynamic& object : definitions->items) {
    k8s::CustomResourceDefinition definition(object.json());
    if (definition.group() == group && definition.defined_kind() == kind) return definition;
  }
  return fail(ErrorCode::not_found, "the cluster has no custom resource of kind " + printable(kind, 200) +
                                        " in the group " + printable(group, 200));
}

std::string version_to_read(const k8s::CustomResourceDefinition& on_server, std::string_view to,
                            const VersionSchemas& schemas) {
  const StoredList list = list_to_check(on_server, to, schemas);
  return list.versions.empty() ? std::string() : list.versions.front();
}

Result<void> check_stored(kube::Client& client, const k8s::CustomResourceDefinition& on_server,
                          ConversionCheck& check, const CheckProgress& progress,
                          const std::stop_token& stop) {
  StoredList list = list_to_check(on_server, check.request().to, check.schemas());
  const std::string name(on_server.name());
  const std::string version = list.versions.empty() ? std::string() : list.versions.front();
  if (list.versions.empty()) {
    return fail(ErrorCode::conflict, name + " serves no version, so that its objects cannot be read");
  }
  Activity activity(client.clock());
  StoredPages pages(client, activity, std::move(list), stop);
  while (true) {
    auto page = next_page(pages, client.clock(), stop);
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the check of " + name + " was stopped");
    if (!page) return fail(page.error().within("reading the objects of " + name));
    if (!page->unreadable.empty()) {
      for (const StoredObject& object : page->objects) {
        check.add_unreadable(object.key, version, page->unreadable);
      }
    } else {
      std::vector<k8s::Dynamic> objects;
      for (StoredObject& object : page->objects) {
        if (object.document) objects.push_back(*std::move(object.document));
      }
      if (auto checked = check.add(std::move(objects)); !checked) return checked;
    }
    const std::int64_t done = check.findings().objects();
    if (progress) {
      progress(done, page->remaining ? std::optional(done + *page->remaining) : std::nullopt);
    }
    if (page->continue_token.empty()) return {};
  }
}

}  // namespace fairway::conversion
