// SPDX-License-Identifier: Apache-2.0

#include "cli/graph/render_svg.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <string_view>

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

/// Writes `input` and reads the output at the same time: either pipe may fill up first.
std::string exchange(Pipe& input, Pipe& output, std::string_view rest) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    std::array<pollfd, 2> waiting{pollfd{output.ends[0], POLLIN, 0},
                                  pollfd{rest.empty() ? -1 : input.ends[1], POLLOUT, 0}};
    if (rest.empty()) input.close_end(1);
    if (poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if (waiting[1].revents != 0) {
      const ssize_t written = write(input.ends[1], rest.data(), std::min<std::size_t>(rest.size(), 4096));
      rest.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : rest.size());
    }
    if (waiting[0].revents != 0) {
      const ssize_t got = read(output.ends[0], buffer.data(), buffer.size());
      if (got <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }
  return text;
}

}  // namespace

Result<std::string> render_svg(const std::string& dot) {
  Pipe input, output;
  if (!input.open() || !output.open()) {
    return fail(ErrorCode::internal, std::string("drawing SVG: cannot make a pipe: ") + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  std::string name = "dot", flag = "-Tsvg";
  std::array<char*, 3> arguments{name.data(), flag.data(), nullptr};
  pid_t child = 0;
  const int spawned = posix_spawnp(&child, "dot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned == ENOENT) {
    return fail(ErrorCode::unsupported,
                "-o svg needs Graphviz's `dot`, which is not installed (Debian: apt-get install graphviz); "
                "-o dot and -o mermaid need nothing");
  }
  if (spawned != 0)
    return fail(ErrorCode::internal, std::string("starting `dot`: ") + std::strerror(spawned));
  input.close_end(0);
  output.close_end(1);
  // A `dot` that ends early must not end us with it.
  auto* const old_handler = std::signal(SIGPIPE, SIG_IGN);
  std::string svg = exchange(input, output, dot);
  std::signal(SIGPIPE, old_handler);
  input.close_end(1);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail(ErrorCode::internal, "drawing SVG: `dot -Tsvg` failed; -o dot prints what it was given");
  }
  return svg;
}

}  // namespace fairway::cli
