// SPDX-License-Identifier: Apache-2.0

// Channels that others write to, too.
#include "operators/internal/channel_objects.h"

#include <gtest/gtest.h>

#include "kube/memory_api.h"
#include "openshift/channel.h"

namespace fairway::operators {
namespace {

class ChannelObjects : public ::testing::Test {
 protected:
  Result<void> keep(const std::map<std::string, std::string>& wanted) {
    return keep_channels(kube::Context(environment_, controller_, key_, {}), wanted);
  }
  std::string shown() {
    const auto list = channels_.list({});
    if (!list) return list.error().message;
    std::string text;
    for (const openshift::Channel& channel : list->items) {
      text += std::string(channel.name()) + "=" + std::string(channel.description()) + " " +
              std::string(channel.label("by")) + ";";
    }
    return text;
  }

  kube::testing::MemoryApi server_;
  std::shared_ptr<kube::Client> client_ = server_.client();
  kube::Api<openshift::Channel> channels_{client_, ""};
  const kube::Environment environment_{.client = client_};
  const std::string controller_ = "updates";
  const k8s::Key key_{"", "version"};
};

TEST_F(ChannelObjects, AreCreatedDescribedAndRemoved) {
  ASSERT_TRUE(keep({{"fast", ""}, {"stable", "For all."}}));
  EXPECT_EQ(shown(), "fast= ;stable=For all. ;");
  ASSERT_TRUE(keep({{"fast", "Early."}, {"candidate", "Earlier."}}));
  EXPECT_EQ(shown(), "candidate=Earlier. ;fast=Early. ;");
  ASSERT_TRUE(keep({{"fast", ""}}));
  EXPECT_EQ(shown(), "fast= ;");
}

TEST_F(ChannelObjects, AreDescribedThoughSomebodyElseWritesBetween) {
  ASSERT_TRUE(keep({{"fast", "Old."}, {"stable", "Old."}}));
  bool interfered = false;
  server_.intercept([&](const http::Request& request) {
    if (request.method != "PUT" || interfered) return 0;
    interfered = true;
    EXPECT_TRUE(channels_.merge_patch("fast", {{"metadata", {{"labels", {{"by", "another"}}}}}}));
    return 0;
  });
  const auto kept = keep({{"fast", "New."}, {"stable", "New."}});
  EXPECT_TRUE(kept) << kept.error().message;
  EXPECT_TRUE(interfered);
  EXPECT_EQ(shown(), "fast=New. another;stable=New. ;");
}

}  // namespace
}  // namespace fairway::operators
