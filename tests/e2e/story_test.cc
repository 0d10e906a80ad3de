// The story that `./dev up` tells: all programs together, on one machine.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/file.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

bool installed(const std::string& program) {
  return std::system(("PATH=$PATH:/usr/sbin:/sbin command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

TEST(Story, IsToldToItsEnd) {
  for (const char* program : {"docker-registry", "prometheus", "python3", "curl"}) {
    if (!installed(program)) GTEST_SKIP() << program << " is not installed";
  }
  const testing::TempDirectory folder;
  const std::string output = (folder / "output").string();
  setenv("FAIRWAY_BINARY", FAIRWAY_BINARY, 1);
  testing::Process story(
      {FAIRWAY_SOURCE_DIR "/examples/cluster/up.sh", "--once", "--keep", (folder / "data").string()}, output);
  const int status = story.wait();
  unsetenv("FAIRWAY_BINARY");
  const std::string told = read_file(output).value_or("");
  ASSERT_EQ(status, 0) << told;
  std::size_t at = 0;
  // In this order.
  for (const char* part :
       {"Supported but not recommended updates:", "Reason: MultipleReasons", "VSphereNodeNameChanges",
        "4.7.4 becomes recommended",
        "Recommended updates:", "error: the update 4.7.4 is not one of the recommended",
        "warning: with --allow-not-recommended you have accepted the risks with 4.7.4",
        "Requested update to 4.7.4", "now as: v1\n", "Requested update to 4.7.9",
        "The cluster is not updating.", "  4.7.9  Completed", "  4.7.4  Completed",
        "Updating from 4.6.23 to 4.7.4 is supported, but not recommended for this cluster.",
        "  4.6.23  Completed"}) {
    const std::size_t next = told.find(part, at);
    ASSERT_NE(next, std::string::npos) << part << " does not come in time in:\n" << told;
    at = next;
  }
}

}  // namespace
}  // namespace fairway
