// SPDX-License-Identifier: Apache-2.0

#include "payload/release_image.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "base/file.h"
#include "oci/fake_registry.h"
#include "oci/images.h"
#include "oci/signing.h"
#include "support/temp_directory.h"

namespace fairway::payload {
namespace {

using testing::FakeRegistry;
using testing::make_tar;
using testing::TempDirectory;
using testing::TestImage;

constexpr const char* config_map = R"(apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: default}
)";

class ReleaseReaderTest : public ::testing::Test {
 protected:
  /// Returns a release of this version, with further files.
  static TestImage image_of(const std::string& version,
                            std::vector<testing::TarEntry> more = {
                                {"release-manifests/0000_05_a.yaml", config_map}}) {
    more.push_back({"release-manifests/release-metadata", testing::release_metadata(version)});
    return testing::make_image(
        {.layers = {make_tar({{"etc/base", "base"}}, "gzip"), make_tar(more, "gzip")}});
  }

  std::unique_ptr<ReleaseReader> reader() const {
    auto made = ReleaseReader::create(options_);
    if (!made) throw std::runtime_error(made.error().message);
    return *std::move(made);
  }
  std::string pull_spec(const TestImage& image, const std::string& repository = "ocp/release") const {
    return registry_.address() + "/" + repository + "@" + image.digest;
  }
  /// Returns the failure as "step/code: message", or "loaded".
  std::string outcome(const std::expected<ReleaseImage, LoadFailure>& release) const {
    if (release) return "loaded";
    return std::string(to_string(release.error().step)) + "/" +
           std::string(to_string(release.error().error.code)) + ": " + release.error().error.message;
  }

