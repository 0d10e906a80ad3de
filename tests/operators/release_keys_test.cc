// SPDX-License-Identifier: Apache-2.0

// Which releases the program applies: those that a key of the administrator, or of the release that runs, has
// signed.
#include <algorithm>
#include <csignal>

#include "operators/signing_case.h"
#include "support/loopback_server.h"

namespace fairway::operators::testing {
namespace {

class ReleaseKeys : public Signing {
 protected:
  /// Adds 4.6.23 to 4.6.29, each with its version in the ConfigMap `a`.
  void add_releases(const Files& more_of_first = {}) {
    Files first{{"0000_10_a_1.yaml", map_yaml("a", "1")}};
    first.insert(first.end(), more_of_first.begin(), more_of_first.end());
    add_release("4.6.23", first);
    for (int patch = 24; patch < 30; ++patch) {
      add_release("4.6." + std::to_string(patch),
                  {{"0000_10_a_1.yaml", map_yaml("a", std::to_string(patch))}});
    }
  }
  /// Returns an image that the registry does not have.
  std::string gone() {
    const std::string& image = releases_.image("4.6.23");
    return image.substr(0, image.find("sha256:")) + "sha256:" + std::string(64, 'a');
  }
};

TEST_F(ReleaseKeys, AndTheFlagThatDoesWithoutThemContradictEachOther) {
  std::vector<std::string> more{"--public-keys", key_folder("old"), "--allow-unsigned-releases"};
  const auto store_flags = store();
  more.insert(more.end(), store_flags.begin(), store_flags.end());
  const auto process = start(more);
  EXPECT_EQ(WEXITSTATUS(process->wait()), 2) << log();
  EXPECT_TRUE(log().contains("--allow-unsigned-releases and --public-keys contradict each other")) << log();
}

TEST_F(ReleaseKeys, WithoutAnyAnUpdateWantsForce) {
  add_releases();
  begin();
  ASSERT_TRUE(eventually([&] { return said(missing).starts_with("True NoReleaseKeys: "); }))
      << "before an update is asked for: " << why();
  for (const char* way : {"--public-keys", "ConfigMap default/fairway-release-keys",
                          "spec.desiredUpdate.force", "--allow-unsigned-releases"}) {
    EXPECT_TRUE(said(missing).contains(way)) << way << "\n" << why();
  }
  expect_refused("4.6.24");
  for (const char* way : {"--public-keys", "ConfigMap default/fairway-release-keys",
                          "spec.desiredUpdate.force", "--allow-unsigned-releases"}) {
    EXPECT_TRUE(said("ReleaseAccepted").contains(way)) << way << "\n" << why();
  }
  EXPECT_EQ(history(), "Completed 4.6.23");
  EXPECT_EQ(value("a"), "1");
  ask_for({{"version", "4.6.24"}, {"force", true}});
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
  EXPECT_FALSE(newest_is_verified());
  EXPECT_TRUE(text(newest(), "acceptedRisks").contains("continuing anyway because the update was forced"))
      << why();
  // What has been begun by force goes on after a restart.
  process_->end(SIGKILL);
  start_operator();
  ASSERT_TRUE(eventually([&] { return said(missing).starts_with("True NoReleaseKeys: "); })) << why();
  ASSERT_TRUE(client_->remove(config_maps, {"default", "a"}));
  set_clock(300);
  EXPECT_TRUE(eventually([&] { return value("a") == "24"; })) << why();
}

TEST_F(ReleaseKeys, AreNotNeededWhereAFlagSaysSo) {
  add_releases();
  std::vector<std::string> more = store();
  more.emplace_back("--allow-unsigned-releases");
  begin(more);
  expect_taken("4.6.24");
  EXPECT_FALSE(newest_is_verified());
  EXPECT_TRUE(text(newest(), "acceptedRisks").contains("--allow-unsigned-releases")) << why();
  EXPECT_TRUE(log().contains("--allow-unsigned-releases")) << log();
  EXPECT_EQ(said(missing), "none");
  EXPECT_TRUE(metrics().contains("fairway_operator_unsigned_releases_allowed 1\n")) << metrics();
  EXPECT_TRUE(metrics().contains("fairway_operator_unverified_releases{accepted=\"allowed\"} 1\n"))
      << metrics();
  // Where there are keys, they count.
  write_keys({{"verifier-public-key-old", key("old")}});
  expect_refused("4.6.25");
  EXPECT_TRUE(eventually([&] {
    return metrics().contains("fairway_operator_unsigned_releases_allowed 0\n") &&
           metrics().contains("fairway_operator_release_keys 1\n");
  })) << metrics();
  write_keys({{"verifier-public-key-old", "no key"}});
  expect_refused("4.6.26");
  EXPECT_EQ(history(), "Completed 4.6.24, Completed 4.6.23");
}

TEST_F(ReleaseKeys, OfTheConfigMapAreRotatedWithoutARestart) {
  add_releases();
  sign("4.6.24", "old");
  sign("4.6.25", "new");
  sign("4.6.26", "old");
  sign("4.6.27", "new");
  sign("4.6.28", "old");
  write_keys({{"verifier-public-key-old", key("old")}});
  begin(store());
  EXPECT_EQ(said(missing), "none");
  expect_taken("4.6.24");
  EXPECT_TRUE(newest_is_verified());
  EXPECT_EQ(text(newest(), "acceptedRisks"), "");
  expect_refused("4.6.25");
  EXPECT_TRUE(said("ReleaseAccepted").contains("signed by a key that is not trusted")) << why();
  // Taken as soon as its key is there: no spec changes, and no clock moves.
  write_keys({{"verifier-public-key-old", key("old")}, {"verifier-public-key-new", key("new")}});
  EXPECT_TRUE(eventually([&] { return history().starts_with("Completed 4.6.25"); })) << why();
  EXPECT_TRUE(newest_is_verified());
  expect_taken("4.6.26");
  EXPECT_TRUE(newest_is_verified());
  write_keys({{"verifier-public-key-new", key("new")}});
  expect_refused("4.6.28");
  expect_taken("4.6.27");
  EXPECT_TRUE(newest_is_verified());
  // What was verified with a key that is gone runs on, also after a restart.
  process_->end(SIGKILL);
  write_keys({{"verifier-public-key-other", key("stranger")}});
  start_operator(store());
  ASSERT_TRUE(client_->remove(config_maps, {"default", "a"}));
  EXPECT_TRUE(eventually([&] { return value("a") == "27"; })) << why();
  expect_refused("4.6.28");
}

TEST_F(ReleaseKeys, OfAConfigMapThatIsBrokenOrGoneCountForNothing) {
  add_releases();
  for (const char* version : {"4.6.24", "4.6.25", "4.6.26"}) sign(version, "old");
  write_keys({{"verifier-public-key-old", key("old")}});
  begin(store());
  expect_taken("4.6.24");
  write_keys(
      {{"verifier-public-key-old", key("old")}, {"verifier-public-key-torn", key("new").substr(0, 150)}});
  expect_refused("4.6.25");
  for (const std::string& message : {said("ReleaseAccepted"), said(missing)}) {
    EXPECT_TRUE(message.contains("ConfigMap default/fairway-release-keys")) << message;
    EXPECT_TRUE(message.contains("verifier-public-key-torn")) << message;
  }
  EXPECT_TRUE(said(missing).starts_with("True InvalidReleaseKeys: ")) << said(missing);
  write_keys({{"store-a", "https://example.com/store"}});
  EXPECT_TRUE(eventually([&] { return said(missing).contains("no verifier-public-key-"); })) << why();
  remove_keys();
  EXPECT_TRUE(eventually([&] { return said(missing).starts_with("True NoReleaseKeys: "); })) << why();
  expect_refused("4.6.26");
  EXPECT_EQ(history(), "Completed 4.6.24, Completed 4.6.23");
  write_keys({{"verifier-public-key-old", key("old")}});
  EXPECT_TRUE(eventually([&] { return history().starts_with("Completed 4.6.26"); })) << why();
  EXPECT_EQ(said(missing), "none");
}

TEST_F(ReleaseKeys, AndTheStoreMayBothBeInTheConfigMap) {
  add_releases();
  sign("4.6.24", "old");
  const auto server = fairway::testing::serve_on_loopback(
      "GET",
      [&](const http::Request& request) {
        const auto bytes = read_file((folder_ / "store").string() + std::string(request.path));
        return bytes ? http::Response::text(200, *bytes) : http::Response::text(404, "none");
      },
      {});
  write_keys({{"verifier-public-key-old", key("old")},
              {"store-a", "http://" + server->address() + "/nowhere"},
              {"store-b", "http://" + server->address()}});
  begin();
  expect_taken("4.6.24");
  EXPECT_TRUE(newest_is_verified());
  // A file of the operator's machine is nothing that the cluster names.
  write_keys({{"verifier-public-key-old", key("old")}, {"store-a", "file:///etc"}});
  expect_refused("4.6.25");
  EXPECT_TRUE(said("ReleaseAccepted").contains("store-a")) << why();
}

TEST_F(ReleaseKeys, OfTheReleaseThatRunsCountIfItWasInstalledOrVerified) {
  add_releases({{"0000_90_k_1.json", keys_manifest("verifier-public-key-a", key("old"))}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "24")},
                         {"0000_90_k_1.json", keys_manifest("verifier-public-key-a", key("new"))}});
  add_release("4.6.27", {{"0000_10_a_1.yaml", map_yaml("a", "27")},
                         {"0000_90_k_1.json", keys_manifest("verifier-public-key-a", key("stranger"))}});
  sign("4.6.24", "old");
  sign("4.6.25", "old");
  sign("4.6.26", "new");
  sign("4.6.28", "stranger");
  begin(store());
  EXPECT_EQ(said(missing), "none") << "4.6.23 was installed by the administrator";
  expect_taken("4.6.24");
  EXPECT_TRUE(newest_is_verified());
  expect_refused("4.6.25");
  // A restart with an update that is wanted: the keys are those of what runs.
  process_->end(SIGKILL);
  ask_for({{"version", "4.6.26"}});
  start_operator(store());
  EXPECT_TRUE(eventually([&] { return history().starts_with("Completed 4.6.26"); })) << why();
  EXPECT_TRUE(newest_is_verified());
  // 4.6.26 has no keys. 4.6.27 brings its own, and was forced.
  EXPECT_TRUE(eventually([&] { return said(missing).starts_with("True NoReleaseKeys: "); })) << why();
  ask_for({{"version", "4.6.27"}, {"force", true}});
  ASSERT_TRUE(eventually([&] { return history().starts_with("Completed 4.6.27"); })) << why();
  EXPECT_FALSE(newest_is_verified());
  expect_refused("4.6.28");
  EXPECT_TRUE(said(missing).starts_with("True NoReleaseKeys: ")) << why();
  EXPECT_TRUE(said(missing).contains("Those in the release that runs, 4.6.27, do not count")) << why();
}

