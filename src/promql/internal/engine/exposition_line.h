// SPDX-License-Identifier: Apache-2.0

// Parts of a line of the text exposition format.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "promql/engine/labels.h"
#include "promql/engine/value.h"

namespace fairway::promql {

/// Takes a series off the front of a line, `up{job="a"}`, as Prometheus's text parser reads it: by other
/// rules than those of queries. The error says what is wrong with it. A series may have neither a name nor
/// labels.
std::expected<LabelsRef, std::string> take_series(std::string_view& line);

/// Reads a time in milliseconds since 1970 (written with a dot: seconds). The error says what is wrong with
/// it.
std::expected<Timestamp, std::string> read_timestamp(std::string_view text);

}  // namespace fairway::promql
