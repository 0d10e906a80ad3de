// SPDX-License-Identifier: Apache-2.0

// A Git repository of a test's own, made with the git command.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "support/temp_directory.h"

namespace fairway::testing {

class GitRepository {
 public:
  GitRepository() { git("init -q -b main"); }

  const TempDirectory& folder() const { return folder_; }
  std::string text() const { return folder_.text(); }

  /// Runs `git ARGUMENTS` in the working tree, without a user's configuration; returns its output, without
  /// the last line end.
  std::string git(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.text() +
        "' && GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null git -c user.name=Test "
        "-c user.email=test@example.com -c commit.gpgsign=false " +
        arguments + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot run git");
    std::string output;
    char buffer[4096];
    while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, count);
    if (pclose(pipe) != 0) throw std::runtime_error("git " + arguments + ": " + output);
    if (output.ends_with('\n')) output.pop_back();
    return output;
  }
  /// Commits everything in the working tree; returns the commit.
  std::string commit(const std::string& message = "change") const {
    git("add -A");
    git("commit -q --allow-empty -m '" + message + "'");
    return git("rev-parse HEAD");
  }

 private:
  TempDirectory folder_;
};

}  // namespace fairway::testing