TEST_F(ReleaseKeys, OfAReleaseThatWasInstalledByItsTagDoNotCount) {
  const Files files{{"0000_10_a_1.yaml", map_yaml("a", "1")},
                    {"0000_90_k_1.json", keys_manifest("verifier-public-key-a", key("old"))}};
  add_releases({files.back()});
  sign("4.6.24", "old");
  const std::string image = releases_.image("4.6.23");
  releases_.tag("4.6.23");
  std::vector<std::string> more = store();
  more.insert(more.end(), {"--release", "4.6.23=" + image.substr(0, image.find('@')) + ":4.6.23"});
  begin(more);
  ASSERT_TRUE(eventually([&] { return said(missing).starts_with("True NoReleaseKeys: "); })) << why();
  expect_refused("4.6.24");
}

TEST_F(ReleaseKeys, ThatAreGoneDoNotCountForAReleaseThatWaitsForItsPreconditions) {
  add_releases();
  add_release("4.9.0", {{"0000_10_a_1.yaml", map_yaml("a", "9")}});
  sign("4.9.0", "old");
  write_keys({{"verifier-public-key-old", key("old")}});
  begin(store());
  ask_for({{"version", "4.9.0"}});
  ASSERT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("False PreconditionChecks"); }))
      << why();
  write_keys({{"verifier-public-key-new", key("new")}});
  EXPECT_TRUE(eventually([&] { return is_refused("4.9.0"); })) << why();
}

