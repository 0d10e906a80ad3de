// Keeps a library from writing to standard error.
#pragma once

namespace fairway::oci {

/// While one is there, what is printed to C's stream `stderr` goes nowhere: librnp writes there whatever is
/// asked of it (its functions say why they failed as well, and that is what is reported). The log, C++'s
/// streams and the file descriptor 2 stay as they are. Safe from all threads, and one in another.
class QuietStderr {
 public:
  QuietStderr();
  ~QuietStderr();
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;
};

}  // namespace fairway::oci
