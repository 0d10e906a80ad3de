// Storage migration: every object of a kind is written once more, so that the server stores it in the version
// that is now the storage version. spec: crd-versioning, Conversion Controller.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "k8s/label_selector.h"
#include "kube/client/client.h"

namespace fairway::conversion {

struct MigrationRequest {
  std::string group;
  /// Empty: every kind of the group that knows the old version.
  std::string kind;
  std::string old_version, new_version;
  /// Only objects in this namespace, or with these labels. Empty: all.
  std::string namespace_name;
  k8s::LabelSelector labels;
  /// Everything is asked of the server and nothing is written.
  bool dry_run = false;

  /// Whether it reaches every object, so that afterwards no other version is stored.
  bool reaches_all() const { return namespace_name.empty() && labels.is_everything() && !dry_run; }
};

/// How hard the server is worked.
struct MigrationPace {
  /// Writes under way at a time.
  int workers = 4;
  /// Writes in a second; 0: as fast as it goes; otherwise at least `slowest_rate`.
  double objects_per_second = 0;
  /// Objects listed at a time.
  std::int64_t page_size = 500;
  /// How often one object is tried before it is left out.
  int attempts = 5;
  /// How long the new version has to have been seen as the storage version before a pass begins after which
  /// `storedVersions` is trimmed: no shorter than the API server's --request-timeout, whose default this is.
  /// A request that began before the change, and an API server that hears of it late, store in the old
  /// version until then, behind a pass that is there already. 0: it begins at once.
  std::chrono::nanoseconds settle = std::chrono::seconds(60);
};

inline constexpr double slowest_rate = 0.001;

/// What is wrong with a pace: a rate that is no number, negative, or so low that it never comes to its end.
Result<void> check(const MigrationPace& pace);

/// How far the migration of one kind has come. Whoever keeps it can go on after a restart.
struct KindProgress {
  /// "widgets.example.com", and the state of the definition that was checked.
  std::string definition, definition_uid;
  std::int64_t definition_generation = 0;
  /// When the new version was first seen as the storage version of this state of the definition.
  std::optional<WallTime> storage_seen;
  /// Objects written, or found gone; of how many, as far as the server has said.
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
  /// Objects that could not be written, and why the last of them.
  std::int64_t left_out = 0;
  std::string last_error;
  /// Where to go on; empty before the first page and after the last.
  std::string continue_token;
  /// All pages have been worked on.
  bool passed = false;
  /// Nothing is left to do; where all objects were reached, `storedVersions` is the new version alone.
  bool finished = false;

  friend bool operator==(const KindProgress&, const KindProgress&) = default;
};

/// Finds the kinds, in the order of their definitions' names, and checks them; nothing is written. Errors:
/// `not_found` where there is no such kind, or none of the group knows the old version; `conflict` where the
/// new version is not the storage version of one of them; `invalid` for a version that a kind does not have,
/// for a namespace where the kind has none; and those of reading the definitions, which are none of these.
Result<std::vector<KindProgress>> plan_migration(kube::Client& client, const MigrationRequest& request,
                                                 const kube::Limits& limits = {});

/// Takes what is known from before into a new plan: kinds whose definition is still the one that was checked
/// go on where they were, unless something was left out: then they begin again, but need not settle again.
void resume(std::vector<KindProgress>& plan, const std::vector<KindProgress>& before);

/// How long it is until the pass over a kind may begin; 0 where it need not wait (any more). See
/// `MigrationPace::settle`.
std::chrono::nanoseconds settle_left(const KindProgress& progress, const MigrationRequest& request,
                                     const MigrationPace& pace, WallTime now);

/// Told after each page, and before a wait. An Error ends the migration with it.
using Checkpoint = std::function<Result<void>(const KindProgress& progress)>;

/// Writes the objects of one kind, page by page from where `progress` is, and keeps `progress`. What was
/// written before is not written again by the server: an empty patch changes nothing there. Waits before the
/// first page as `settle_left` says.
///
/// After a pass that reached all objects and left none out, `storedVersions` is set to the new version alone,
/// provided that the definition is still as it was checked, which it has to be at the end of any pass but a
/// dry run. Objects that are gone are done; a conflict is tried again, and so is an answer that says to come
/// back; any other refusal leaves the object out.
///
/// Errors: `invalid` for a pace that `check` refuses; `cancelled` by `stop`; `conflict` where the definition
/// has changed; `unavailable` where objects were left out (`progress.last_error` names the last), not one of
/// a whole page could be written, or the definition serves no version; those of listing and of the
/// checkpoint.
Result<void> migrate_kind(kube::Client& client, const MigrationRequest& request, const MigrationPace& pace,
                          KindProgress& progress, const Checkpoint& checkpoint = {},
                          const std::stop_token& stop = {});

}  // namespace fairway::conversion
