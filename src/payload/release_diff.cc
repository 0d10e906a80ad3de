// SPDX-License-Identifier: Apache-2.0

#include "payload/release_diff.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "k8s/custom_resource_definition.h"

namespace fairway::payload {

namespace {

/// A release as one cluster sees it.
struct Side {
  std::map<ObjectId, Manifest> applied, removals;
  std::map<ObjectId, std::string> left_out;  ///< object to reason
  std::size_t left_out_count = 0;
};

Result<Side> side_of(const ReleaseImage& release, Selection selection) {
  selection.major_version = release.version.major();
  auto selected = select(release.manifests, selection);
  if (!selected) return fail(selected.error().within("reading the release " + release.version.to_string()));
  Side side;
  for (Manifest& manifest : selected->manifests) {
    auto& group = is_removal(manifest) ? side.removals : side.applied;
    group.emplace(manifest.id(), std::move(manifest));
  }
  side.left_out_count = selected->left_out.size();
  for (LeftOut& one : selected->left_out) side.left_out.emplace(std::move(one.object), std::move(one.why));
  return side;
}

const Manifest* find(const std::map<ObjectId, Manifest>& manifests, const ObjectId& id) {
  const auto found = manifests.find(id);
  return found == manifests.end() ? nullptr : &found->second;
}

bool is_definition(const ObjectId& id) {
  return id.group == k8s::CustomResourceDefinition::resource.group &&
         id.kind == k8s::CustomResourceDefinition::resource.kind;
}

/// The versions of a definition, in their order.
struct Versions {
  std::vector<std::string> all, served;
  std::string storage;

  explicit Versions(const k8s::Dynamic& object) {
    const k8s::CustomResourceDefinition definition(object.json());
    for (const auto& version : definition.versions()) {
      all.emplace_back(version.name());
      if (version.served()) served.emplace_back(version.name());
    }
    storage = definition.storage_version();
    // apiextensions.k8s.io/v1beta1 may name one version alone.
    const std::string only(object.text("spec.version"));
    if (!all.empty() || only.empty()) return;
    all = served = {only};
    storage = only;
  }
};

std::vector<std::string> without(std::vector<std::string> names, const std::vector<std::string>& others) {
  std::erase_if(names,
                [&](const std::string& name) { return std::ranges::find(others, name) != others.end(); });
  return names;
}

void add_definition(ReleaseDiff& diff, const Manifest& before, const Manifest* after) {
  const Versions old(before.object);
  DefinitionChange change{.name = std::string(before.object.name()), .storage_before = old.storage};
  if (after == nullptr) {
    change.removed = true;
    change.served_gone = old.served;
    change.versions_gone = old.all;
  } else {
    const Versions now(after->object);
    change.storage_after = now.storage;
    change.served_gone = without(old.served, now.served);
    change.served_added = without(now.served, old.served);
    change.versions_gone = without(old.all, now.all);
    if (!change.moves_storage() && change.served_gone.empty() && change.versions_gone.empty()) return;
  }
  diff.definitions.push_back(std::move(change));
}

/// The namespaces and kinds that an update removes, with all objects in them and of them.
class RemovedWholes {
 public:
  RemovedWholes(const Side& before, const Side& after) {
    for (const auto& [id, manifest] : after.removals) {
      if (id.group.empty() && id.kind == "Namespace") namespaces_.insert(id.name);
      const Manifest* old = is_definition(id) ? find(before.applied, id) : nullptr;
      if (old != nullptr) kinds_.emplace(old->object.text("spec.group"), old->object.text("spec.names.kind"));
    }
  }
  bool has(const ObjectId& id) const {
    return namespaces_.contains(id.namespace_name) || kinds_.contains({id.group, id.kind});
  }