  TempDirectory folder_;
  FakeRegistry registry_;
  ReleaseReaderOptions options_{.registry = {.plain_http = true, .retries = 0},
                                .mirrors = {},
                                .public_keys_directory = {},
                                .signature_store = {},
                                .without_keys = WithoutKeys::ignore,
                                .cache = folder_ / "cache"};
};

TEST_F(ReleaseReaderTest, ReadsAReleaseByDigest) {
  const TestImage image = image_of(
      "4.7.4",
      {{"release-manifests/0000_05_a.yaml", config_map},
       {"release-manifests/image-references",
        R"({"apiVersion":"image.openshift.io/v1","kind":"ImageStream","metadata":{"name":"4.7.4"},)"
        R"("spec":{"tags":[{"name":"etcd","from":{"kind":"DockerImage","name":"q.io/e@sha256:1"}}]}})"}});
  registry_.add(image);
  const auto release = reader()->read({.image = pull_spec(image), .version = "4.7.4"}, {});
  ASSERT_TRUE(release) << outcome(release);
  EXPECT_EQ(release->image, pull_spec(image));
  EXPECT_EQ(release->digest, image.digest);
  EXPECT_EQ(release->version.to_string(), "4.7.4");
  EXPECT_EQ(release->arch, "amd64");
  EXPECT_EQ(release->metadata.at("url"), "https://example.com/4.7.4");
  EXPECT_EQ(release->image_references, (std::map<std::string, std::string>{{"etcd", "q.io/e@sha256:1"}}));
  ASSERT_EQ(release->manifests.size(), 1U);
  EXPECT_EQ(release->manifests[0].id().to_string(), "configmap \"default/a\"");
  EXPECT_FALSE(release->verified);
  EXPECT_EQ(release->accepted_risks, "");
}

TEST_F(ReleaseReaderTest, ReadsTheImageThatSpeaksForAnIndex) {
  const TestImage index = testing::make_index({{"arm64", image_of("4.7.4")}, {"amd64", image_of("4.7.4")}});
  registry_.add(index);
  const auto release = reader()->read({.image = pull_spec(index), .version = ""}, {});
  ASSERT_TRUE(release) << outcome(release);
  EXPECT_EQ(release->arch, "multi");
  EXPECT_EQ(release->image, pull_spec(index));
}

TEST_F(ReleaseReaderTest, TellsWhatKeepsAReleaseFromBeingLoaded) {
  const std::string tag_of_no_release = registry_.address() + "/ocp/release:4.7.4";
  const TestImage good = image_of("4.7.4");
  const TestImage link =
      image_of("4.7.4", {{"release-manifests/a.yaml", "/etc/passwd", testing::TarEntry::Kind::symlink}});
  const TestImage empty = testing::make_image({.layers = {make_tar({{"etc/base", "base"}})}});
  const TestImage broken = image_of("4.7.4", {{"release-manifests/b.yaml", "kind: [A"}});
  const TestImage foreign = image_of(
      "4.7.4",
      {{"release-manifests/image-references",
        R"({"apiVersion":"image.openshift.io/v1","kind":"ImageStream","metadata":{"name":"4.7.3"}})"}});
  const TestImage absent = image_of("4.7.5");
  for (const TestImage* image : {&good, &link, &empty, &broken, &foreign}) registry_.add(*image);
  struct Row {
    std::string image, version, outcome;
  };
  const std::vector<Row> rows{
      {"no image", "4.7.4", "RetrievePayload/invalid: reading the image reference"},
      {tag_of_no_release, "4.7.4",
       "RetrievePayload/invalid: The update cannot be verified: release images that are not accessed via "
       "digest cannot be verified"},
      {pull_spec(absent), "4.7.5", "RetrievePayload/not_found: Unable to download and prepare the update: "},
      {pull_spec(link), "4.7.4", "RetrievePayload/invalid: Unable to download and prepare the update: "},
      {pull_spec(good), "4.7.5",
       "VerifyPayloadVersion/conflict: release image version 4.7.4 does not match the expected upstream "
       "version 4.7.5"},
      {pull_spec(empty), "4.7.4", "LoadPayload/invalid: the image is no release"},
      {pull_spec(broken), "4.7.4", "LoadPayload/invalid: b.yaml: "},
      {pull_spec(foreign), "4.7.4", "LoadPayload/conflict: reading image-references"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.image);
    const auto release = reader()->read({.image = row.image, .version = row.version}, {});
    EXPECT_TRUE(outcome(release).starts_with(row.outcome)) << outcome(release);
  }
}

TEST_F(ReleaseReaderTest, TrustsNoBytesOfAnotherDigest) {
  const TestImage good = image_of("4.7.4"), other = image_of("4.7.5");
  registry_.add(good);
  registry_.add(other);
  // The upper layer of another release, which has its manifests.
  for (const auto& [digest, bytes] : good.blobs) {
    if (!other.blobs.contains(digest)) registry_.replace(digest, std::next(other.blobs.begin())->second);
  }
  const auto release = reader()->read({.image = pull_spec(good), .version = ""}, {});
  ASSERT_FALSE(release);
  EXPECT_EQ(release.error().step, LoadStep::retrieve_payload);
  EXPECT_EQ(release.error().error.code, ErrorCode::conflict) << outcome(release);
  registry_.replace(other.digest, good.manifest);
  EXPECT_TRUE(outcome(reader()->read({.image = pull_spec(other), .version = ""}, {}))
                  .starts_with("RetrievePayload/conflict"));
}

TEST_F(ReleaseReaderTest, TakesAMirrorAndFallsBackToTheRegistry) {
  FakeRegistry mirror;
  const TestImage mirrored = image_of("4.7.4"), original = image_of("4.7.5");
  mirror.add(mirrored);
  registry_.add(original);
  options_.mirrors = {ImageMirror::parse(registry_.address() + "/ocp=" + mirror.address() + "/copy").value()};
  const auto first = reader()->read({.image = pull_spec(mirrored), .version = "4.7.4"}, {});
  ASSERT_TRUE(first) << outcome(first);
  EXPECT_EQ(first->image, pull_spec(mirrored));
  EXPECT_EQ(FakeRegistry::count(mirror.take_requests(), "/v2/copy/release/manifests/" + mirrored.digest), 1U);
  EXPECT_TRUE(registry_.take_requests().empty());
  EXPECT_TRUE(reader()->read({.image = pull_spec(original), .version = "4.7.5"}, {}));
  // Each place is told where none has it.
  const std::string neither = outcome(reader()->read({.image = pull_spec(image_of("4.7.6"))}, {}));
  EXPECT_TRUE(neither.contains(mirror.address() + "/copy/release@")) << neither;
  EXPECT_TRUE(neither.contains(registry_.address() + "/ocp/release@")) << neither;
}

TEST_F(ReleaseReaderTest, KeepsReleasesOnDiskAndChecksThem) {
  const TestImage image = image_of("4.7.4");
  registry_.add(image);
  ASSERT_TRUE(reader()->read({.image = pull_spec(image)}, {}));
  registry_.take_requests();
  // Another process, the registry gone.
  const auto cached = reader()->read({.image = pull_spec(image), .version = "4.7.4"}, {});
  ASSERT_TRUE(cached) << outcome(cached);
  EXPECT_EQ(cached->manifests.size(), 1U);
  EXPECT_EQ(cached->arch, "amd64");
  EXPECT_TRUE(registry_.take_requests().empty());

  const auto file = options_.cache / (image.digest.substr(7) + ".payload");
  ASSERT_TRUE(std::filesystem::exists(file));
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(-20, std::ios::end);
    bytes << "X";
  }
  const auto again = reader()->read({.image = pull_spec(image)}, {});
  ASSERT_TRUE(again) << outcome(again);
  EXPECT_FALSE(registry_.take_requests().empty());
  // A short one, as after a power loss on a file system that does not keep its promises.
  std::filesystem::resize_file(file, 10);
  EXPECT_TRUE(reader()->read({.image = pull_spec(image)}, {}));
  EXPECT_FALSE(registry_.take_requests().empty());
}

