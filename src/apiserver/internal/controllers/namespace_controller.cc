// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/namespace_controller.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "apiserver/internal/controllers/is_gone.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/status_condition.h"
#include "base/text.h"

namespace fairway::apiserver::controllers {
namespace {

objects::WriteContext context(std::string_view controller) {
  return {.user = {.name = "system:serviceaccount:kube-system:" + std::string(controller),
                   .groups = {std::string(access::masters_group)}}};
}

bool is_terminating(const storage::Record& record) {
  return record.json().find("\"deletionTimestamp\"") != std::string::npos &&
         resources::parse(record).is_being_deleted();
}

/// Name of the ConfigMap that each namespace has.
constexpr std::string_view authority_name = "kube-root-ca.crt";

/// Number of objects that are deleted together.
constexpr std::size_t objects_at_once = 256;

}  // namespace

void NamespaceController::observe(const Observed& observed) {
  const storage::Record& record = *observed.record;
  if (observed.resource == "namespaces") {
    const std::string name(record.name());
    if (observed.deleted) {
      terminating_.erase(name);
      due_.erase(name);
    } else if (is_terminating(record)) {
      terminating_.insert(name);
      due_.insert(name);
    }
    return;
  }
  if (terminating_.empty()) return;
  const std::string name(record.namespace_name());
  if (terminating_.contains(name)) due_.insert(name);
}

void NamespaceController::resync(const std::string& resource) {
  // The rest of their contents may be gone.
  due_ = terminating_;
  if (resource == "namespaces") terminating_.clear();
}

bool NamespaceController::work(const std::stop_token& stop) {
  bool done = true;
  for (const std::string& name : std::exchange(due_, {})) {
    if (!stop.stop_requested() && settle(name, stop)) continue;
    due_.insert(name);
    done = false;
  }
  return done;
}

void NamespaceController::remove(std::span<const storage::RecordPtr> records,
                                 const resources::ServedResourcePtr& resource, Content& content) {
  std::vector<objects::Objects::Removal> removals;
  removals.reserve(records.size());
  for (const storage::RecordPtr& record : records) {
    removals.push_back({.resource = resource,
                        .key = {std::string(record->namespace_name()), std::string(record->name())},
                        .options = {.propagation = k8s::Propagation::background}});
  }
  const auto results = objects_.remove_all(removals, context("namespace-controller"));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& done = results[i];
    if (done ? done->gone : is_gone(done.error())) continue;
    content.failed |= !done;
    ++content.objects;
    const k8s::Dynamic object = resources::parse(*records[i]);
    for (const std::string_view finalizer : object.finalizers()) ++content.finalizers[std::string(finalizer)];
  }
}

NamespaceController::Content NamespaceController::empty(const std::string& name,
                                                        const std::stop_token& stop) {
  Content content;
  std::set<std::string> seen;
  std::vector<std::string> texts;
  for (const resources::ServedResourcePtr& resource : objects_.registry().all()) {
    if (!resource->is_namespaced() || !resource->has_verb("delete")) continue;
    if (!seen.insert(resource->storage).second) continue;
    auto all = objects_.storage().list({.resource = resource->storage, .namespace_name = name});
    if (!all) {
      content.failed = true;
      continue;
    }
    const std::size_t before = content.objects;
    const std::span<const storage::RecordPtr> records(all->records);
    for (std::size_t at = 0; at < records.size(); at += objects_at_once) {
      if (stop.stop_requested()) {
        content.failed = true;
        return content;
      }
      remove(records.subspan(at, std::min(objects_at_once, records.size() - at)), resource, content);
    }
    const std::size_t left = content.objects - before;
    if (left == 0) continue;
    texts.push_back(resource->group_resource().to_string() + (resource->kind.group.empty() ? "." : "") +
                    " has " + std::to_string(left) + " resource instances");
  }
  content.text = join(texts, ", ");
  texts.clear();
  for (const auto& [finalizer, count] : content.finalizers) {
    texts.push_back(finalizer + " in " + std::to_string(count) + " resource instances");
  }
  content.finalizer_text = join(texts, ", ");
  return content;
}

bool NamespaceController::settle(const std::string& name, const std::stop_token& stop) {
  // It may be gone by now, and another one of its name be there.
  const auto there = objects_.storage().get({"namespaces", "", name});
  if (!there) return false;
  if (*there == nullptr || !is_terminating(**there)) return true;
  const Content content = empty(name, stop);
  if (stop.stop_requested()) return false;
  if (content.objects == 0) return !content.failed && finalize(name);
  return report(name, content) && !content.failed;
}

bool NamespaceController::finalize(const std::string& name) {
  const resources::ServedResourcePtr namespaces = objects_.registry().find({"", "v1", "namespaces"});
  const objects::Objects::UpdateRequest request{
      .key = {"", name},
      .transform = [](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic changed = *current;
        if (!current->is_being_deleted()) return changed;
        json::Array kept;
        for (const std::string_view finalizer : current->texts("spec.finalizers")) {
          if (finalizer != "kubernetes") kept.emplace_back(finalizer);
        }
        changed.set("spec.finalizers", json::Value(std::move(kept)));
        return changed;
      },
      .finalize = true};
  const auto done = objects_.update(*namespaces, request, context("namespace-controller"));
  return done || is_gone(done.error());
}