TEST_F(ReleaseKeys, ThatGoWhileTheReleaseIsPulledDoNotCount) {
  add_releases();
  sign("4.6.24", "old");
  write_keys({{"verifier-public-key-old", key("old")}});
  begin(store());
  const std::string& image = releases_.image("4.6.24");
  const std::string digest = image.substr(image.find("sha256:"));
  std::atomic<bool> has_manifest = false, is_removed = false;
  releases_.registry().set_fault([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.path.ends_with(digest)) has_manifest = true;
    // The signature has been found good by now.
    if (has_manifest && request.path.contains("/blobs/") && !is_removed.exchange(true)) remove_keys();
    return std::nullopt;
  });
  ask_for({{"version", "4.6.24"}});
  EXPECT_TRUE(eventually([&] { return is_removed.load() && is_refused("4.6.24"); })) << why();
  EXPECT_EQ(history(), "Completed 4.6.23");
  releases_.registry().set_fault(nullptr);
}

TEST_F(ReleaseKeys, AreDistrustedByARevokedCopyWhereverElseTheyStand) {
  add_releases({{"0000_90_k_1.json", keys_manifest("verifier-public-key-old", key("old"))}});
  sign("4.6.24", "old");
  ASSERT_TRUE(gpg_.revoke_key("old"));
  write_keys({{"verifier-public-key-new", key("new")}, {"verifier-public-key-old", key("old")}});
  begin(store());
  expect_refused("4.6.24");
  EXPECT_TRUE(said("ReleaseAccepted").contains("revoked")) << why();
  // Away from the ConfigMap alone, it still stands in the release that runs.
  write_keys({{"verifier-public-key-new", key("new")}});
  EXPECT_TRUE(eventually([&] { return history().starts_with("Completed 4.6.24"); })) << why();
}

