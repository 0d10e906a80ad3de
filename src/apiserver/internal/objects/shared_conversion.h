// SPDX-License-Identifier: Apache-2.0

// Conversions that take a webhook, made once for all who want them at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "apiserver/internal/resources/strategy.h"
#include "apiserver/internal/storage/record.h"
#include "base/clock.h"
#include "k8s/status.h"

namespace fairway::apiserver::objects {

/// The text of an object in another version; null: as it is stored.
using ConvertedText = k8s::StatusResult<std::optional<std::string>>;

/// Returns the text that is kept with a record under `tag`, or makes it by `convert`. All threads that ask
/// while one converts wait for it and get its answer, each with a place of `strategy` and no longer than its
/// caller waits. A failure is theirs, too, and that of everybody who asks within a second: the many watchers
/// of one event do not ask a failing webhook one after the other. A failure that is the caller's own (gone,
/// out of time, out of places) is nobody else's: the next one converts. Takes the tag after `tag`, too. The
/// text lives as long as the record, an error until the thread's next one. `clock` measures that second.
const ConvertedText& convert_once_for_all(const storage::Record& record, std::uint64_t tag,
                                          const resources::Strategy& strategy,
                                          const std::function<ConvertedText()>& convert,
                                          const Clock& clock = Clock::system());

}  // namespace fairway::apiserver::objects