TEST_F(ReleaseReaderTest, DoesWithoutADiskThatCannotBeWritten) {
  const TestImage image = image_of("4.7.4");
  registry_.add(image);
  folder_.write("file", "");
  options_.cache = folder_ / "file" / "cache";
  EXPECT_EQ(outcome(reader()->read({.image = pull_spec(image)}, {})), "loaded");
  options_.cache = "/dev/full/cache";
  EXPECT_EQ(outcome(reader()->read({.image = pull_spec(image)}, {})), "loaded");
}

TEST_F(ReleaseReaderTest, KeepsAFewReleases) {
  for (int i = 0; i < 12; ++i) {
    const TestImage image = image_of("4.7." + std::to_string(i));
    registry_.add(image);
    ASSERT_TRUE(reader()->read({.image = pull_spec(image)}, {}));
  }
  const auto is_image = [](const auto& file) { return file.path().extension() == ".payload"; };
  const auto files = std::filesystem::directory_iterator(options_.cache);
  EXPECT_EQ(std::count_if(begin(files), end(files), is_image), 9);
}

TEST_F(ReleaseReaderTest, NeedsASignatureUnlessForced) {
  if (!testing::Gpg::installed()) GTEST_SKIP() << "gpg is not installed (Debian's package gnupg)";
  testing::Gpg gpg(folder_ / "gpg");
  ASSERT_TRUE(gpg.make_key("release"));
  ASSERT_TRUE(gpg.make_key("stranger"));
  std::filesystem::create_directories(folder_ / "keys");
  ASSERT_TRUE(gpg.export_key("release", folder_ / "keys" / "release"));
  options_.public_keys_directory = (folder_ / "keys").string();
  ASSERT_FALSE(ReleaseReader::create(options_)) << "keys without a store";
  options_.signature_store = "file://" + (folder_ / "store").string();
  const TestImage signed_image = image_of("4.7.4"), unsigned_image = image_of("4.7.5"),
                  other = image_of("4.7.6");
  for (const TestImage* image : {&signed_image, &unsigned_image, &other}) registry_.tag("latest", *image);
  const auto sign = [&](const TestImage& image, const char* key) {
    folder_.write("store/sha256=" + image.digest.substr(7) + "/signature-1",
                  gpg.sign(key, testing::signature_content(image.digest, "quay.io/a/b:c")));
  };
  sign(signed_image, "release");
  sign(other, "stranger");

  const auto good = reader()->read({.image = pull_spec(signed_image), .version = "4.7.4"}, {});
  ASSERT_TRUE(good) << outcome(good);
  EXPECT_TRUE(good->verified);
  for (const TestImage* image : {&unsigned_image, &other}) {
    const auto bad = reader()->read({.image = pull_spec(*image)}, {});
    EXPECT_TRUE(
        outcome(bad).starts_with("RetrievePayload/invalid: The update cannot be verified: unable to verify " +
                                 image->digest + " against keyrings: "))
        << outcome(bad);
    EXPECT_EQ(FakeRegistry::count(registry_.take_requests(), image->digest), 0U) << "it is not even pulled";
  }
  const auto forced = reader()->read({.image = pull_spec(other), .version = "4.7.6", .force = true}, {});
  ASSERT_TRUE(forced) << outcome(forced);
  EXPECT_FALSE(forced->verified);
  EXPECT_TRUE(forced->accepted_risks.starts_with(
      "Target release version=\"4.7.6\" image=\"" + pull_spec(other) +
      "\" cannot be verified, but continuing anyway because the update was forced: unable to verify "))
      << forced->accepted_risks;
  // The cache is no way around it.
  EXPECT_FALSE(reader()->read({.image = pull_spec(other)}, {}));
  const std::string by_tag = registry_.address() + "/ocp/release:latest";
  const auto tagged = reader()->read({.image = by_tag, .version = "4.7.6", .force = true}, {});
  ASSERT_TRUE(tagged) << outcome(tagged);
  EXPECT_EQ(tagged->digest, other.digest);
  EXPECT_TRUE(tagged->accepted_risks.contains("not accessed via digest")) << tagged->accepted_risks;
  // What was verified stays so where the store is gone, and not under other keys.
  std::filesystem::remove_all(folder_ / "store");
  EXPECT_TRUE(reader()->read({.image = pull_spec(signed_image)}, {}));
  ASSERT_TRUE(gpg.export_key("stranger", folder_ / "keys" / "stranger"));
  EXPECT_FALSE(reader()->read({.image = pull_spec(signed_image)}, {}));
}

