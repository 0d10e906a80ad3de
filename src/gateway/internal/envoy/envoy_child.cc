// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/envoy/envoy_child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace fairway::gateway {

namespace {

/// Time that a replaced Envoy may live after its drain time.
constexpr std::chrono::seconds grace{2};

std::string base_id_file(const EnvoyOptions& options) {
  return (options.data / "envoy-base-id").string();
}

/// Returns the path of the sockets over which an Envoy and its replacement communicate, and pass on listening
/// sockets. It is in the private folder; by default Envoy uses abstract sockets, which any process of the
/// machine may connect to. Envoy adds `_ROLE_NUMBER` to the path, and cuts what is longer than the kernel
/// accepts. Errors: the path is too long for that.
Result<std::string> restart_socket(const EnvoyOptions& options) {
  constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  // Envoy widens its number with the sign of 32 bits.
  constexpr std::string_view longest_end = "_udp_parent_18446744073709551615";
  std::string path = (options.xds_socket.parent_path() / "r").string();
  if (path.size() + longest_end.size() <= longest) return path;
  return fail(ErrorCode::invalid, "starting Envoy: the path of its sockets, " + printable(path) +
                                      std::string(longest_end) + ", has more than " +
                                      std::to_string(longest) + " bytes: use a --data with a shorter path");
}

/// Returns the base ID that Envoy has chosen and written; empty: it has written none.
std::string base_id(const EnvoyOptions& options) {
  const auto text = read_file(base_id_file(options));
  const bool is_number = text && !text->empty() && text->find_first_not_of("0123456789") == std::string::npos;
  return is_number ? *text : "";
}

/// Starts a program, which ends with this process. Between fork and exec it makes only calls that are safe
/// there.
Result<pid_t> spawn(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0)
    return fail(ErrorCode::unavailable, "starting " + printable(words.front()) + ": " + std::strerror(errno));
  if (child > 0) return child;
  // Ctrl-C is for the controller, which lets connections end.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // Envoy does not raise it itself, and shells give 1,024.
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    descriptors.rlim_cur = descriptors.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

Result<EnvoyChild> EnvoyChild::start(const EnvoyOptions& options, const std::string& bootstrap,
                                     const EnvoyChild* parent) {
  const auto socket = restart_socket(options);
  if (!socket) return fail(socket.error());
  // Envoy takes no drain of no time.
  const std::chrono::seconds drain = std::max(options.drain, std::chrono::seconds(1));
  std::vector<std::string> words = {options.program,
                                    "-c",
                                    bootstrap,
                                    "--log-level",
                                    "warning",
                                    "--drain-time-s",
                                    std::to_string(drain.count()),
                                    "--parent-shutdown-time-s",
                                    std::to_string((drain + grace).count()),
                                    "--socket-path",
                                    *socket,
                                    "--socket-mode",
                                    "600"};
  unsigned epoch = 0;
  if (parent == nullptr) {
    std::error_code gone;
    std::filesystem::remove(base_id_file(options), gone);
    words.insert(words.end(), {"--use-dynamic-base-id", "--base-id-path", base_id_file(options)});
  } else {
    const std::string id = base_id(options);
    if (id.empty())
      return fail(ErrorCode::unavailable,
                  base_id_file(options) + " has no number: Envoy has not begun, or another wrote the file");
    epoch = parent->epoch_ + 1;
    words.insert(words.end(), {"--base-id", id, "--restart-epoch", std::to_string(epoch)});
  }
  const auto pid = spawn(std::move(words));
  if (!pid) return fail(pid.error());
  return EnvoyChild(*pid, epoch);
}

std::optional<int> EnvoyChild::ended() const {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == 0) return std::nullopt;
  return status;
}

void EnvoyChild::signal(int number) const {
  ::kill(pid_, number);
}

void EnvoyChild::remove_shared_memory(const EnvoyOptions& options) const {
  const std::string id = base_id(options);
  // Envoy multiplies the number that it was given.
  if (!id.empty()) ::unlink(("/dev/shm/envoy_shared_memory_" + id + "0").c_str());
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace fairway::gateway
