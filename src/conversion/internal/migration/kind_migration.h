// SPDX-License-Identifier: Apache-2.0

// The migration of one kind beside those of others.
#pragma once

#include "conversion/internal/migration/activity.h"
#include "conversion/internal/migration/write_rate.h"
#include "conversion/migration/migration.h"

namespace fairway::conversion {

/// Runs `migrate_kind` with a rate that several migrations share, instead of the pace's `objects_per_second`.
/// `activity` records each request that was answered.
Result<void> migrate_kind(kube::Client& client, const MigrationRequest& request, const MigrationPace& pace,
                          WriteRate& rate, Activity& activity, KindProgress& progress,
                          const Checkpoint& checkpoint = {}, const std::stop_token& stop = {});

}  // namespace fairway::conversion
