// SPDX-License-Identifier: Apache-2.0

// Storage migration: writes every object of a kind once, so that the server stores it in the current storage
// version.
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
#include "conversion/migration/left_out.h"
#include "k8s/label_selector.h"
#include "kube/client/client.h"

namespace fairway::conversion {

struct MigrationRequest {
  std::string group = {};
  /// The kind; empty: every kind of the group that has the old version.
  std::string kind = {};
  std::string old_version = {}, new_version = {};
  /// The namespace, and the labels, of the objects to migrate. Empty: all.
  std::string namespace_name = {};
  k8s::LabelSelector labels = {};
  /// Every write is sent as a dry run.
  bool dry_run = false;

  /// Returns whether it covers all objects, so that afterwards no other version is stored.
  bool reaches_all() const { return namespace_name.empty() && labels.is_everything() && !dry_run; }
};

/// The rate of a migration.
struct MigrationPace {
  /// Concurrent writes.
  int workers = 4;
  /// Writes per second; 0: no limit; otherwise at least `slowest_rate`.
  double objects_per_second = 0;
  /// Objects per page.
  std::int64_t page_size = 500;
  /// Attempts per object before it is left out.
  int attempts = 5;
  /// Time that the new version must have been observed as the storage version before a pass that ends with
  /// trimming `storedVersions`: at least the API server's --request-timeout, whose default this is. A request
  /// accepted before the change, and an API server that observes it late, may store in the old version until
  /// then, and a pass already beyond that object would miss it. 0: start immediately.
  std::chrono::nanoseconds settle = std::chrono::seconds(60);
};

inline constexpr double slowest_rate = 0.001;

/// Validates a pace: the rate must be a number, not negative, and not too low ever to finish.
Result<void> check(const MigrationPace& pace);

/// An outage that a migration waits out.
struct Waiting {
  WallTime since = {};
  /// The error by which it shows.
  std::string answer = {};
  /// In the page that waits: the objects written and those that failed for another reason, which
  /// `KindProgress` does not count yet, and "namespace/name" of those that were tried and are tried again.
  std::int64_t written = 0, failed = 0;
  std::vector<std::string> objects = {};

  /// Returns "waiting for the webhook since TIME: ANSWER", or the same of the API server.
  std::string describe() const;
  friend bool operator==(const Waiting&, const Waiting&) = default;
};

/// The progress of the migration of one kind; persist it to continue after a restart.
struct KindProgress {
  /// "widgets.example.com", and uid and generation of the definition that was checked.
  std::string definition = {}, definition_uid = {};
  std::int64_t definition_generation = 0;
  /// Time at which the new version was first observed as the storage version of this generation.
  std::optional<WallTime> storage_seen = {};
  /// Objects written or deleted meanwhile; and the total, as far as the server has reported it.
  std::int64_t done = 0;
  std::optional<std::int64_t> total = {};
  /// Objects that could not be written, and the last error.
  LeftOut left_out = {};
  std::string last_error = {};
  /// True if the server could not read an object. Others right before it may have been passed over.
  bool unread = false;
  /// The webhook or the API server cannot be reached.
  std::optional<Waiting> waiting = {};
  /// The continue token; empty before the first page and after the last.
  std::string continue_token = {};
  /// All pages have been processed.
  bool passed = false;
  /// Complete; if all objects were covered, `storedVersions` is the new version only.
  bool finished = false;

  /// Returns whether `left_out` names every object that may still be stored in another version, as far as the
  /// pass has come.
  bool names_what_is_left() const { return left_out.names_all() && !unread; }

  friend bool operator==(const KindProgress&, const KindProgress&) = default;
};

/// Finds the kinds, sorted by the names of their definitions, and checks them; writes nothing. Errors:
/// `not_found` if there is no such kind, or none of the group has the old version; `conflict` if the new
/// version is not the storage version of one of them; `invalid` for a version that a kind does not have, or a
/// namespace with a cluster-scoped kind; and those of reading the definitions, which have other codes.
Result<std::vector<KindProgress>> plan_migration(kube::Client& client, const MigrationRequest& request,
                                                 const Limits& limits = {});

/// Merges earlier progress into a new plan: kinds whose definition has not changed continue. After the pass
/// only the objects that were left out are tried again. If those are not all known by name, the kind starts
/// again, without settling again.
void resume(std::vector<KindProgress>& plan, const std::vector<KindProgress>& before);

/// The remaining wait before the pass over a kind; 0 if none. See
/// `MigrationPace::settle`.
std::chrono::nanoseconds settle_left(const KindProgress& progress, const MigrationRequest& request,
                                     const MigrationPace& pace, WallTime now);

/// Called after each page, before a wait, and when an outage begins or shows otherwise. Its Error ends the
/// migration.
using Checkpoint = std::function<Result<void>(const KindProgress& progress)>;

/// Writes the objects of one kind, page by page from `progress`, and updates `progress`. Objects already
/// stored in the new version are not written again by the server: the empty patch changes nothing. Waits
/// `settle_left` before the first page.
///
/// Objects are listed in the version in which they are stored, where that is served, so that no conversion
/// is needed: one object that does not convert fails a page. A page that cannot be read in any version is
/// halved until the object is found.
///
/// A webhook or an API server that cannot be reached is waited for (`progress.waiting`), and leaves no object
/// out.
///
/// The definition is watched meanwhile: as soon as its spec changes, or it is deleted, the migration ends.
/// After a pass over all objects that left none out, `storedVersions` is set to the new version only, in the
/// definition that the pass began with.
/// Deleted objects count as done; conflicts and replies with Retry-After are retried; any other error leaves
/// the object out, by name (`progress.left_out`), and the others are written.
///
/// Errors: `invalid` for an invalid pace (`check`); `cancelled` by `stop`; `conflict` if the definition has
/// changed, with what has; `unavailable` if objects were left out, if no object of a whole page could be
/// written for a reason that is not about the objects (no right), if an object cannot be read and
/// not be named either, or if the definition serves no version; those of listing and of the checkpoint.
Result<void> migrate_kind(kube::Client& client, const MigrationRequest& request, const MigrationPace& pace,
                          KindProgress& progress, const Checkpoint& checkpoint = {},
                          const std::stop_token& stop = {});

}  // namespace fairway::conversion
