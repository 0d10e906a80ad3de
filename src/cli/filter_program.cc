// SPDX-License-Identifier: Apache-2.0

#include "cli/filter_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace fairway::cli {

namespace {

/// Both ends of a pipe, closed by the destructor.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() = default;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  bool open() { return pipe2(ends.data(), O_CLOEXEC) == 0; }
  void close_end(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

/// A scope in which a program that ends early does not end us with it.
class BrokenPipes {
 public:
  BrokenPipes() : old_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~BrokenPipes() { std::signal(SIGPIPE, old_); }
  BrokenPipes(const BrokenPipes&) = delete;
  BrokenPipes& operator=(const BrokenPipes&) = delete;

 private:
  void (*old_)(int);
};

struct Pipes {
  Pipe input, output, errors;
};

/// Reads what there is into `text`; closes the pipe at its end.
void take(Pipe& pipe, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t got = read(pipe.ends[0], buffer.data(), buffer.size());
  if (got > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  } else {
    pipe.close_end(0);
  }
}

/// Returns whether the program has ended; it is not waited for.
bool has_ended(pid_t child) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != EINTR;
  return info.si_pid == child;
}

/// Writes `rest` and reads the output at the same time: any of the pipes may fill up first. Returns when the
/// program has ended, and what it wrote is read: others to which it gave its pipes may hold them open.
Result<void> exchange(pid_t child, Pipes& pipes, std::string_view rest, FilterResult& result,
                      const Limits& limits, std::size_t most_bytes) {
  // How soon a stop request is noticed; and the end of a program that has closed its output.
  constexpr int poll_ms = 100;
  int pause_ms = 1;
  Clock& clock = Clock::system();
  while (true) {
    if (limits.stop.stop_requested()) return fail(ErrorCode::cancelled, "it was stopped");
    if (limits.expired(clock)) return fail(ErrorCode::deadline_exceeded, "it did not end in time");
    const bool ended = has_ended(child);
    const bool is_silent = pipes.output.ends[0] < 0 && pipes.errors.ends[0] < 0;
    if (ended && is_silent) return {};
    if (rest.empty() || ended) pipes.input.close_end(1);
    std::array<pollfd, 3> waiting{pollfd{pipes.output.ends[0], POLLIN, 0},
                                  pollfd{pipes.errors.ends[0], POLLIN, 0},
                                  pollfd{pipes.input.ends[1], POLLOUT, 0}};
    const int ready = poll(waiting.data(), waiting.size(), ended ? 0 : is_silent ? pause_ms : poll_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) {
      return fail(ErrorCode::unavailable, std::string("its output cannot be read: ") + std::strerror(errno));
    }
    if (ended && ready == 0) return {};
    if (is_silent) pause_ms = std::min(pause_ms * 2, poll_ms);
    if (waiting[2].revents != 0) {
      const ssize_t written =
          write(pipes.input.ends[1], rest.data(), std::min<std::size_t>(rest.size(), 4096));
      rest.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : rest.size());
    }
    if (waiting[0].revents != 0) take(pipes.output, result.output);
    if (waiting[1].revents != 0) take(pipes.errors, result.errors);
    if (result.output.size() + result.errors.size() > most_bytes) {
      return fail(ErrorCode::too_large, "it wrote more than " + std::to_string(most_bytes) + " bytes");
    }
  }
}

/// Kills the program, if it is still there, and what it has started, and returns its status. What the kernel
/// does not end in time is left alone.
int end_group(pid_t child) {
  constexpr int most_waits = 500;
  // Before it is waited for: its id is that of the group until then.
  ::kill(-child, SIGKILL);
  int status = 0;
  for (int i = 0; i < most_waits; ++i) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    poll(nullptr, 0, 10);
  }
  return status;
}

}  // namespace

Result<FilterResult> run_filter(const std::vector<std::string>& words, std::string_view input,
                                const Limits& limits, std::size_t most_bytes) {
  Pipes pipes;
  if (!pipes.input.open() || !pipes.output.open() || !pipes.errors.open()) {
    return fail(ErrorCode::unavailable, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes.input.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes.output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes.errors.ends[1], STDERR_FILENO);
  // It gets the signals that this process may have blocked (`StopSignals`).
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int spawned =
      posix_spawnp(&child, arguments.front(), &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (spawned != 0) {
    return fail(spawned == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable,
                "starting `" + words.front() + "`: " + std::strerror(spawned));
  }
  pipes.input.close_end(0);
  pipes.output.close_end(1);
  pipes.errors.close_end(1);
  FilterResult result;
  Result<void> exchanged;
  {
    const BrokenPipes ignored;
    exchanged = exchange(child, pipes, input, result, limits, most_bytes);
  }
  pipes.input.close_end(1);
  const int status = end_group(child);
  if (!exchanged) return fail(exchanged.error().within("running `" + words.front() + "`"));
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace fairway::cli
