// SPDX-License-Identifier: Apache-2.0

// The registry source beside a real registry: 300 images of all kinds, faults, restarts and kills.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "e2e/docker_registry.h"
#include "oci/images.h"
#include "oci/registry.h"
#include "oci/signing.h"
#include "sources/registry_graph_data.h"
#include "sources/registry_releases.h"
#include "support/temp_directory.h"

namespace fairway::sources {
namespace {

using fairway::testing::DockerRegistry;
using fairway::testing::Gpg;
using fairway::testing::make_image;
using fairway::testing::make_index;
using fairway::testing::make_tar;
using fairway::testing::Process;
using fairway::testing::release_image;
using fairway::testing::release_metadata;
using fairway::testing::TarEntry;
using fairway::testing::TempDirectory;
using fairway::testing::TestImage;

const std::string repository = "ocp/release";
const std::string metadata_path = "release-manifests/release-metadata";

/// The pushed images, and the expected results.
struct Pushed {
  std::map<std::string, TestImage> images;      ///< all 300 images by tag
  std::map<std::string, std::string> releases;  ///< "version arch" -> digest
  std::map<std::string, std::string> broken;    ///< tag -> part of the problem's text
  std::size_t asked_tags = 0;                   ///< all but signatures and the like
  std::string lost_blob;
};

Pushed make_images() {
  Pushed pushed;
  const auto add_release = [&](const std::string& version, const std::string& arch, const std::string& tag,
                               const TestImage& image) {
    pushed.images[tag] = image;
    pushed.releases[version + " " + arch] = image.digest;
  };
  const std::vector<std::pair<std::string, std::string>> archs{
      {"amd64", "x86_64"}, {"arm64", "aarch64"}, {"s390x", "s390x"}, {"ppc64le", "ppc64le"}};
  const std::vector<std::string> compressions{"gzip", "zstd", "none"};
  for (int i = 0; i < 228; ++i) {
    const auto version = "4." + std::to_string(10 + i / 40) + "." + std::to_string(i / 4 % 10);
    const auto& [arch, suffix] = archs[static_cast<std::size_t>(i) % 4];
    add_release(
        version, arch, version + "-" + suffix,
        release_image(version, arch, i % 3 == 0, compressions[static_cast<std::size_t>(i) % 3], {"4.9.0"}));
  }
  for (int i = 0; i < 20; ++i) {
    const bool docker = i % 2 == 0;
    const auto version = "4.20." + std::to_string(i);
    const auto amd64 = release_image(version, "amd64", docker);
    auto children = std::vector<std::pair<std::string, TestImage>>{
        {"arm64", release_image(version, "arm64", docker)}, {"amd64", amd64}};
    if (i % 5 == 0) {
      children = {{"amd64", amd64}};  // a list of one
    } else if (!docker) {
      children.emplace_back("unknown", make_image({.layers = {"attestation " + version}}));
    }
    add_release(version, i % 5 == 0 ? "amd64" : "multi", version + "-multi", make_index(children, docker));
  }
  const auto break_it = [&](const std::string& tag, const std::string& part, const TestImage& image) {
    pushed.images[tag] = image;
    pushed.broken[tag] = part;
  };
  const auto layer = [](const std::string& metadata) {
    return make_tar({{metadata_path, metadata}}, "gzip");
  };
  break_it("4.30.0-x86_64", "no tar", make_image({.layers = {"no tar at all"}}));
  break_it("4.30.1-x86_64", "truncated",
           make_image({.layers = {layer(release_metadata("4.30.1")).substr(0, 70)}}));
  break_it("4.30.2-x86_64", "not JSON", make_image({.layers = {layer("{\"kind\":")}, .docker = true}));
  break_it("4.30.3-x86_64", "kind",
           make_image({.layers = {layer("{\"kind\":\"other\",\"version\":\"4.30.3\"}")}}));
  break_it("4.30.4-x86_64", "version", make_image({.layers = {layer(release_metadata("four"))}}));
  break_it("4.30.5-x86_64", "is a link",
           make_image({.layers = {make_tar({{metadata_path, "elsewhere", TarEntry::Kind::symlink}})}}));
  break_it("4.30.6-x86_64", "no release",
           make_image({.layers = {layer(release_metadata("4.30.6")),
                                  make_tar({{"release-manifests/.wh.release-metadata", ""}}, "zstd")}}));
  break_it("4.30.7-x86_64", "architecture",
           make_image({.layers = {layer(release_metadata("4.30.7"))}, .config = R"({"os":"linux"})"}));
  break_it("4.30.8-x86_64", "arm64", make_image({.layers = {layer(release_metadata("4.30.8+arm64"))}}));
  const auto lost = release_image("4.30.9");
  break_it("4.30.9-x86_64", "404", lost);
  pushed.lost_blob = fairway::testing::digest_of(layer(release_metadata("4.30.9")));
  for (const auto& [digest, bytes] : lost.blobs) {
    if (!release_image("4.30.8").blobs.contains(digest)) pushed.lost_blob = digest;
  }
  for (int i = 0; i < 12; ++i) {
    break_it("build-" + std::to_string(i), "no release",
             make_image({.layers = {make_tar({{"app", "build " + std::to_string(i)}}, "gzip")},
                         .docker = i % 2 == 0}));
  }
  // The same images under more tags, and what tools leave beside images.
  for (int i = 0; i < 6; ++i) {
    pushed.images["candidate-" + std::to_string(i)] =
        pushed.images.at("4.1" + std::to_string(i % 5) + ".0-x86_64");
  }
  pushed.asked_tags = pushed.images.size();
  for (int i = 0; pushed.images.size() < 300; ++i) {
    const auto image = make_image({.layers = {"signature " + std::to_string(i)}});
    const auto tag = i % 2 == 0 ? "4.10." + std::to_string(i) + "-x86_64.sig"
                                : "sha256-" + sha256_hex(std::to_string(i)) + (i % 4 == 1 ? ".sig" : ".att");
    pushed.images[tag] = image;
  }
  return pushed;
}

/// One registry with all of them, for all tests of this file.
class RealRegistry : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!DockerRegistry::installed()) return;
    pushed = new Pushed(make_images());
    registry = new DockerRegistry;
    registry->push(repository, pushed->images);
    registry->lose_blob(pushed->lost_blob);
  }
  static void TearDownTestSuite() {
    delete registry;
    delete pushed;
    registry = nullptr;
    pushed = nullptr;
  }
  void SetUp() override {
    if (registry == nullptr)
      GTEST_SKIP() << "docker-registry is not installed (apt-get install docker-registry)";
  }

  static Options options(const std::string& data) {
    Options options;
    options.data_directory = data;
    options.access.plain_http = true;
    options.deadline = std::chrono::seconds(120);
    return options;
  }
  static std::unique_ptr<ReleaseSource> source(const Options& with) {
    auto made = make_registry_release_source({registry->address(), repository, "", ""}, with);
    if (!made) throw std::runtime_error(made.error().message);
    return *std::move(made);
  }
  static void expect_all(const FetchedReleases& fetched) {
    std::map<std::string, std::string> got;
    for (const auto& release : fetched.releases) {
      got[release.version.to_string() + " " + release.arch] =
          release.payload.substr(release.payload.find('@') + 1);
      EXPECT_TRUE(release.payload.starts_with(registry->address() + "/" + repository + "@"))
          << release.payload;
    }
    EXPECT_EQ(got, pushed->releases);
    EXPECT_EQ(fetched.releases.size(), pushed->releases.size());
    std::set<std::string> named;
    for (const auto& problem : fetched.problems) {
      EXPECT_EQ(problem.kind, graph::problem_kind::release_left_out);
      const auto tag = problem.place.file.substr(problem.place.file.rfind(':') + 1);
      named.insert(tag);
      ASSERT_TRUE(pushed->broken.contains(tag)) << tag << ": " << problem.message;
      EXPECT_NE(problem.message.find(pushed->broken.at(tag)), std::string::npos)
          << tag << ": " << problem.message;
    }
    EXPECT_EQ(named.size(), pushed->broken.size());
  }
  /// Lines of the access log since `from` that begin a request with `start`.
  static std::size_t logged(std::size_t from, const std::string& start) {
    const auto log = registry->log();
    std::size_t count = 0;
    for (auto at = log.find("\"" + start, from); at != std::string::npos; at = log.find("\"" + start, at + 1))
      ++count;
    return count;
  }

  static Pushed* pushed;
  static DockerRegistry* registry;
};
Pushed* RealRegistry::pushed = nullptr;
DockerRegistry* RealRegistry::registry = nullptr;

