// SPDX-License-Identifier: Apache-2.0

// A child process whose lines are read as they come.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "support/process.h"

namespace fairway::testing {

/// A process whose output is read line by line. The destructor kills it with SIGKILL, the only signal that
/// ends a stopped (SIGSTOP) one.
class TalkingProcess {
 public:
  /// `on_line` gets each line of standard output and standard error, without its end, on a thread of its own;
  /// `on_end` is called there when the process has closed both, which it does at the latest when it ends.
  TalkingProcess(const std::vector<std::string>& arguments,
                 std::function<void(std::string_view line)> on_line, std::function<void()> on_end = {})
      : pipe_(arguments),
        reader_([&input = pipe_.input, on_line = std::move(on_line), on_end = std::move(on_end)] {
          read_lines(input.get(), on_line);
          if (on_end) on_end();
        }) {}
  ~TalkingProcess() { end(SIGKILL); }
  TalkingProcess(const TalkingProcess&) = delete;
  TalkingProcess& operator=(const TalkingProcess&) = delete;

  void signal(int number) const { pipe_.process->signal(number); }
  /// Sends the signal and waits for the end and the last line; returns the wait status.
  int end(int signal) {
    const int status = pipe_.process->end(signal);
    if (reader_.joinable()) reader_.join();
    return status;
  }

 private:
  /// The process and the end of the pipe to read from.
  struct Pipe {
    explicit Pipe(const std::vector<std::string>& arguments) {
      int ends[2];
      // Closed in other children, or the end of this one would not be seen.
      if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
      input = FileDescriptor(ends[0]);
      const FileDescriptor output(ends[1]);
      process = std::make_unique<Process>(arguments, "/dev/fd/" + std::to_string(output.get()));
    }
    FileDescriptor input;
    std::unique_ptr<Process> process;
  };

  static void read_lines(int input, const std::function<void(std::string_view line)>& on_line) {
    std::string text;
    char bytes[4096];
    while (true) {
      const ssize_t got = ::read(input, bytes, sizeof bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;
      text.append(bytes, static_cast<std::size_t>(got));
      std::size_t begin = 0;
      for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        on_line(std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
      }
      text.erase(0, begin);
    }
  }

  Pipe pipe_;
  std::jthread reader_;
};

}  // namespace fairway::testing
