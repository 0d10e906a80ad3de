// SPDX-License-Identifier: Apache-2.0

// Who asks an update service is not to carry the libraries that the sources of one need: this program links
// upstream alone.
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"

namespace fairway::upstream {
namespace {

TEST(Upstream, LinksNoneOfTheLibrariesOfSources) {
  const auto maps = read_file("/proc/self/maps");
  ASSERT_TRUE(maps) << maps.error().message;
  ASSERT_NE(maps->find("libstdc++"), std::string::npos) << "libraries are to be seen here";
  for (const char* library : {"libgit2", "librnp", "libarchive"})
    EXPECT_EQ(maps->find(library), std::string::npos) << library;
}

}  // namespace
}  // namespace fairway::upstream