TEST_F(ReleaseKeys, AreMissingWhereWhatRunsCannotBeReadUnlessOthersCount) {
  add_releases();
  sign("4.6.24", "old");
  std::vector<std::string> more = store();
  more.insert(more.end(), {"--allow-unsigned-releases", "--release", "4.6.23=" + gone()});
  offer();
  write_cluster(spec());
  start_operator(more);
  ASSERT_TRUE(eventually([&] { return said(missing).starts_with("True ReleaseKeysUnknown: "); })) << why();
  EXPECT_TRUE(said(missing).contains("reading the keys in the release that runs, 4.6.23")) << why();
  ask_for({{"version", "4.6.25"}, {"image", releases_.image("4.6.25")}});
  EXPECT_TRUE(eventually([&] { return is_refused("4.6.25"); })) << why();
  write_keys({{"verifier-public-key-old", key("old")}});
  ask_for({{"version", "4.6.24"}, {"image", releases_.image("4.6.24")}});
  EXPECT_TRUE(eventually([&] { return history().starts_with("Completed 4.6.24"); })) << why();
  EXPECT_TRUE(newest_is_verified());
}

TEST_F(ReleaseKeys, OfAFolderCountBesideThoseOfTheConfigMap) {
  add_releases();
  sign("4.6.24", "old");
  sign("4.6.25", "new");
  std::vector<std::string> more = store();
  more.insert(more.end(), {"--public-keys", key_folder("old")});
  write_keys({{"verifier-public-key-new", key("new")}});
  begin(more);
  expect_taken("4.6.24");
  expect_taken("4.6.25");
  EXPECT_TRUE(newest_is_verified());
}

}  // namespace
}  // namespace fairway::operators::testing
