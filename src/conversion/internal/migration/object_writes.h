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
  std::int64_t done = 0;
  /// In the order of the page.
  std::vector<FailedWrite> failed = {};
  /// The objects to write once the outage is over, those that were not tried among them, and the error by
  /// which it shows; empty: there is none.
  std::vector<StoredObject> left = {};
  std::string outage = {};

  /// Returns whether nothing was written, for reasons that further objects would fail by as well.
  bool is_hopeless() const;
  /// Moves the objects that an outage may have failed to `left`.
  void retry_suspects();
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
  kube::ApiResult<void> write(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                              const std::stop_token& stop);

  kube::Client& client_;
  const MigrationPace& pace_;
  const bool dry_run_;
  WriteRate& rate_;
  Activity& activity_;
};

}  // namespace fairway::conversion
