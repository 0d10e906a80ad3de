// Child processes of tests, and ports for those that listen.
#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace fairway::testing {

/// A child process with its output in a file; ended when this goes.
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

  /// Sends the signal and waits for the end; the wait status.
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

/// A TCP port of 127.0.0.1 that nobody listens on now. Somebody may before you do: try again then.
inline int free_loopback_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  if (socket < 0) throw std::runtime_error("cannot make a socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0;
  if (bound) getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  close(socket);
  if (!bound) throw std::runtime_error("cannot bind a loopback port");
  return ntohs(address.sin_port);
}

}  // namespace fairway::testing
