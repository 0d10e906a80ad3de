// SPDX-License-Identifier: Apache-2.0

// The writes of a migration: an empty patch for each object.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "conversion/internal/migration/activity.h"
#include "conversion/internal/migration/outage.h"
#include "conversion/internal/migration/stored_pages.h"
#include "conversion/internal/migration/write_rate.h"
#include "conversion/migration/migration.h"

namespace fairway::conversion {

/// An object that could not be written.
struct FailedWrite {
  StoredObject object = {};
  /// The server's message, or the error of the request.
  std::string error = {};
  Fault fault = Fault::object;
};

/// The result of writing a page.
struct WrittenPage {
  /// Objects that fail for what may be an outage, with none that is written, before no more are tried.
  static constexpr int enough_to_tell = 8;

  std::int64_t done = 0;
  /// Objects of `done` that do not exist any more.
  std::int64_t gone = 0;
  /// In the order of the page.
  std::vector<FailedWrite> failed = {};
  /// Objects that an outage may have failed, to be tried again.
  std::vector<FailedWrite> suspects = {};
  /// Objects that were not tried, because of an outage.
  std::vector<StoredObject> untried = {};

  /// Returns whether nothing was written, for reasons that further objects would fail by as well.
  bool is_hopeless() const;
  /// Returns whether the suspects may be to blame: none shows an outage for certain.
  bool is_in_doubt() const;
  /// The objects to try again.
  std::vector<StoredObject> left() const;
};

/// Writes objects by empty patches: the server reads the object, and stores it again if the bytes differ.
class ObjectWrites {
 public:
  /// Everything must outlive this.
  ObjectWrites(kube::Client& client, const MigrationPace& pace, bool dry_run, WriteRate& rate,
               Activity& activity)
      : client_(client), pace_(pace), dry_run_(dry_run), rate_(rate), activity_(activity) {}

  /// Writes objects on the pace's number of threads. Deleted objects count as done; conflicts and what may
  /// pass are tried again. In an outage no more objects are tried. When stopped, the objects that were not
  /// reached are in no part.
  WrittenPage write(const k8s::GroupVersionResource& resource, std::span<const StoredObject> objects,
                    const std::stop_token& stop);

 private:
  bool wait_for_turn(const std::stop_token& stop);
  /// Returns whether the object was written; false: it does not exist any more.
  kube::ApiResult<bool> write(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                              const std::stop_token& stop);

  kube::Client& client_;
  const MigrationPace& pace_;
  const bool dry_run_;
  WriteRate& rate_;
  Activity& activity_;
};

}  // namespace fairway::conversion