TEST_F(RealRegistry, GivesEveryReleaseAndNamesWhatIsBroken) {
  ASSERT_EQ(pushed->images.size(), 300U);
  const TempDirectory data;
  expect_all(source(options(data.text()))->fetch({}).value());
}

TEST_F(RealRegistry, CostsOneHeadATagAndNoBlobOnARescan) {
  const TempDirectory data;
  auto from = source(options(data.text()));
  const auto first = from->fetch({}).value();
  for (const bool restart : {false, true}) {
    if (restart) from = source(options(data.text()));
    registry->wait_for_log(restart ? "before-restart" : "before-rescan");
    const auto start = registry->log().size();
    const auto again = from->fetch({}).value();
    EXPECT_EQ(again.revision, first.revision);
    expect_all(again);
    registry->wait_for_log(restart ? "after-restart" : "after-rescan");
    EXPECT_EQ(logged(start, "HEAD /v2/" + repository + "/manifests/"), pushed->asked_tags);
    EXPECT_EQ(logged(start, "GET /v2/" + repository + "/blobs/"), 0U);
    EXPECT_EQ(logged(start, "GET /v2/" + repository + "/manifests/"), 0U);
    EXPECT_EQ(logged(start, "GET /v2/" + repository + "/tags/list"), 1U);
  }
}

