// SPDX-License-Identifier: Apache-2.0

// The difference of two releases as text, for people and for a pull request.
#pragma once

#include <string>

#include "payload/release_diff.h"
#include "payload/release_image.h"

namespace fairway::cli {

/// The difference of two releases, and what it is of. The releases outlive it.
struct DiffReport {
  const payload::ReleaseImage &from, &to;
  const payload::Selection& selection;
  payload::ReleaseDiff diff;
};

/// Returns counts, and the changes in groups: what may break or surprise comes first. A group shows 20
/// entries, an entry 5 lines; more are counted.
std::string to_diff_text(const DiffReport& report);
/// Returns a comment for a pull request, with the same counts and groups. It is cut to the length that GitHub
/// accepts.
std::string to_diff_markdown(const DiffReport& report);

}  // namespace fairway::cli
