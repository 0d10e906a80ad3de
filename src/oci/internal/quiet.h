// SPDX-License-Identifier: Apache-2.0

// Keeps a library from writing to standard error.
#pragma once

namespace fairway::oci {

/// Discards output to C's stream `stderr` while an instance exists: librnp always writes there (its functions
/// also return the reason of a failure, and that is reported). The log, C++'s streams and the file descriptor
/// 2 are not affected. Safe from all threads; instances may be nested.
class QuietStderr {
 public:
  QuietStderr();
  ~QuietStderr();
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;
};

}  // namespace fairway::oci