/// Not a test of its own: the process that the next test starts, and kills.
TEST(RegistryScrapeChild, ScrapesUntilItIsKilled) {
  const char* address = std::getenv("FAIRWAY_TEST_SCRAPE_REGISTRY");
  const char* data = std::getenv("FAIRWAY_TEST_SCRAPE_DATA");
  if (address == nullptr || data == nullptr)
    GTEST_SKIP() << "run by RealRegistry.LosesNothingWhenKilledInAScrape";
  Options options;
  options.data_directory = data;
  options.access.plain_http = true;
  auto from = make_registry_release_source({address, repository, "", ""}, options);
  ASSERT_TRUE(from) << from.error().message;
  FetchContext context;
  context.progress = [](std::string_view what, std::size_t done, std::size_t total) {
    if (what != "images read") return;
    const auto line = "read " + std::to_string(done) + " of " + std::to_string(total) + "\n";
    static_cast<void>(::write(STDOUT_FILENO, line.data(), line.size()));
  };
  EXPECT_TRUE((*from)->fetch(context));
}

TEST_F(RealRegistry, LosesNothingWhenKilledInAScrape) {
  const TempDirectory data;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  std::size_t known = 0, images = 0;
  for (const std::size_t kill_after : {1, 40, 41, 100}) {
    const auto output = data.text() + "/output-" + std::to_string(kill_after);
    Process child({"/usr/bin/env", "FAIRWAY_TEST_SCRAPE_REGISTRY=" + registry->address(),
                   "FAIRWAY_TEST_SCRAPE_DATA=" + data.text(), self, "--gtest_filter=RegistryScrapeChild.*",
                   "--gtest_output="},
                  output);
    const auto marker = "read " + std::to_string(kill_after) + " of ";
    const auto deadline = Clock::system().steady() + std::chrono::seconds(60);
    std::string text;
    while (text.find(marker) == std::string::npos) {
      ASSERT_LT(Clock::system().steady(), deadline) << text;
      ASSERT_TRUE(child.running()) << text;
      Clock::system().wait_until(Clock::system().steady() + std::chrono::microseconds(200), {});
      text = read_file(output).value_or("");
    }
    child.end(SIGKILL);
    text = read_file(output).value();
    const auto at = text.find(marker) + marker.size();
    const auto unread = std::stoul(text.substr(at));
    if (images == 0) images = unread;
    // What the killed ones had read is known: each scrape goes on where the last one was cut off.
    EXPECT_LE(unread, images - known) << "killed after " << kill_after;
    const auto last = text.rfind("read ");
    known = images - unread + std::stoul(text.substr(last + 5));
  }
  registry->wait_for_log("before-last-scrape");
  const auto start = registry->log().size();
  std::atomic<std::size_t> total{0};
  FetchContext context;
  context.progress = [&](std::string_view what, std::size_t, std::size_t all) {
    if (what == "images read") total = all;
  };
  expect_all(source(options(data.text()))->fetch(context).value());
  EXPECT_LE(total, images - known);
  EXPECT_GT(total, 0U) << "the scrape was meant to be killed in its middle";
  registry->wait_for_log("after-last-scrape");
  // An index costs two manifests, an image one.
  EXPECT_LE(logged(start, "GET /v2/" + repository + "/manifests/"), 2 * total);
}

