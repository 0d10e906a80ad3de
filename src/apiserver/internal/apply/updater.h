// SPDX-License-Identifier: Apache-2.0

// The owners of fields after a write: the rules of updates and of server-side apply.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apiserver/internal/apply/field_filter.h"
#include "apiserver/internal/apply/field_set.h"
#include "apiserver/internal/apply/typed_value.h"
#include "base/result.h"

namespace fairway::apiserver::apply {

/// The fields that a manager owns, in the terms of one version of the API.
struct VersionedSet {
  FieldSet set;
  std::string api_version;
  bool applied = false;
  friend bool operator==(const VersionedSet&, const VersionedSet&) = default;
};

/// Owned fields by manager.
using Owners = std::map<std::string, VersionedSet, std::less<>>;

/// A field that an apply would take from another manager.
struct Conflict {
  std::string manager;
  Path path;
  friend bool operator==(const Conflict&, const Conflict&) = default;
};
using Conflicts = std::vector<Conflict>;

/// The reason why an apply failed.
using ApplyFailure = std::variant<Conflicts, Error>;

/// Converts a value to another version. Errors: `not_found` if the version does not exist (any more): the
/// fields owned in it are then nobody's. All others end the write.
using Converter = std::function<Result<TypedValue>(const TypedValue& value, const std::string& api_version)>;

/// Updates ownership after writes.
/// Rules: sigs.k8s.io/structured-merge-diff/v6/merge.
class Updater {
 public:
  /// Makes an updater. `ignored`: the fields that requests cannot own.
  explicit Updater(Converter convert, FieldFilters ignored = {});

  /// Returns the owners after `manager` wrote `next` in place of `live`, both of `api_version`.
  Result<Owners> update(const TypedValue& live, const TypedValue& next, const std::string& api_version,
                        Owners owners, const std::string& manager) const;

  struct Applied {
    /// The new value; std::nullopt: nothing has changed.
    std::optional<TypedValue> value;
    Owners owners;
  };
  /// Applies `config` to `live`, both of `api_version`, and removes the fields that the manager no longer
  /// sets. Without `force`, other managers' fields that would change are conflicts, sorted by manager.
  std::expected<Applied, ApplyFailure> apply(const TypedValue& live, const TypedValue& config,
                                             const std::string& api_version, Owners owners,
                                             const std::string& manager, bool force) const;

 private:
  using Versions = std::map<std::string, Comparison, std::less<>>;

  FieldSet allowed(FieldSet set, const std::string& api_version) const;
  Comparison allowed(Comparison comparison, const std::string& api_version) const;
  Result<Owners> reconcile(const TypedValue& live, const Owners& owners) const;
  Result<const Comparison*> compare_in(const std::string& api_version, const TypedValue& live,
                                       const TypedValue& next, Versions& versions) const;
  std::expected<Comparison, ApplyFailure> take_over(const TypedValue& live, const TypedValue& next,
                                                    const std::string& api_version, Owners& owners,
                                                    const std::string& manager, bool force) const;
  Result<TypedValue> prune(const TypedValue& merged, const Owners& owners, const std::string& manager,
                           const VersionedSet* last) const;
  Result<TypedValue> add_back_owned(TypedValue merged, TypedValue pruned, const std::string& pruned_version,
                                    const Owners& owners) const;
  Result<TypedValue> add_back_dangling(const TypedValue& merged, const TypedValue& pruned,
                                       const VersionedSet& last) const;

  Converter convert_;
  FieldFilters ignored_;
};

}  // namespace fairway::apiserver::apply
