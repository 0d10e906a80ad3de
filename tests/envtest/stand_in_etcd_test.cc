// SPDX-License-Identifier: Apache-2.0

// What an etcd tells of its store, and what is believed of another process at its port.
#include "envtest/stand_in_etcd.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "envtest/internal/store_folder.h"
#include "support/generous.h"
#include "support/is_ok.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::envtest {
namespace {

using fairway::testing::TempDirectory;

Result<Store> ask(const std::string& address) {
  const auto limit = fairway::testing::generous(std::chrono::seconds(5));
  return store_of("http://" + address, Limits::within(Clock::system(), limit));
}

/// Starts a server that tells what it is told to.
std::unique_ptr<http::Server> start_stranger(const json::Object& told) {
  http::Router router;
  router.immediate(std::string(store_path), "GET HEAD",
                   [told](const http::Request&) { return http::Response::json(200, json::to_text(told)); });
  return http::Server::start({.listen = "127.0.0.1:0", .io_threads = 1, .blocking_threads = 1}, router)
      .value();
}

TEST(StandInEtcd, TellsItsStore) {
  const TempDirectory data;
  const std::string url = "http://127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
  const auto etcd = StandInEtcd::start({.urls = {url}, .data = data.path(), .durable = false});
  ASSERT_OK(etcd);
  const auto store = ask((*etcd)->addresses().front());
  ASSERT_OK(store);
  EXPECT_EQ(store->folder, data / ".fairway-store");
  EXPECT_FALSE(store->durable);
}

TEST(StandInEtcd, IsNotAnotherProcessThatNamesAFolder) {
  const TempDirectory data;
  data.write("user/file", "kept");
  const auto made = make_store_folder(data.path());
  ASSERT_OK(made);
  const std::string earlier = answer_to("an earlier challenge", *made);
  for (const auto& [folder, answer, why] : std::vector<std::array<std::string, 3>>{
           {data / "user", "", ""},
           {data / "none", "", "No such file or directory"},
           {made->path.relative_path(), earlier, "its path is not absolute"},
           {made->path, "", "does not know its mark"},
           {made->path, earlier, "does not know its mark"}}) {
    const auto stranger = start_stranger({{"folder", folder}, {"answer", answer}});
    const auto store = ask(stranger->address());
    ASSERT_FALSE(store) << folder;
    EXPECT_EQ(store.error().code, ErrorCode::unsupported);
    EXPECT_TRUE(store.error().message.contains(why)) << store.error().message;
  }
  EXPECT_TRUE(std::filesystem::exists(data / "user/file"));
}

}  // namespace
}  // namespace fairway::envtest