TEST_F(RealRegistry, CountsOnlySignedImagesWhereThereAreKeys) {
  if (!Gpg::installed()) GTEST_SKIP() << "gnupg is not installed";
  const TempDirectory folder;
  Gpg gpg(folder / "home");
  std::filesystem::create_directories(folder / "keys");
  ASSERT_TRUE(gpg.make_key("releases"));
  ASSERT_TRUE(gpg.export_key("releases", folder / "keys/releases.asc"));
  std::set<std::string> signed_digests;
  for (const auto& [name, digest] : pushed->releases) {
    if (signed_digests.size() == 20) break;
    folder.write("store/sha256=" + digest.substr(7) + "/signature-1",
                 gpg.sign("releases", fairway::testing::signature_content(digest, "quay.io/ocp/release")));
    signed_digests.insert(digest);
  }
  auto with = options(folder.text() + "/data");
  with.access.public_keys_directory = folder.text() + "/keys";
  with.access.signature_store = "file://" + folder.text() + "/store";
  const auto fetched = source(with)->fetch({}).value();
  std::set<std::string> got;
  for (const auto& release : fetched.releases)
    got.insert(release.payload.substr(release.payload.find('@') + 1));
  EXPECT_EQ(got, signed_digests);
}

TEST_F(RealRegistry, GivesGraphDataOfAnImageAndOfAnArtifact) {
  const TempDirectory data;
  const auto root = [](const std::string& folder, const std::string& version) {
    return make_tar(
        {{folder + "version", version}, {folder + "channels/stable-4.7.yaml", "name: stable-4.7"}}, "gzip");
  };
  registry->push(
      "graph-data",
      {{"latest", make_image({.layers = {root("var/lib/cincinnati-graph-data/", "1.1.0")}, .docker = true})},
       {"artifact",
        make_image({.layers = {root("cincinnati-graph-data-master/", "1.2.0")}, .config = "{}"})}});
  for (const auto& [tag, version] : {std::pair{"", "1.1.0"}, std::pair{"artifact", "1.2.0"}}) {
    auto from =
        make_registry_graph_data_source({registry->address(), "graph-data", tag, ""}, options(data.text()));
    ASSERT_TRUE(from) << from.error().message;
    const auto fetched = (*from)->fetch({});
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_EQ(fetched->files.at("version"), version);
  }
}

}  // namespace
}  // namespace fairway::sources
