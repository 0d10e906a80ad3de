// SPDX-License-Identifier: Apache-2.0

// The folder of a store: the etcd makes it, and the kube-apiserver makes sure that it is the etcd's.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace fairway::envtest {

/// Header with the text that a kube-apiserver wants to have signed.
inline constexpr const char* challenge_header = "Fairway-Challenge";

/// A folder that this user alone may enter, and the secret in it.
struct StoreFolder {
  std::filesystem::path path = {};
  /// Secret by which the process that answers for the folder shows that it can read it.
  std::string mark = {};
};

/// Makes `.fairway-store` in the folder of --data-dir, with the mode 0700 and a mark. One that is there
/// keeps what is in it. Errors: it is no folder (a symbolic link is none); it is another user's; others may
/// write to it and it has entries, which may be theirs; it cannot be made.
Result<StoreFolder> make_store_folder(const std::filesystem::path& data);

/// Opens the folder that an etcd tells, which may be anybody's process. Changes nothing. Errors: the path is
/// relative, or no folder of this user with the mode 0700 and a mark (a symbolic link is none).
Result<StoreFolder> open_store_folder(const std::filesystem::path& path);

/// Returns a new text that nobody can guess.
Result<std::string> make_secret();

/// Returns the answer to a challenge: only who can read the folder has it.
std::string answer_to(const std::string& challenge, const StoreFolder& folder);

}  // namespace fairway::envtest
