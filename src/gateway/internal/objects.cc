#include "gateway/internal/objects.h"

#include <algorithm>
#include <tuple>

#include "k8s/label_selector.h"

namespace fairway::gateway {

namespace {

std::string kind_key(std::string_view group, std::string_view kind) {
  return std::string(group) + "/" + std::string(kind);
}

constexpr std::string_view slice_kind = "discovery.k8s.io/EndpointSlice";

/// A generation matters where a status says of which one it is; the server gives none to some other kinds.
bool has_generation(const k8s::Dynamic& object) {
  return object.group_version_kind().group != gateway_group || object.generation() >= 1;
}

bool is_cluster_scoped(std::string_view kind) {
  return kind == "GatewayClass" || kind == "Namespace";
}

}  // namespace

bool is_older(const k8s::Dynamic& a, const k8s::Dynamic& b) {
  constexpr const char* created = "metadata.creationTimestamp";
  const std::string_view first = a.text(created), second = b.text(created);
  if (first != second) {
    // As servers write them; others are read, which takes longer.
    constexpr std::string_view form = "2026-11-24T00:00:00Z";
    const auto is_usual = [&](std::string_view text) {
      return text.size() == form.size() && text.ends_with('Z');
    };
    if (is_usual(first) && is_usual(second)) return first < second;
    const auto age = [](const k8s::Dynamic& object) { return object.created().value_or(WallTime::max()); };
    const WallTime one = age(a), other = age(b);
    if (one != other) return one < other;
  }
  return std::tuple(a.namespace_name(), a.name()) < std::tuple(b.namespace_name(), b.name());
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
  const auto [place, is_new] = by_kind_[name].try_emplace(object->key(), objects_.size());
  const bool is_slice = name == slice_kind;
  if (is_new) {
    objects_.push_back(std::move(object));
  } else {
    if (is_slice) note_slice(*objects_[place->second], place->second, false);
    objects_[place->second] = std::move(object);
  }
  if (is_slice) note_slice(*objects_[place->second], place->second, true);
}

void Objects::note_slice(const k8s::Dynamic& slice, std::size_t index, bool is_there) {
  auto& slices =
      slices_[{std::string(slice.namespace_name()), std::string(slice.label("kubernetes.io/service-name"))}];
  if (is_there) {
    slices.emplace(slice.name(), index);
  } else {
    slices.erase(std::string(slice.name()));
  }
}

const k8s::Dynamic* Objects::find(std::string_view group, std::string_view kind,
                                  std::string_view namespace_name, std::string_view name) const {
  const auto of_kind = by_kind_.find(kind_key(group, kind));
  if (of_kind == by_kind_.end()) return nullptr;
  const auto found = of_kind->second.find(k8s::Key{std::string(namespace_name), std::string(name)});
  return found != of_kind->second.end() ? objects_[found->second].get() : nullptr;
}

std::vector<const k8s::Dynamic*> Objects::all(std::string_view kind) const {
  std::vector<const k8s::Dynamic*> objects;
  if (const auto of_kind = by_kind_.find(kind_key(gateway_group, kind)); of_kind != by_kind_.end()) {
    for (const auto& [key, index] : of_kind->second) objects.push_back(objects_[index].get());
  }
  return objects;
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

bool Objects::may_refer(std::string_view from_kind, std::string_view from_namespace, std::string_view to_kind,
                        std::string_view to_namespace, std::string_view to_name) const {
  if (from_namespace == to_namespace) return true;
  const auto grants = by_kind_.find(kind_key(gateway_group, "ReferenceGrant"));
  if (grants == by_kind_.end()) return false;
  const k8s::Key first{std::string(to_namespace), ""};
  for (auto at = grants->second.lower_bound(first);
       at != grants->second.end() && at->first.namespace_name == to_namespace; ++at) {
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
