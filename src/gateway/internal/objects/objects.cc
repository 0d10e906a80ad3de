// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/objects/objects.h"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "k8s/label_selector.h"

namespace fairway::gateway {

namespace {

std::string kind_key(std::string_view group, std::string_view kind) {
  return std::string(group) + "/" + std::string(kind);
}

constexpr std::string_view slice_kind = "discovery.k8s.io/EndpointSlice";

/// Returns whether an object has a generation, or needs none: statuses of Gateway API name it, and the server
/// sets none for some other kinds.
bool has_generation(const k8s::Dynamic& object) {
  return object.group_version_kind().group != gateway_group || object.generation() >= 1;
}

bool is_cluster_scoped(std::string_view kind) {
  return kind == "GatewayClass" || kind == "Namespace" || kind == trust_bundle_kind;
}

/// Returns a new revision. No two sets of objects share one.
std::uint64_t next_revision() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

Age age_of(const k8s::Dynamic& object) {
  return {object.text("metadata.creationTimestamp"), object.namespace_name(), object.name()};
}

bool is_older(const Age& a, const Age& b) {
  if (a.created != b.created) {
    // As servers write them; others are read, which takes longer.
    constexpr std::string_view form = "2026-11-24T00:00:00Z";
    const auto is_usual = [&](std::string_view text) {
      return text.size() == form.size() && text.ends_with('Z');
    };
    if (is_usual(a.created) && is_usual(b.created)) return a.created < b.created;
    const auto time = [](std::string_view text) { return parse_time(text).value_or(WallTime::max()); };
    const WallTime one = time(a.created), other = time(b.created);
    if (one != other) return one < other;
  }
  return std::tie(a.namespace_name, a.name) < std::tie(b.namespace_name, b.name);
}

bool is_older(const k8s::Dynamic& a, const k8s::Dynamic& b) {
  return is_older(age_of(a), age_of(b));
}

std::string describe(const k8s::Dynamic& object) {
  return std::string(object.kind()) + " " + object.key().to_string();
}

void Objects::add(k8s::Dynamic object) {
  if (!has_generation(object)) object.set("metadata.generation", json::Value(1));
  if (is_cluster_scoped(object.kind())) {
    object.erase("metadata.namespace");
  } else if (object.namespace_name().empty()) {
    object.set_namespace_name("default");
  }
  put(std::make_shared<const k8s::Dynamic>(std::move(object)));
}

void Objects::add(std::shared_ptr<const k8s::Dynamic> object) {
  if (!has_generation(*object) || is_cluster_scoped(object->kind()) != object->namespace_name().empty())
    return add(k8s::Dynamic(*object));
  put(std::move(object));
}

void Objects::put(std::shared_ptr<const k8s::Dynamic> object) {
  const std::string name = kind_key(object->group_version_kind().group, object->kind());
  OfKind& of_kind = by_kind_[name];
  const std::size_t at = free_.empty() ? objects_.size() : free_.back();
  const auto [place, is_new] = of_kind.by_key.try_emplace(object->key(), at);
  // An object that is there already changes nothing.
  if (!is_new && objects_[place->second] == object) return;
  const bool is_slice = name == slice_kind;
  of_kind.revision = next_revision();
  if (!is_new) {
    if (is_slice) record_slice(*objects_[place->second], place->second, false);
    objects_[place->second] = std::move(object);
  } else if (free_.empty()) {
    objects_.push_back(std::move(object));
  } else {
    free_.pop_back();
    objects_[at] = std::move(object);
  }
  if (is_slice) record_slice(*objects_[place->second], place->second, true);
}

void Objects::remove(const k8s::Dynamic& object) {
  const std::string name = kind_key(object.group_version_kind().group, object.kind());
  k8s::Key key = object.key();
  if (is_cluster_scoped(object.kind())) {
    key.namespace_name.clear();
  } else if (key.namespace_name.empty()) {
    key.namespace_name = "default";
  }
  const auto of_kind = by_kind_.find(name);
  if (of_kind == by_kind_.end()) return;
  const auto found = of_kind->second.by_key.find(key);
  if (found == of_kind->second.by_key.end()) return;
  const std::size_t at = found->second;
  if (name == slice_kind) record_slice(*objects_[at], at, false);
  of_kind->second.by_key.erase(found);
  of_kind->second.revision = next_revision();
  // `object` may be this one.
  objects_[at].reset();
  free_.push_back(at);
}

std::uint64_t Objects::revision(std::string_view group, std::string_view kind) const {
  const auto found = by_kind_.find(kind_key(group, kind));
  return found != by_kind_.end() ? found->second.revision : 0;
}

const Objects::ByKey& Objects::of_kind(std::string_view group, std::string_view kind) const {
  static const ByKey none;
  const auto found = by_kind_.find(kind_key(group, kind));
  return found != by_kind_.end() ? found->second.by_key : none;
}

std::vector<std::shared_ptr<const k8s::Dynamic>> Objects::in_order() const {
  std::vector<std::shared_ptr<const k8s::Dynamic>> all;
  for (const auto& object : objects_) {
    if (object) all.push_back(object);
  }
  return all;
}

void Objects::record_slice(const k8s::Dynamic& slice, std::size_t index, bool is_there) {
  const k8s::Key service{std::string(slice.namespace_name()),
                         std::string(slice.label("kubernetes.io/service-name"))};
  auto& slices = slices_[service];
  if (is_there) {
    slices.emplace(slice.name(), index);
  } else {
    slices.erase(std::string(slice.name()));
    if (slices.empty()) slices_.erase(service);
  }
}

const k8s::Dynamic* Objects::find(std::string_view group, std::string_view kind,
                                  std::string_view namespace_name, std::string_view name) const {
  const ByKey& all = of_kind(group, kind);
  const auto found = all.find(k8s::Key{std::string(namespace_name), std::string(name)});
  return found != all.end() ? objects_[found->second].get() : nullptr;
}

std::vector<const k8s::Dynamic*> Objects::all(std::string_view kind) const {
  std::vector<const k8s::Dynamic*> objects;
  for (const auto& [key, index] : of_kind(gateway_group, kind)) objects.push_back(objects_[index].get());
  return objects;
}

std::vector<std::shared_ptr<const k8s::Dynamic>> Objects::shared(std::string_view kind) const {
  std::vector<std::shared_ptr<const k8s::Dynamic>> objects;
  for (const auto& [key, index] : of_kind(gateway_group, kind)) objects.push_back(objects_[index]);
  return objects;
}

std::shared_ptr<const k8s::Dynamic> Objects::find_shared(std::string_view kind, const k8s::Key& key) const {
  const ByKey& all = of_kind(gateway_group, kind);
  const auto found = all.find(key);
  return found != all.end() ? objects_[found->second] : nullptr;
}

void Objects::each(std::string_view kind,
                   const std::function<void(const std::shared_ptr<const k8s::Dynamic>&)>& one) const {
  for (const auto& [key, index] : of_kind(gateway_group, kind)) one(objects_[index]);
}

std::vector<const k8s::Dynamic*> Objects::by_age(std::string_view kind) const {
  auto objects = all(kind);
  std::ranges::sort(objects, [](const auto* a, const auto* b) { return is_older(*a, *b); });
  return objects;
}

std::vector<const k8s::Dynamic*> Objects::slices_of(std::string_view namespace_name,
                                                    std::string_view service) const {
  std::vector<const k8s::Dynamic*> slices;
  const auto found = slices_.find(k8s::Key{std::string(namespace_name), std::string(service)});
  if (found == slices_.end()) return slices;
  for (const auto& [name, index] : found->second) slices.push_back(objects_[index].get());
  return slices;
}

void Objects::each_slice(const std::function<void(const k8s::Key& service,
                                                  const std::shared_ptr<const k8s::Dynamic>&)>& one) const {
  for (const auto& [service, slices] : slices_) {
    for (const auto& [name, index] : slices) one(service, objects_[index]);
  }
}

bool Objects::may_refer(std::string_view from_kind, std::string_view from_namespace, std::string_view to_kind,
                        std::string_view to_namespace, std::string_view to_name) const {
  if (from_namespace == to_namespace) return true;
  const ByKey& grants = of_kind(gateway_group, "ReferenceGrant");
  const k8s::Key first{std::string(to_namespace), ""};
  for (auto at = grants.lower_bound(first); at != grants.end() && at->first.namespace_name == to_namespace;
       ++at) {
    const k8s::Dynamic& grant = *objects_[at->second];
    const bool from = std::ranges::any_of(grant.items("spec.from"), [&](const k8s::View& one) {
      return one.text("group") == gateway_group && one.text("kind") == from_kind &&
             one.text("namespace") == from_namespace;
    });
    // All kinds that are referred to are of the core group. An empty name is no name.
    const bool to = std::ranges::any_of(grant.items("spec.to"), [&](const k8s::View& one) {
      const std::string_view name = one.text("name");
      return one.text("group").empty() && one.text("kind") == to_kind && (name.empty() || name == to_name);
    });
    if (from && to) return true;
  }
  return false;
}

bool Objects::selects_namespace(const json::Value* selector, std::string_view namespace_name) const {
  const auto read = k8s::LabelSelector::from(selector);
  if (!read) return false;
  json::Object labels;
  if (const k8s::Dynamic* found = find("", "Namespace", "", namespace_name); found != nullptr) {
    for (const auto& [key, value] : found->labels()) labels[key] = value;
  }
  labels["kubernetes.io/metadata.name"] = namespace_name;
  return read->matches(k8s::StringMap(&labels));
}

bool Objects::allows_namespace(const k8s::View& namespaces, std::string_view otherwise, std::string_view own,
                               std::string_view namespace_name) const {
  const std::string_view from = namespaces.text("from", otherwise);
  if (from == "All") return true;
  if (from == "Same") return own == namespace_name;
  return from == "Selector" && selects_namespace(namespaces.find("selector"), namespace_name);
}

}  // namespace fairway::gateway
