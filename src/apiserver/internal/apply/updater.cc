// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/updater.h"

#include <utility>

#include "apiserver/internal/apply/values.h"

namespace fairway::apiserver::apply {

namespace {

bool is_missing_version(const Error& error) {
  return error.code == ErrorCode::not_found;
}

void drop_empty(Owners& owners) {
  std::erase_if(owners, [](const auto& owner) { return owner.second.set.empty(); });
}

}  // namespace

Updater::Updater(Converter convert, FieldFilters ignored)
    : convert_(std::move(convert)), ignored_(std::move(ignored)) {}

FieldSet Updater::allowed(FieldSet set, const std::string& api_version) const {
  const auto filter = ignored_.find(api_version);
  return filter == ignored_.end() ? set : filter->second.filter(set);
}

Comparison Updater::allowed(Comparison comparison, const std::string& api_version) const {
  return {allowed(std::move(comparison.removed), api_version),
          allowed(std::move(comparison.modified), api_version),
          allowed(std::move(comparison.added), api_version)};
}

/// Returns the sets by the types of now; those of versions that no longer exist are left out.
Result<Owners> Updater::reconcile(const TypedValue& live, const Owners& owners) const {
  Owners out;
  for (const auto& [manager, owned] : owners) {
    const auto converted = convert_(live, owned.api_version);
    if (!converted) {
      if (is_missing_version(converted.error())) continue;
      return fail(converted.error());
    }
    auto set = converted->reconcile(owned.set);
    if (!set) return fail(set.error());
    out.emplace(manager, VersionedSet{std::move(*set), owned.api_version, owned.applied});
  }
  return out;
}

Result<const Comparison*> Updater::compare_in(const std::string& api_version, const TypedValue& live,
                                              const TypedValue& next, Versions& versions) const {
  const auto known = versions.find(api_version);
  if (known != versions.end()) return &known->second;
  const auto old_value = convert_(live, api_version);
  if (!old_value) return fail(old_value.error().within("failed to convert old object"));
  const auto new_value = convert_(next, api_version);
  if (!new_value) return fail(new_value.error().within("failed to convert new object"));
  auto comparison = old_value->compare(*new_value);
  if (!comparison) return fail(comparison.error().within("failed to compare objects"));
  return &versions.emplace(api_version, allowed(std::move(*comparison), api_version)).first->second;
}

/// Takes the changed fields from the other managers, and returns the changes.
std::expected<Comparison, ApplyFailure> Updater::take_over(const TypedValue& live, const TypedValue& next,
                                                           const std::string& api_version, Owners& owners,
                                                           const std::string& manager, bool force) const {
  auto compared = live.compare(next);
  if (!compared) return std::unexpected(compared.error().within("failed to compare objects"));
  Versions versions;
  versions.emplace(api_version, allowed(std::move(*compared), api_version));
  std::map<std::string, FieldSet, std::less<>> conflicting, removed;
  for (auto owner = owners.begin(); owner != owners.end();) {
    const auto& [name, owned] = *owner;
    if (name == manager) {
      ++owner;
      continue;
    }
    const auto comparison = compare_in(owned.api_version, live, next, versions);
    if (!comparison) {
      if (!is_missing_version(comparison.error())) return std::unexpected(comparison.error());
      owner = owners.erase(owner);
      continue;
    }
    FieldSet taken = owned.set.intersection((*comparison)->modified.united((*comparison)->added));
    if (!taken.empty()) conflicting.emplace(name, std::move(taken));
    if (!(*comparison)->removed.empty()) removed.emplace(name, (*comparison)->removed);
    ++owner;
  }
  if (!force && !conflicting.empty()) {
    Conflicts conflicts;
    for (const auto& [name, set] : conflicting) {
      set.for_each([&](const Path& path) { conflicts.push_back({name, path}); });
    }
    return std::unexpected(std::move(conflicts));
  }
  for (const auto* lost : {&conflicting, &removed}) {
    for (const auto& [name, set] : *lost) {
      FieldSet& owned = owners.find(name)->second.set;
      owned = owned.difference(set);
    }
  }
  drop_empty(owners);
  return std::move(versions.find(api_version)->second);
}

Result<Owners> Updater::update(const TypedValue& live, const TypedValue& next, const std::string& api_version,
                               Owners owners, const std::string& manager) const {
  auto reconciled = reconcile(live, owners);
  if (!reconciled) return fail(reconciled.error());
  owners = std::move(*reconciled);
  const auto changes = take_over(live, next, api_version, owners, manager, true);
  if (!changes) return fail(std::get<Error>(changes.error()));
  const auto own = owners.find(manager);
  FieldSet set = own == owners.end() ? FieldSet{} : std::move(own->second.set);
  set = set.difference(changes->removed).united(changes->modified).united(changes->added);
  owners[manager] = {allowed(std::move(set), api_version), api_version, false};
  if (owners[manager].set.empty()) owners.erase(manager);
  return owners;
}

std::expected<Updater::Applied, ApplyFailure> Updater::apply(const TypedValue& live, const TypedValue& config,
                                                             const std::string& api_version, Owners owners,
                                                             const std::string& manager, bool force) const {
  auto reconciled = reconcile(live, owners);
  if (!reconciled) return std::unexpected(reconciled.error());
  owners = std::move(*reconciled);
  const auto merged = live.merge(config);
  if (!merged) return std::unexpected(merged.error().within("failed to merge config"));
  std::optional<VersionedSet> last;
  if (const auto own = owners.find(manager); own != owners.end()) last = std::move(own->second);
  auto set = config.to_field_set();
  if (!set) return std::unexpected(set.error().within("failed to get field set"));
  VersionedSet& own = owners[manager];
  own = {allowed(std::move(*set), api_version), api_version, true};
  // Who gives up nothing leaves nothing to prune: the usual apply, and what it would cost most.
  if (last && last->api_version == api_version && last->set.difference(own.set).empty()) last.reset();
  auto pruned = prune(*merged, owners, manager, last ? &*last : nullptr);
  if (!pruned) return std::unexpected(pruned.error().within("failed to prune fields"));
  const auto changes = take_over(live, *pruned, api_version, owners, manager, force);
  if (!changes) return std::unexpected(changes.error());
  if (internal::equal(live.value(), pruned->value())) return Applied{std::nullopt, std::move(owners)};
  return Applied{std::move(*pruned), std::move(owners)};
}

/// Returns `merged` without the fields that the manager applied last time and no longer applies, unless
/// somebody else owns them.
Result<TypedValue> Updater::prune(const TypedValue& merged, const Owners& owners, const std::string& manager,
                                  const VersionedSet* last) const {
  if (last == nullptr || last->set.empty()) return merged;
  const auto converted = convert_(merged, last->api_version);
  if (!converted) {
    if (is_missing_version(converted.error())) return merged;
    return fail(converted.error().within("failed to convert merged object to last applied version"));
  }
  const Type& type = converted->type().resolve();
  auto pruned = add_back_owned(*converted, converted->remove_items(last->set.with_named_fields(type)),
                               last->api_version, owners);
  if (!pruned) return fail(pruned.error().within("failed add back owned items"));
  pruned = add_back_dangling(*converted, *pruned, *last);
  if (!pruned) return fail(pruned.error().within("failed add back dangling items"));
  return convert_(*pruned, owners.find(manager)->second.api_version);
}

Result<TypedValue> Updater::add_back_owned(TypedValue merged, TypedValue pruned,
                                           const std::string& pruned_version, const Owners& owners) const {
  std::map<std::string, FieldSet, std::less<>> by_version;
  for (const auto& [manager, owned] : owners) {
    FieldSet& all = by_version[owned.api_version];
    all = all.united(owned.set);
  }
  // The version that was pruned first: what is missing there may be what conversions need.
  std::vector<std::pair<std::string, FieldSet>> order;
  if (const auto first = by_version.find(pruned_version); first != by_version.end()) {
    order.emplace_back(first->first, std::move(first->second));
    by_version.erase(first);
  }
  for (auto& [version, owned] : by_version) order.emplace_back(version, std::move(owned));
  for (const auto& [version, owned] : order) {
    auto next_merged = convert_(merged, version);
    if (!next_merged) {
      if (is_missing_version(next_merged.error())) continue;
      return fail(next_merged.error().within("failed to convert merged object at version " + version));
    }
    merged = std::move(*next_merged);
    auto next_pruned = convert_(pruned, version);
    if (!next_pruned) {
      if (is_missing_version(next_pruned.error())) continue;
      return fail(next_pruned.error().within("failed to convert pruned object at version " + version));
    }
    const auto merged_set = merged.to_field_set();
    if (!merged_set) return fail(merged_set.error().within("failed to create field set from merged object"));
    const auto pruned_set = next_pruned->to_field_set();
    if (!pruned_set) return fail(pruned_set.error().within("failed to create field set from pruned object"));
    const Type& type = merged.type().resolve();
    const FieldSet kept = pruned_set->with_named_fields(type).united(owned.with_named_fields(type));
    pruned = merged.remove_items(merged_set->with_named_fields(type).difference(kept));
  }
  return pruned;
}

/// Removes from `merged` only the fields that the manager owned: the others are nobody's, or an updater's.
Result<TypedValue> Updater::add_back_dangling(const TypedValue& merged, const TypedValue& pruned,
                                              const VersionedSet& last) const {
  const auto converted = convert_(pruned, last.api_version);
  if (!converted) {
    if (is_missing_version(converted.error())) return merged;
    return fail(converted.error().within("failed to convert pruned object to last applied version"));
  }
  const auto pruned_set = converted->to_field_set();
  if (!pruned_set) return fail(pruned_set.error().within("failed to create field set from pruned object"));
  const auto merged_set = merged.to_field_set();
  if (!merged_set) return fail(merged_set.error().within("failed to create field set from merged object"));
  const Type& type = merged.type().resolve();
  const FieldSet removed =
      merged_set->with_named_fields(type).difference(pruned_set->with_named_fields(type));
  return merged.remove_items(removed.intersection(last.set.with_named_fields(type)));
}

}  // namespace fairway::apiserver::apply