bool NamespaceController::report(const std::string& name, const Content& content) {
  const resources::ServedResourcePtr namespaces = objects_.registry().find({"", "v1", "namespaces"});
  const WallTime now = objects_.clock().now();
  const objects::Objects::UpdateRequest request{
      .key = {"", name},
      .part = resources::Part::status,
      .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic changed = *current;
        objects::set_status_condition(changed, "NamespaceDeletionDiscoveryFailure", false,
                                      "ResourcesDiscovered", "All resources successfully discovered", now);
        objects::set_status_condition(changed, "NamespaceDeletionGroupVersionParsingFailure", false,
                                      "ParsedGroupVersions", "All legacy kube types successfully parsed",
                                      now);
        objects::set_status_condition(
            changed, "NamespaceDeletionContentFailure", content.failed,
            content.failed ? "ContentDeletionFailed" : "ContentDeleted",
            content.failed ? "Failed to delete some content"
                           : "All content successfully deleted, may be waiting on finalization",
            now);
        objects::set_status_condition(changed, "NamespaceContentRemaining", true, "SomeResourcesRemain",
                                      "Some resources are remaining: " + content.text, now);
        const bool held = !content.finalizers.empty();
        objects::set_status_condition(
            changed, "NamespaceFinalizersRemaining", held,
            held ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
            held ? "Some content in the namespace has finalizers remaining: " + content.finalizer_text
                 : "All content-preserving finalizers finished",
            now);
        return changed;
      }};
  const auto done = objects_.update(*namespaces, request, context("namespace-controller"));
  return done || is_gone(done.error());
}

void NamespaceDefaults::observe(const Observed& observed) {
  const storage::Record& record = *observed.record;
  if (observed.resource == "namespaces") {
    const std::string name(record.name());
    if (observed.deleted || is_terminating(record)) {
      active_.erase(name);
      due_.erase(name);
    } else if (active_.insert(name).second) {
      due_.insert(name);
    }
    return;
  }
  const bool is_ours = (observed.resource == "serviceaccounts" && record.name() == "default") ||
                       (observed.resource == "configmaps" && record.name() == authority_name);
  const std::string name(record.namespace_name());
  if (is_ours && active_.contains(name)) due_.insert(name);
}

void NamespaceDefaults::resync(const std::string& resource) {
  if (resource == "namespaces") {
    active_.clear();
    due_.clear();
  } else if (resource == "serviceaccounts" || resource == "configmaps") {
    due_ = active_;
  }
}

bool NamespaceDefaults::work() {
  bool done = true;
  for (const std::string& name : std::exchange(due_, {})) {
    if (fill(name)) continue;
    due_.insert(name);
    done = false;
  }
  return done;
}

bool NamespaceDefaults::fill(const std::string& name) {
  const auto make = [&](std::string_view plural, std::string_view kind, std::string_view object_name,
                        const auto& complete) {
    const resources::ServedResourcePtr resource = objects_.registry().find({"", "v1", std::string(plural)});
    const k8s::Key key{name, std::string(object_name)};
    const auto there = objects_.find(*resource, key);
    if (!there) return false;
    if (*there != nullptr) return true;
    k8s::Dynamic object;
    object.set("kind", kind);
    object.set("apiVersion", "v1");
    object.set_name(object_name);
    object.set_namespace_name(name);
    complete(object);
    const auto done = objects_.create(*resource, std::move(object), context("namespace-defaults"));
    // The namespace may be gone, or on its way.
    return done || !done.error().is_failure(k8s::reason::internal_error);
  };
  const bool account = make("serviceaccounts", "ServiceAccount", "default", [](k8s::Dynamic&) {});
  const bool authority = make("configmaps", "ConfigMap", authority_name, [&](k8s::Dynamic& object) {
    object.set_annotation("kubernetes.io/description",
                          "Contains a CA bundle that can be used to verify the kube-apiserver when using "
                          "internal endpoints such as the internal service IP or kubernetes.default.svc. No "
                          "other usage is guaranteed across distributions of Kubernetes clusters.");
    object.set_entry("data", "ca.crt", authority_);
  });
  return account && authority && repair(name);
}

bool NamespaceDefaults::repair(const std::string& name) {
  const resources::ServedResourcePtr resource = objects_.registry().find({"", "v1", "configmaps"});
  const auto is_right = [&](const k8s::Dynamic& object) {
    const k8s::StringMap data = object.map("data");
    return data.find("ca.crt") == authority_ && std::ranges::distance(data.begin(), data.end()) == 1;
  };
  const k8s::Key key{name, std::string(authority_name)};
  const auto there = objects_.find(*resource, key);
  if (!there) return false;
  if (*there == nullptr || is_right(resources::parse(**there))) return true;
  const objects::Objects::UpdateRequest request{
      .key = key, .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic changed = *current;
        changed.set("data", json::Value(json::Object{{"ca.crt", authority_}}));
        return changed;
      }};
  const auto done = objects_.update(*resource, request, context("root-ca-cert-publisher"));
  return done || is_gone(done.error()) || !done.error().is_failure(k8s::reason::internal_error);
}

}  // namespace fairway::apiserver::controllers