 private:
  std::set<std::string> namespaces_;
  std::set<std::pair<std::string, std::string>> kinds_;
};

/// Secrets are in releases as examples at most, and yet nobody wants their values in a pull request.
bool hides_values(const ObjectId& id) {
  return id.group.empty() && id.kind == "Secret";
}

void add_applied(ReleaseDiff& diff, const Side& before, const ObjectId& id, const Manifest& after,
                 RightsContext& context) {
  const Manifest* old = find(before.applied, id);
  const bool stays = old != nullptr && is_create_only(after);
  if (old == nullptr) {
    diff.added.push_back(id);
  } else {
    auto changes = find_field_changes(old->object.json(), after.object.json(), hides_values(id));
    if (changes.count > 0)
      diff.changed.push_back({.object = id, .create_only = stays, .changes = std::move(changes)});
    if (is_definition(id) && !stays) add_definition(diff, *old, &after);
  }
  if (stays) return;
  if (auto grown = find_grown_rights(old == nullptr ? nullptr : &old->object, after.object, context))
    diff.rights.push_back(*std::move(grown));
}

using Texts = std::map<std::string, std::string>;

std::vector<TextChange> text_changes(const Texts& before, const Texts& after) {
  std::vector<TextChange> changes;
  for (const auto& [key, text] : after) {
    const auto old = before.find(key);
    if (old == before.end()) {
      changes.push_back({.key = key, .after = text});
    } else if (old->second != text) {
      changes.push_back({.key = key, .before = old->second, .after = text});
    }
  }
  for (const auto& [key, text] : before) {
    if (!after.contains(key)) changes.push_back({.key = key, .before = text});
  }
  std::ranges::sort(changes, {}, &TextChange::key);
  return changes;
}

bool names_version(const std::vector<std::string>& versions, const Version& version) {
  return std::ranges::any_of(versions, [&](const std::string& text) {
    const auto one = Version::parse(text);
    return one && compare_precedence(*one, version) == 0;
  });
}

}  // namespace

bool ReleaseDiff::is_empty() const {
  return added.empty() && changed.empty() && removed.empty() && left.empty() && rights.empty() &&
         definitions.empty() && images.empty() && capabilities_added.empty() && capabilities_gone.empty();
}

Result<ReleaseDiff> diff_releases(const ReleaseImage& from, const ReleaseImage& to,
                                  const Selection& selection) {
  const auto before = side_of(from, selection);
  if (!before) return fail(before.error());
  const auto after = side_of(to, selection);
  if (!after) return fail(after.error());
  ReleaseDiff diff;
  RightsContext context{.before = AggregatingRoles(before->applied),
                        .after = AggregatingRoles(after->applied)};
  for (const auto& [id, manifest] : after->applied) add_applied(diff, *before, id, manifest, context);
  for (const auto& [id, manifest] : after->removals) {
    const bool is_new = !before->removals.contains(id);
    if (is_new) diff.removed.push_back(id);
    if (!is_definition(id)) continue;
    if (const Manifest* old = find(before->applied, id); old != nullptr) {
      add_definition(diff, *old, nullptr);
    } else if (is_new && before->left_out.contains(id)) {
      // A cluster that had another profile or feature set may have it, and objects of its kind.
      diff.definitions.push_back({.name = id.name, .removed = true});
    }
  }
  const RemovedWholes wholes(*before, *after);
  for (const auto& [id, manifest] : before->applied) {
    if (after->applied.contains(id) || after->removals.contains(id)) continue;
    if (wholes.has(id)) {
      diff.removed.push_back(id);
      continue;
    }
    const auto why = after->left_out.find(id);
    diff.left.push_back({.object = id, .why = why == after->left_out.end() ? "" : why->second});
  }
  std::ranges::sort(diff.removed);
  std::ranges::sort(diff.definitions, {}, &DefinitionChange::name);
  const CapabilityNames old = capability_names(from.manifests), now = capability_names(to.manifests);
  std::ranges::set_difference(now, old, std::back_inserter(diff.capabilities_added));
  std::ranges::set_difference(old, now, std::back_inserter(diff.capabilities_gone));
  diff.images = text_changes(from.image_references, to.image_references);
  diff.metadata = text_changes(from.metadata, to.metadata);
  diff.listed = names_version(to.previous, from.version) || names_version(from.next, to.version);
  diff.left_out_before = before->left_out_count;
  diff.left_out_after = after->left_out_count;
  return diff;
}

}  // namespace fairway::payload
