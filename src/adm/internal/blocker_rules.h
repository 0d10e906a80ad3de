// SPDX-License-Identifier: Apache-2.0

// Advice against what an update waits for, by the words in which operators report it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adm/caller.h"

namespace fairway::adm {

/// Meaning of a report of an operator, and what usually helps.
struct BlockerAdvice {
  std::string what, help;
  std::vector<std::string> commands;
};

/// Returns the advice for a report: one error of Failing or ReleaseAccepted. `reason` is that of the
/// condition. The words are those of OpenShift's operator, which Fairway's operator has, too
/// (src/payload/update_error.cc). `image` is the release image that is asked for.
BlockerAdvice advise(std::string_view reason, std::string_view report, std::string_view image,
                     const Caller& caller);

}  // namespace fairway::adm