TEST_F(ReleaseReaderTest, WithoutKeysDoesAsTheOptionsSay) {
  const TestImage image = image_of("4.7.4");
  registry_.tag("latest", image);
  options_.without_keys = WithoutKeys::refuse;
  options_.how_to_give_keys = "do this";
  EXPECT_EQ(outcome(reader()->read({.image = pull_spec(image)}, {})),
            "RetrievePayload/invalid: The update cannot be verified: unable to verify " + image.digest +
                " against keyrings: there are no public keys: do this");
  EXPECT_EQ(FakeRegistry::count(registry_.take_requests(), image.digest), 0U) << "it is not even pulled";
  const auto forced = reader()->read({.image = pull_spec(image), .version = {}, .force = true}, {});
  ASSERT_TRUE(forced) << outcome(forced);
  EXPECT_FALSE(forced->verified);
  EXPECT_FALSE(forced->allowed_unsigned);
  EXPECT_TRUE(forced->accepted_risks.contains("because the update was forced")) << forced->accepted_risks;
  // What runs here was accepted before.
  const auto running =
      reader()->read({.image = pull_spec(image), .version = {}, .force = false, .accepted_before = true}, {});
  ASSERT_TRUE(running) << outcome(running);
  EXPECT_EQ(running->accepted_risks, "");

  options_.without_keys = WithoutKeys::accept;
  const auto allowed = reader()->read({.image = pull_spec(image), .version = "4.7.4"}, {});
  ASSERT_TRUE(allowed) << outcome(allowed);
  EXPECT_FALSE(allowed->verified);
  EXPECT_TRUE(allowed->allowed_unsigned);
  EXPECT_EQ(allowed->accepted_risks, "Target release version=\"4.7.4\" image=\"" + pull_spec(image) +
                                         "\" is not verified, but continuing anyway because there are no "
                                         "public keys, and the operator runs with --allow-unsigned-releases");
  // A tag may be another image each time that it is asked for.
  EXPECT_TRUE(outcome(reader()->read({.image = registry_.address() + "/ocp/release:latest"}, {}))
                  .contains("not accessed via digest"));
  // Nor does it do where which keys count is not known.
  ReleaseReader::Request unknown{.image = pull_spec(image)};
  unknown.keys = fail(ErrorCode::unavailable, "the API server is away");
  EXPECT_TRUE(outcome(reader()->read(unknown, {})).ends_with("against keyrings: the API server is away"));
  unknown.keys = TrustedKeys{.keys = {}, .stores = {}, .incomplete = Error{ErrorCode::invalid, "torn"}};
  EXPECT_TRUE(outcome(reader()->read(unknown, {})).ends_with("against keyrings: torn"));
  EXPECT_EQ(reader()->key_state(TrustedKeys{}).value().count, 0U);
}

