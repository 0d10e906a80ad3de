// SPDX-License-Identifier: Apache-2.0

// `--to` finds updates that ClusterVersion does not list.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "adm/request.h"
#include "openshift/unlisted_updates.h"

namespace fairway::adm {
namespace {

openshift::ClusterVersion cluster(const std::string& message) {
  openshift::ClusterVersion made(json::parse(R"({"status":{"desired":{"version":"4.6.23","image":"r@23"},
        "availableUpdates":[{"version":"4.6.24","image":"r@24"}],"conditions":[
         {"type":"RetrievedUpdates","status":"True","lastTransitionTime":"2026-02-19T12:00:00Z"},
         {"type":"fairway.dev/UnlistedUpdates","status":"True","reason":"NotListed",
          "lastTransitionTime":"2026-02-19T12:00:00Z"}]}})")
                                     ->as_object());
  made.array("status.conditions").at(1).as_object()["message"] = message;
  return made;
}

const std::vector<json::Object> updates{
    json::parse(R"({"release":{"version":"4.6.30","image":"r@30"},"conditions":[
       {"type":"Recommended","status":"True"}]})")
        ->as_object(),
    json::parse(R"({"release":{"version":"4.6.31","image":"r@31"},"conditions":[{"type":"Recommended",
       "status":"False","reason":"Plat","message":"Nodes\nvanish. https://example.com/p"}]})")
        ->as_object()};
const std::string unlisted = openshift::unlisted_updates_message(cluster(""), updates, 32'768);

CommandResult to(const std::string& version, bool allowed, const std::string& message = unlisted) {
  RequestFlags flags;
  flags.to = version;
  flags.allow_not_recommended = allowed;
  return request(flags, cluster(message), check(flags));
}

TEST(UnlistedTest, AConditionalUpdateWantsItsFlagAndIsAskedForByItsImage) {
  const CommandResult refused = to("4.6.31", false);
  EXPECT_TRUE(refused.failed());
  EXPECT_TRUE(
      refused.err.contains("the update 4.6.31 is not one of the recommended updates, but is available "
                           "as a conditional update. To accept the Recommended=False risk"))
      << refused.err;
  const CommandResult allowed = to("4.6.31", true);
  ASSERT_FALSE(allowed.failed()) << allowed.err;
  EXPECT_TRUE(
      allowed.err.contains("you have accepted the risks with 4.6.31 and bypassed Recommended=False "
                           "Plat: Nodes\nvanish. https://example.com/p"))
      << allowed.err;
  ASSERT_TRUE(allowed.patch);
  const k8s::View asked = k8s::View(allowed.patch->body).at("spec.desiredUpdate");
  EXPECT_EQ(asked.text("version"), "4.6.31");
  EXPECT_EQ(asked.text("image"), "r@31");
}

TEST(UnlistedTest, ARecommendedUpdateNeedsNoFlag) {
  const CommandResult asked = to("4.6.30", false);
  ASSERT_TRUE(asked.patch) << asked.err;
  EXPECT_EQ(k8s::View(asked.patch->body).text("spec.desiredUpdate.image"), "r@30");
}

TEST(UnlistedTest, WhatIsNoUpdateIsNone) {
  for (const char* message : {"", "{", "{}\n[]\n{\"release\":5}", "nothing"}) {
    SCOPED_TRACE(message);
    EXPECT_TRUE(to("4.6.31", true, message).failed());
    EXPECT_EQ(openshift::unlisted_updates(cluster(message)).size(), 0U);
  }
  EXPECT_TRUE(to("4.6.99", true).failed());
}

TEST(UnlistedTest, WithoutAVerdictItIsNone) {
  for (const char* update : {R"({"release":{"version":"4.6.30","image":"r@30"}})",
                             R"({"release":{"version":"4.6.30","image":"r@30"},"risks":[{"name":"Bad"}]})",
                             R"({"release":{"version":"4.6.30","image":"r@30"},"conditions":[
                               {"type":"Recommended","status":"Nope"}]})"}) {
    SCOPED_TRACE(update);
    const std::vector<json::Object> one{json::parse(update)->as_object()};
    EXPECT_TRUE(to("4.6.30", false, openshift::unlisted_updates_message(cluster(""), one, 9'999)).failed());
  }
}

TEST(UnlistedTest, OfAnotherReleaseChannelOrGenerationTheyAreNone) {
  const auto count = [](const std::function<void(openshift::ClusterVersion&)>& change) {
    openshift::ClusterVersion now = cluster(unlisted);
    change(now);
    return openshift::unlisted_updates(now).size();
  };
  EXPECT_EQ(count([](auto&) {}), 2U);
  EXPECT_EQ(count([](auto& now) { now.set("status.desired.version", "4.6.24"); }), 0U);
  EXPECT_EQ(count([](auto& now) { now.set("status.desired.image", "r@24"); }), 0U);
  EXPECT_EQ(count([](auto& now) { now.set("spec.channel", "fast-4.6"); }), 0U);
  EXPECT_EQ(count([](auto& now) { now.set("metadata.generation", 2); }), 0U);
  EXPECT_EQ(count([](auto& now) { now.array("status.conditions").at(0).as_object()["status"] = "False"; }),
            0U);
}

TEST(UnlistedTest, WhatHasNoRoomIsCounted) {
  const std::vector<json::Object> many(100, updates.front());
  const std::string message = openshift::unlisted_updates_message(cluster(""), many, 2'000);
  EXPECT_LE(message.size(), 2'000U);
  const std::size_t here = openshift::unlisted_updates(cluster(message)).size();
  EXPECT_GT(here, 5U);
  EXPECT_TRUE(message.ends_with("\n" + std::to_string(100 - here) + " more are not here")) << message;
  EXPECT_TRUE(to("4.6.99", false, message).err.contains("`fairway risk status` has all"));
  EXPECT_FALSE(to("4.6.99", false).err.contains("fairway risk status"));
}

}  // namespace
}  // namespace fairway::adm
