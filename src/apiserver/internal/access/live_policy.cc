// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/live_policy.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/access/default_policy.h"
#include "apiserver/internal/storage/default_objects.h"
#include "base/log.h"
#include "k8s/object.h"

namespace fairway::apiserver::access {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kinds = {
    {{"ClusterRole", "rbac.authorization.k8s.io/clusterroles"},
     {"Role", "rbac.authorization.k8s.io/roles"},
     {"ClusterRoleBinding", "rbac.authorization.k8s.io/clusterrolebindings"},
     {"RoleBinding", "rbac.authorization.k8s.io/rolebindings"}}};

json::Value parsed(const storage::Record& record) {
  auto document = json::parse(record.json());
  return document ? std::move(*document) : json::Value();
}

std::string_view resource_of(std::string_view kind) {
  return std::ranges::find(kinds, kind, &std::pair<std::string_view, std::string_view>::first)->second;
}

storage::Key key_of(const k8s::Dynamic& object) {
  return {std::string(resource_of(object.kind())), std::string(object.namespace_name()),
          std::string(object.name())};
}

}  // namespace

Result<void> LivePolicy::write_defaults(Clock& clock, const std::function<std::string()>& make_uid,
                                        bool aggregate) {
  std::vector<json::Value> policy = default_policy();
  if (aggregate) access::aggregate(policy);
  std::vector<storage::DefaultObject> objects;
  for (json::Value& wanted : policy) {
    k8s::Dynamic object(std::move(wanted.get_object()));
    storage::Key key = key_of(object);
    objects.push_back({.key = std::move(key), .object = std::move(object)});
  }
  const auto revise = [](const k8s::Dynamic& stored,
                         const k8s::Dynamic& wanted) -> std::optional<k8s::Dynamic> {
    auto changed = reconciled(json::Value(stored.json()), json::Value(wanted.json()));
    if (!changed) return std::nullopt;
    return k8s::Dynamic(std::move(changed->get_object()));
  };
  if (auto written = storage::write_defaults(storage_, std::move(objects), revise, clock, make_uid); !written)
    return fail(written.error().within("writing the default roles"));
  return {};
}

Result<void> LivePolicy::follow() {
  Policy policy;
  std::array<std::unique_ptr<storage::Watch>, 4> watches;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string resource(kinds[i].second);
    auto list = storage_.list({.resource = resource});
    if (!list) return fail(list.error().error);
    for (const storage::RecordPtr& record : list->records) policy.put(parsed(*record));
    auto watch = storage_.watch({.resource = resource, .from = list->revision});
    if (!watch) return fail(watch.error().error);
    watches[i] = std::move(*watch);
  }
  watches_ = std::move(watches);
  policy_ = std::make_shared<const Policy>(std::move(policy));
  return {};
}

/// Applies the changes since the last read. Returns false if everything has to be read anew.
bool LivePolicy::read_changes() {
  std::shared_ptr<Policy> next;  // a copy, made for the first change
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    while (true) {
      const storage::WatchBatch batch = watches_[i]->poll();
      if (!batch.events.empty() && next == nullptr) next = std::make_shared<Policy>(*policy_);
      for (const storage::EventPtr& event : batch.events) {
        if (event->type == storage::EventType::deleted) {
          next->remove(kinds[i].first, event->record->namespace_name(), event->record->name());
        } else {
          next->put(parsed(*event->record));
        }
      }
      if (batch.end) return false;
      if (batch.events.empty()) break;
    }
  }
  if (next != nullptr) policy_ = std::move(next);
  return true;
}

std::shared_ptr<const Policy> LivePolicy::current() {
  const std::lock_guard lock(mutex_);
  // Changes that are written from here on are seen by the next request.
  const storage::Revision revision = storage_.revision();
  const bool is_followed = watches_.back() != nullptr;
  if (is_followed && revision == read_until_) return policy_;
  if (!is_followed || !read_changes()) {
    if (const auto followed = follow(); !followed) {
      log::error("roles and bindings cannot be read: nobody but system:masters has a right",
                 {{"why", followed.error().message}});
      watches_ = {};
      return std::make_shared<const Policy>();
    }
  }
  read_until_ = revision;
  return policy_;
}

}  // namespace fairway::apiserver::access
