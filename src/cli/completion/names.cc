// SPDX-License-Identifier: Apache-2.0

#include "cli/completion/names.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/text.h"
#include "command_line/model.h"
#include "command_line/run.h"

namespace fairway::cli {
namespace {

/// Returns a value as a shell gives it to a command: in the words that it completes, `~` is still `~`.
std::string without_tilde(const std::string& value) {
  const char* home = std::getenv("HOME");
  return value.starts_with("~/") && home != nullptr ? home + value.substr(1) : value;
}

/// Returns the words of the command that prints the names, with those flags of the line that it has, too.
std::vector<std::string> names_command(NamesAllowed wanted, const std::vector<GivenFlag>& flags,
                                       const CLI::App& root) {
  const CLI::App& names = *root.get_subcommand("adm")->get_subcommand("upgrade")->get_subcommand("names");
  std::vector<std::string> words{"adm", "upgrade", names.get_name(),
                                 wanted == NamesAllowed::versions ? "versions" : "channels"};
  for (const GivenFlag& given : flags) {
    const std::string spelling = command_line::spellings(*given.option).back();
    const CLI::Option* own = names.get_option_no_throw(spelling);
    if (own == nullptr || command_line::value_name(*own).empty()) continue;
    words.push_back(spelling);
    words.push_back(without_tilde(given.value));
  }
  return words;
}

/// Runs a command with its output in `out`, and all else from and to nowhere.
[[noreturn]] void run_command(command_line::Context& context, const std::vector<std::string>& words,
                              int out) {
  // What it starts, such as a program for credentials, ends with it, and cannot ask at the terminal.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  int exit_code = command_line::exit_usage;
  if (nowhere >= 0 && ::dup2(nowhere, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
      ::dup2(nowhere, STDERR_FILENO) >= 0 && command_line::reparse(*context.root, words)) {
    // The action that asks for the names has now gone from the context: nothing of it is used from here on.
    exit_code = context.action();
    std::fflush(stdout);
  }
  ::_exit(exit_code);
}

/// Reads to the end of a pipe. Returns whether it came within the limits.
bool read_to_end(int pipe, const Limits& limits, std::string& text) {
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limits.remaining(Clock::system()));
    pollfd waiting{pipe, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (limits.expired(Clock::system())) return false;
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ready < 0 ? -1 : ::read(pipe, buffer.data(), buffer.size());
    if (got < 0) return false;
    if (got == 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::vector<std::string> ask_names(NamesAllowed wanted, const std::vector<GivenFlag>& flags,
                                   command_line::Context& context, const Limits& limits) {
  std::array<int, 2> ends{};
  if (wanted == NamesAllowed::none || ::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const std::vector<std::string> words = names_command(wanted, flags, *context.root);
  // In a process of its own it can be given up wherever it waits, without a limit in each call that it makes.
  const pid_t child = ::fork();
  if (child == 0) run_command(context, words, writing.get());
  writing.reset();
  if (child < 0) return {};
  ::setpgid(child, child);  // as it does itself: whoever comes first
  std::string text;
  const bool has_answered = read_to_end(reading.get(), limits, text);
  if (!has_answered) ::kill(-child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::vector<std::string> names;
  if (!has_answered) return names;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) names.emplace_back(line);
  return names;
}

}  // namespace fairway::cli
