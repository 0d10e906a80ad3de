// SPDX-License-Identifier: Apache-2.0

// Workflow commands of GitHub Actions: lines of a job's output that become annotations.
#pragma once

#include <string>

namespace fairway::cli {

enum class GithubLevel { error, warning, notice };

struct GithubAnnotation {
  GithubLevel level = GithubLevel::warning;
  std::string file = {};  ///< relative to the root of the repository; "" for none
  int line = 0, column = 0;
  std::string title = {}, text = {};
};

/// Returns "::error file=F,line=1,col=2,title=T::TEXT\n", with separators within its parts escaped.
std::string github_command(const GithubAnnotation& annotation);

}  // namespace fairway::cli
