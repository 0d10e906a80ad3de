// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/client/subprocess.h"

#include <gtest/gtest.h>

#include <signal.h>

#include <fstream>
#include <thread>

#include "support/eventually.h"
#include "support/temp_directory.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;

ProgramCall shell(const std::string& script) {
  ProgramCall call;
  call.command = "sh";
  call.args = {"-c", script};
  call.limits.deadline = std::chrono::steady_clock::now() + 30s;
  return call;
}

TEST(Program, GivesItsOutputAndExitCode) {
  ProgramCall call = shell("cat; echo \"$A$HOME\"; echo wrong >&2; exit 3");
  call.env = {{"A", "a="}, {"HOME", "h"}};
  const auto result = run_program(call);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "a=h\n");
  EXPECT_EQ(result->errors, "wrong\n");
  EXPECT_EQ(result->exit_code, 3);
}

TEST(Program, GivesLargeOutputWholeAndTheEndOfItsErrors) {
  const auto result =
      run_program(shell("head -c 500000 /dev/zero | tr '\\0' x; head -c 500000 /dev/zero >&2; echo end >&2"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, std::string(500'000, 'x'));
  EXPECT_LE(result->errors.size(), 4096U);
  EXPECT_TRUE(result->errors.ends_with("end\n"));
}

TEST(Program, IsNotThere) {
  ProgramCall call = shell("");
  call.command = "fairway-has-no-such-program";
  EXPECT_EQ(run_program(call).error().code, ErrorCode::not_found);
  call.command = "/";
  EXPECT_EQ(run_program(call).error().code, ErrorCode::unavailable);
}

TEST(Program, WritesTooMuch) {
  ProgramCall call = shell("yes");
  call.max_output = 1000;
  EXPECT_EQ(run_program(call).error().code, ErrorCode::too_large);
}

TEST(Program, IsEndedByASignal) {
  const auto result = run_program(shell("echo open https://a.example >&2; kill -TERM $$"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("signal 15; it wrote: open https://a.example"), std::string::npos)
      << result.error().message;
}

TEST(Program, IsNotWaitedForBeyondItsOwnEnd) {
  // The sleeper keeps the pipes open.
  const auto begun = std::chrono::steady_clock::now();
  const auto result = run_program(shell("sleep 20 & echo $!"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s);
  ::kill(std::stoi(result->output), SIGKILL);
}

/// Returns whether a process still runs; zombies do not.
bool runs(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(file, text) && text.find(") Z ") == std::string::npos;
}

TEST(Program, IsKilledWithAllItHasStarted) {
  const fairway::testing::TempDirectory directory;
  const std::string pids = directory.text() + "/pids";
  ProgramCall call =
      shell("sleep 60 & echo $! > '" + pids + "'; mv '" + pids + "' '" + pids + ".done'; wait");
  std::stop_source stop;
  call.limits.stop = stop.get_token();
  call.limits.deadline = std::chrono::steady_clock::now() + 60s;
  const std::jthread stopper([&] {
    EXPECT_TRUE(fairway::testing::eventually([&] { return std::filesystem::exists(pids + ".done"); }));
    stop.request_stop();
  });
  EXPECT_EQ(run_program(call).error().code, ErrorCode::cancelled);
  int sleeper = 0;
  std::ifstream(pids + ".done") >> sleeper;
  ASSERT_GT(sleeper, 0);
  EXPECT_TRUE(fairway::testing::eventually([&] { return !runs(sleeper); }));

  ProgramCall late = shell("echo open https://a.example >&2; sleep 60");
  late.limits.deadline = std::chrono::steady_clock::now() + 1s;
  const Error error = run_program(late).error();
  EXPECT_EQ(error.code, ErrorCode::deadline_exceeded);
  EXPECT_NE(error.message.find("it wrote: open https://a.example"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace fairway::kube
