// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/client/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "http/dial.h"

namespace fairway::kube {

namespace {

struct Pipe {
  FileDescriptor read, write;
  static Result<Pipe> make() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(ErrorCode::unavailable, "no pipe to be had");
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  }
};

/// Returns this process's environment, with the call's variables added or replaced.
std::vector<std::string> environment_of(const ProgramCall& call) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : call.env) variables[name] = value;
  std::vector<std::string> result;
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// glibc 2.36 declares its own function for C only.
int open_pidfd(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

/// A child in a process group of its own. The group is killed if this is destroyed before the child ends.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid), descriptor_(open_pidfd(pid)) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int descriptor() const { return descriptor_.get(); }
  /// Takes the wait status of a child that has ended.
  int take_status() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
  FileDescriptor descriptor_;
};

Result<pid_t> spawn(const ProgramCall& call, int out, int err) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = call.args;
  arguments.insert(arguments.begin(), call.command);
  std::vector<std::string> environment = environment_of(call);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, call.command.c_str(), &files, &attributes,
                                   pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    const std::string why = std::generic_category().message(error);
    return fail(error == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable, why);
  }
  return pid;
}

/// Reads the available output; false at the end.
bool read_some(int fd, std::string& into) {
  std::array<char, 16'384> buffer{};
  const auto got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  into.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

/// Keeps the end of standard error, which is the most useful part.
void keep_end(std::string& errors) {
  constexpr std::size_t most = 4096;
  if (errors.size() > most) errors.erase(0, errors.size() - most);
}

/// Adds the standard error of the program to an error: a program that waits for input often prints a prompt.
Error with_what_it_said(Error error, const std::string& errors) {
  if (const auto said = trim(errors); !said.empty()) error.message += "; it wrote: " + printable(said, 1000);
  return error;
}

}  // namespace

Result<ProgramResult> run_program(const ProgramCall& call) {
  const std::string doing = "running " + call.command;
  auto out = Pipe::make(), err = Pipe::make();
  if (!out || !err) return fail(ErrorCode::unavailable, doing + ": no pipe to be had");
  const http::SocketWait sockets(call.limits, *call.clock);
  const auto pid = spawn(call, out->write.get(), err->write.get());
  if (!pid) return fail(pid.error().within(doing));
  Child child(*pid);
  if (child.descriptor() < 0) return fail(ErrorCode::unavailable, doing + ": its end cannot be waited for");
  out->write.reset();
  err->write.reset();
  ProgramResult result;
  // A pipe stays open as long as a child of the program holds it: the program's own exit counts.
  bool ended = false;
  while (!ended) {
    std::array<pollfd, 3> fds = {{{.fd = child.descriptor(), .events = POLLIN, .revents = 0},
                                  {.fd = out->read.get(), .events = POLLIN, .revents = 0},
                                  {.fd = err->read.get(), .events = POLLIN, .revents = 0}}};
    if (auto waited = sockets.wait(fds.data(), fds.size(), sockets.limits().deadline); !waited) {
      return fail(with_what_it_said(waited.error().within(doing), result.errors));
    }
    ended = fds[0].revents != 0;
    if (fds[1].revents != 0 && !read_some(out->read.get(), result.output)) out->read.reset();
    if (fds[2].revents != 0 && !read_some(err->read.get(), result.errors)) err->read.reset();
    if (result.output.size() > call.max_output) {
      return fail(ErrorCode::too_large,
                  doing + ": it writes more than " + std::to_string(call.max_output) + " bytes");
    }
    keep_end(result.errors);
  }
  for (const auto& [pipe, text] :
       {std::pair{&out->read, &result.output}, std::pair{&err->read, &result.errors}}) {
    if (!*pipe) continue;
    ::fcntl(pipe->get(), F_SETFL, O_NONBLOCK);
    for (std::size_t before = text->size() + 1; text->size() != before && text->size() <= call.max_output;) {
      before = text->size();
      read_some(pipe->get(), *text);
    }
  }
  if (result.output.size() > call.max_output) {
    return fail(ErrorCode::too_large,
                doing + ": it writes more than " + std::to_string(call.max_output) + " bytes");
  }
  keep_end(result.errors);
  const int status = child.take_status();
  if (!WIFEXITED(status)) {
    return fail(with_what_it_said(
        {ErrorCode::unavailable, doing + ": it was ended by signal " + std::to_string(WTERMSIG(status))},
        result.errors));
  }
  result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace fairway::kube
