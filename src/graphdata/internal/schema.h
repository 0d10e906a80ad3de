// SPDX-License-Identifier: Apache-2.0

// The file `version`: which schema graph data follows.
#pragma once

#include "base/result.h"
#include "base/semver.h"
#include "graphdata/load.h"

namespace fairway::graphdata {

/// Returns the schema version in the file `version`; an Error if it is missing, no version, or not 1.x.
Result<Version> read_schema_version(const Files& files);

}  // namespace fairway::graphdata