TEST_F(ReleaseReaderTest, TakesEachOfTheKeysOfARequest) {
  if (!testing::Gpg::installed()) GTEST_SKIP() << "gpg is not installed (Debian's package gnupg)";
  testing::Gpg gpg(folder_ / "gpg");
  const TestImage image = image_of("4.7.4");
  registry_.add(image);
  TrustedKeys both;
  for (const char* name : {"old", "new"}) {
    ASSERT_TRUE(gpg.make_key(name));
    ASSERT_TRUE(gpg.export_key(name, folder_ / name));
    both.keys.push_back({std::string("the key ") + name, read_file(folder_ / name).value()});
  }
  options_.without_keys = WithoutKeys::accept;
  const auto read = [&](const TrustedKeys& keys) {
    ReleaseReader::Request request{.image = pull_spec(image)};
    request.keys = keys;
    return outcome(reader()->read(request, {}));
  };
  EXPECT_TRUE(read(both).contains("no signature store")) << read(both);
  options_.signature_store = "file://" + (folder_ / "store").string();
  EXPECT_TRUE(read(both).contains("the image is not signed"))
      << "what is allowed without keys is not with them";
  folder_.write("store/sha256=" + image.digest.substr(7) + "/signature-1",
                gpg.sign("old", testing::signature_content(image.digest, "quay.io/a/b:c")));
  EXPECT_EQ(read(both), "loaded");
  EXPECT_EQ(reader()->key_state(both).value().count, 2U);
  EXPECT_NE(reader()->key_state(both).value().fingerprint,
            reader()->key_state(TrustedKeys{.keys = {both.keys[0]}, .stores = {}}).value().fingerprint);
  // One that is gone does not count, whatever was verified before.
  EXPECT_TRUE(read({.keys = {both.keys[1]}, .stores = {}}).contains("signed by a key that is not trusted"));
  EXPECT_EQ(read({.keys = {both.keys[0]}, .stores = {}}), "loaded");
  // Nor does any of them beside one that is none.
  for (const std::string& bytes : {std::string("no key"), std::string(), both.keys[1].bytes.substr(0, 150),
                                   both.keys[1].bytes.substr(0, both.keys[1].bytes.size() / 2)}) {
    const TrustedKeys torn{.keys = {both.keys[0], {"the key torn", bytes}}, .stores = {}};
    EXPECT_TRUE(read(torn).contains("reading the public key the key torn: it holds no OpenPGP key"))
        << read(torn);
    EXPECT_FALSE(reader()->key_state(torn));
  }
  // Keys that are known count beside those that cannot be read.
  TrustedKeys incomplete = both;
  incomplete.incomplete = Error{ErrorCode::invalid, "torn"};
  EXPECT_EQ(read(incomplete), "loaded");
}

TEST(LoadStepTest, SaysHowFarTheReleaseIs) {
  EXPECT_EQ(retrieving_message("4.7.4", "I"),
            "Retrieving and verifying payload version=\"4.7.4\" image=\"I\"");
  EXPECT_EQ(loaded_message("4.7.4", "I", "amd64"),
            "Payload loaded version=\"4.7.4\" image=\"I\" architecture=\"amd64\"");
  EXPECT_EQ(loaded_message("4.7.4", "I", "multi"),
            "Payload loaded version=\"4.7.4\" image=\"I\" architecture=\"Multi\"");
  EXPECT_EQ(failure_message(LoadStep::retrieve_payload, "4.7.4", "I", "x"),
            "Retrieving payload failed version=\"4.7.4\" image=\"I\" failure=x");
  EXPECT_EQ(failure_message(LoadStep::verify_payload_version, "4.7.4", "I", "x"),
            "Verifying payload failed version=\"4.7.4\" image=\"I\" failure=x");
  EXPECT_EQ(failure_message(LoadStep::load_payload, "4.7.4", "I", "x"),
            "Loading payload failed version=\"4.7.4\" image=\"I\" failure=x");
  EXPECT_EQ(failure_message(LoadStep::precondition_checks, "4.7.4", "I", "x"),
            "Preconditions failed for payload loaded version=\"4.7.4\" image=\"I\": x");
}

}  // namespace
}  // namespace fairway::payload
