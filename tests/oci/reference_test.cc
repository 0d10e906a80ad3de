// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "oci/registry.h"

namespace fairway::oci {
namespace {

TEST(Reference, IsReadAsTheTableSays) {
  std::ifstream table(FAIRWAY_SOURCE_DIR "/tests/oci/data/references.txt");
  int cases = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line.front() == '#') continue;
    SCOPED_TRACE(line);
    ++cases;
    const auto cells = split(line, '|');
    const auto reference = Reference::parse(trim(cells.at(0)));
    if (const auto second = trim(cells.at(1)); second.starts_with('!')) {
      ASSERT_FALSE(reference);
      EXPECT_EQ(reference.error().code, ErrorCode::invalid);
      EXPECT_NE(reference.error().message.find(trim(second.substr(1))), std::string::npos)
          << reference.error().message;
      continue;
    }
    ASSERT_TRUE(reference) << reference.error().message;
    EXPECT_EQ(reference->registry, trim(cells.at(1)));
    EXPECT_EQ(reference->repository, trim(cells.at(2)));
    EXPECT_EQ(reference->tag, trim(cells.at(3)));
    EXPECT_EQ(reference->digest, trim(cells.at(4)));
  }
  EXPECT_GT(cases, 25);
}

TEST(Reference, NamesTheDigestWhereThereIsOne) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  EXPECT_EQ(Reference::parse("oci://h:1/a/b:t@" + digest)->to_string(), "h:1/a/b@" + digest);
  EXPECT_EQ(Reference::parse("h/a:t")->to_string(), "h/a:t");
  EXPECT_EQ(Reference::parse("h/a")->to_string(), "h/a");
}

TEST(Reference, DoesNotRepeatAPassword) {
  const auto reference = Reference::parse("oci://user:secret@host/a");
  ASSERT_FALSE(reference);
  EXPECT_EQ(reference.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace fairway::oci
