// SPDX-License-Identifier: Apache-2.0

#include "console/loopback.h"

#include <gtest/gtest.h>

namespace fairway::console {
namespace {

TEST(Loopback, KnowsItsAddresses) {
  for (const char* listen : {"127.0.0.1:8080", "127.1.2.3:0", "localhost:80", "[::1]:8080"})
    EXPECT_TRUE(listens_on_loopback(listen)) << listen;
  for (const char* listen :
       {":8080", "0.0.0.0:8080", "[::]:8080", "192.0.2.1:80", "example.com:80", "localhost.example:80"})
    EXPECT_FALSE(listens_on_loopback(listen)) << listen;
}

}  // namespace
}  // namespace fairway::console
