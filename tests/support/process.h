// SPDX-License-Identifier: Apache-2.0

// Child processes of tests, and ports for those that listen.
#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fairway::testing {

/// A child process with its output in a file; ended by the destructor.
class Process {
 public:
  Process(const std::vector<std::string>& arguments, const std::string& output) {
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("cannot fork");
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // never left over, even where the test dies
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0) _exit(126);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  ~Process() { end(SIGTERM); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Its process ID; -1 once it has ended.
  pid_t pid() const { return pid_; }
  /// Sends the signal and waits for the end; returns the wait status.
  int end(int signal) {
    if (pid_ <= 0) return status_;
    kill(pid_, signal);
    return wait();
  }
  /// Sends the signal, and waits for nothing.
  void signal(int number) const {
    if (pid_ > 0) kill(pid_, number);
  }
  int wait() {
    if (pid_ > 0) waitpid(pid_, &status_, 0);
    pid_ = -1;
    return status_;
  }
  bool running() {
    if (pid_ <= 0) return false;
    if (waitpid(pid_, &status_, WNOHANG) == 0) return true;
    pid_ = -1;
    return false;
  }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

/// Returns a TCP port of 127.0.0.1 that nobody listens on, and that no other test gets while this process
/// lives. It is below the kernel's ephemeral ports: one of those might be given to another process before the
/// test listens on it.
inline int free_loopback_port() {
  constexpr int first = 10'000;
  int last = 32'767;
  std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
  if (int lowest = 0; range >> lowest && lowest > 2 * first) last = lowest - 1;
  static std::atomic<int> next = static_cast<int>(::getpid()) * 101;
  for (int tries = 0; tries < last - first; ++tries) {
    const int port = first + next++ % (last - first);
    // The port's name is this process's until it ends: no other test takes it meanwhile.
    const int holder = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string text = "fairway-test-port-" + std::to_string(port);
    std::ranges::copy(text, name.sun_path + 1);
    const auto name_size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    if (holder < 0 || bind(holder, reinterpret_cast<sockaddr*>(&name), name_size) != 0) {
      if (holder >= 0) close(holder);
      continue;
    }
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool is_free =
        socket >= 0 && bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    if (socket >= 0) close(socket);
    if (is_free) return port;
    close(holder);
  }
  throw std::runtime_error("no loopback port is free");
}

}  // namespace fairway::testing
