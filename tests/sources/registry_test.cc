// SPDX-License-Identifier: Apache-2.0

#include "sources/registry_releases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "oci/fake_registry.h"
#include "oci/image.h"
#include "oci/signing.h"
#include "sources/registry_graph_data.h"
#include "support/temp_directory.h"

namespace fairway::sources {
namespace {

using fairway::testing::FakeRegistry;
using fairway::testing::Gpg;
using fairway::testing::make_image;
using fairway::testing::make_index;
using fairway::testing::make_tar;
using fairway::testing::release_image;
using fairway::testing::release_metadata;
using fairway::testing::signature_content;
using fairway::testing::TempDirectory;
using fairway::testing::TestImage;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

const std::string metadata_path = "release-manifests/release-metadata";

class RegistrySource : public ::testing::Test {
 protected:
  Options options() const {
    Options options;
    options.data_directory = folder.text() + "/data";
    options.access.plain_http = true;
    options.deadline = std::chrono::seconds(30);
    return options;
  }
  std::unique_ptr<ReleaseSource> source(const Options& with) {
    oci::RegistryOptions client;
    client.backoff = std::chrono::milliseconds(1);
    client.retries = 1;
    auto made = make_registry_release_source({fake.address(), "r", "", ""}, with, client);
    if (!made) throw std::runtime_error(made.error().message);
    return *std::move(made);
  }
  std::unique_ptr<ReleaseSource> source() { return source(options()); }
  FetchedReleases fetch(ReleaseSource& from) {
    auto fetched = from.fetch({});
    if (!fetched) throw std::runtime_error(fetched.error().message);
    return *std::move(fetched);
  }
  static std::vector<std::string> versions(const FetchedReleases& fetched) {
    std::vector<std::string> all;
    for (const auto& release : fetched.releases)
      all.push_back(release.version.to_string() + "+" + release.arch);
    std::ranges::sort(all);
    return all;
  }
  /// Returns the problem of a tag, or "".
  std::string problem(const FetchedReleases& fetched, const std::string& tag) {
    for (const auto& p : fetched.problems) {
      if (p.place.file == fake.address() + "/r:" + tag) return p.kind + ": " + p.message;
    }
    return "";
  }
  /// Returns the requests of a rescan other than HEADs and the list of tags.
  std::vector<std::string> dear_requests() {
    auto requests = fake.take_requests();
    std::erase_if(requests,
                  [](const auto& r) { return r.starts_with("HEAD ") || r.find("/tags/list") != r.npos; });
    return requests;
  }
  TempDirectory folder;
  FakeRegistry fake;
};

TEST_F(RegistrySource, ReadsImagesOfEveryKind) {
  fake.tag("4.0.0-x86_64", release_image("4.0.0", "amd64", true, "gzip"));
  fake.tag("4.0.1-x86_64", release_image("4.0.1", "amd64", false, "zstd", {"4.0.0"}));
  fake.tag("4.0.1-s390x", release_image("4.0.1", "s390x", false, "none", {"4.0.0"}));
  const auto several = make_index({{"arm64", release_image("4.0.2", "arm64")},
                                   {"amd64", release_image("4.0.2")},
                                   {"unknown", make_image({.layers = {"attestation"}})}});
  fake.tag("4.0.2-multi", several);
  fake.tag("4.0.3-ppc64le", make_index({{"ppc64le", release_image("4.0.3", "ppc64le", true)}}, true));
  const auto from = source();
  const auto fetched = fetch(*from);
  EXPECT_EQ(versions(fetched), (std::vector<std::string>{"4.0.0+amd64", "4.0.1+amd64", "4.0.1+s390x",
                                                         "4.0.2+multi", "4.0.3+ppc64le"}));
  EXPECT_TRUE(fetched.problems.empty()) << problem(fetched, "4.0.2-multi");
  for (const auto& release : fetched.releases) {
    if (release.arch == "multi") {
      EXPECT_EQ(release.payload, fake.address() + "/r@" + several.digest);
    }
    if (release.version.to_string() == "4.0.1") {
      EXPECT_EQ(release.previous, std::vector<std::string>{"4.0.0"});
    }
    if (release.arch == "s390x") {
      EXPECT_EQ(release.source, "oci://" + fake.address() + "/r:4.0.1-s390x");
    }
  }
  EXPECT_EQ(from->name(), "oci://" + fake.address() + "/r");
}

TEST_F(RegistrySource, ReadsLayersFromTheTopDownAndHeedsWhiteouts) {
  const auto with = [](const std::string& version) {
    return make_tar({{metadata_path, release_metadata(version)}});
  };
  const auto other = make_tar({{"etc/motd", "x"}});
  fake.tag("upper", make_image({.layers = {with("4.0.0"), with("4.0.1"), other}}));
  fake.tag(
      "gone",
      make_image({.layers = {with("4.0.2"), make_tar({{"release-manifests/.wh.release-metadata", ""}})}}));
  fake.tag("opaque",
           make_image({.layers = {with("4.0.3"), make_tar({{"release-manifests/.wh..wh..opq", ""}})}}));
  fake.tag("anew",
           make_image({.layers = {with("4.0.4"), make_tar({{".wh.release-manifests", ""}}), with("4.0.5")}}));
  const auto fetched = fetch(*source());
  EXPECT_EQ(versions(fetched), (std::vector<std::string>{"4.0.1+amd64", "4.0.5+amd64"}));
  EXPECT_CONTAINS(problem(fetched, "gone"), "no release");
  EXPECT_CONTAINS(problem(fetched, "opaque"), "no release");
}

TEST_F(RegistrySource, CostsOneHeadATagWhenNothingIsNewAlsoAfterARestart) {
  for (int i = 0; i < 20; ++i) {
    const auto version = "4.0." + std::to_string(i);
    fake.tag(version + "-x86_64", release_image(version));
  }
  fake.tag("4.0.19", release_image("4.0.19"));
  fake.tag("broken", make_image({.layers = {"no tar"}}));
  fake.tag("4.0.0.sig", make_image({.layers = {"signature"}}));
  fake.tag("sha256-" + std::string(64, 'a') + ".sig", make_image({.layers = {"signature"}}));
  fake.tag("sha256-" + std::string(64, 'b'), make_image({.layers = {"referrers"}}));
  auto from = source();
  const auto first = fetch(*from);
  EXPECT_EQ(first.releases.size(), 20U);
  EXPECT_EQ(first.problems.size(), 1U);
  EXPECT_EQ(FakeRegistry::count(fake.take_requests(), ".sig"), 0U);
  for (const bool restart : {false, true}) {
    if (restart) from = source();
    const auto again = fetch(*from);
    EXPECT_EQ(versions(again), versions(first));
    EXPECT_EQ(again.revision, first.revision);
    EXPECT_FALSE(again.revision.empty());
    const auto requests = fake.take_requests();
    EXPECT_EQ(FakeRegistry::count(requests, "HEAD "), 22U);
    EXPECT_EQ(requests.size(), 23U) << "and the list of tags";
  }
}

TEST_F(RegistrySource, ReadsOnlyWhatIsNewAndForgetsWhatIsGone) {
  fake.tag("a", release_image("4.0.0"));
  fake.tag("b", release_image("4.0.1"));
  const auto from = source();
  const auto first = fetch(*from);
  fake.take_requests();
  fake.tag("c", release_image("4.0.2"));
  fake.untag("a");
  const auto second = fetch(*from);
  EXPECT_EQ(versions(second), (std::vector<std::string>{"4.0.1+amd64", "4.0.2+amd64"}));
  EXPECT_NE(second.revision, first.revision);
  EXPECT_EQ(dear_requests().size(), 3U) << "manifest, config and the upper layer";
}

TEST_F(RegistrySource, NamesEachBadImageAndKeepsTheRest) {
  fake.tag("good", release_image("4.0.0"));
  const auto layer = [](const std::string& metadata) {
    return make_tar({{metadata_path, metadata}}, "gzip");
  };
  fake.tag("4.1.0-x86_64", make_image({.layers = {"not a tar"}}));
  fake.tag("kind", make_image({.layers = {layer(R"({"kind":"other","version":"4.1.1"})")}}));
  fake.tag("json", make_image({.layers = {layer("{")}}));
  fake.tag("version", make_image({.layers = {layer(R"({"kind":"cincinnati-metadata-v0","version":"v4"})")}}));
  fake.tag("arch", make_image({.layers = {layer(release_metadata("4.1.2+arm64"))}}));
  fake.tag(
      "link",
      make_image({.layers = {make_tar({{metadata_path, "x", fairway::testing::TarEntry::Kind::symlink}})}}));
  fake.tag("config", make_image({.layers = {layer(release_metadata("4.1.3"))}, .config = "{}"}));
  fake.tag("nothing", make_image({.layers = {}}));
  std::vector<std::string> many(oci::max_layers, make_tar({{"etc/motd", "x"}}));
  many.push_back(layer(release_metadata("4.1.7")));
  fake.tag("4.1.7-x86_64", make_image({.layers = many}));
  fake.tag("cut", make_image({.layers = {layer(release_metadata("4.1.4")).substr(0, 60)}}));
  fake.tag("empty", make_index({}));
  fake.tag("nested", make_index({{"amd64", make_index({{"amd64", release_image("4.1.5")}})}}));
  const auto lost = release_image("4.1.6");
  auto without = lost;
  without.blobs.clear();
  fake.tag("lost", without);
  const auto from = source();
  const auto fetched = fetch(*from);
  EXPECT_EQ(versions(fetched), std::vector<std::string>{"4.0.0+amd64"});
  const std::map<std::string, std::string> expected{{"4.1.0-x86_64", "no tar"},
                                                    {"kind", "kind"},
                                                    {"json", "release-metadata"},
                                                    {"version", "version"},
                                                    {"arch", "arm64"},
                                                    {"link", "is a link"},
                                                    {"config", "architecture"},
                                                    {"nothing", "no layers"},
                                                    {"4.1.7-x86_64", "501 layers; the limit is 500"},
                                                    {"cut", "broken"},
                                                    {"empty", "lists no image"},
                                                    {"nested", "another index"},
                                                    {"lost", "404"}};
  EXPECT_EQ(fetched.problems.size(), expected.size());
  for (const auto& [tag, part] : expected) {
    EXPECT_CONTAINS(problem(fetched, tag), part);
    EXPECT_TRUE(problem(fetched, tag).starts_with("release-left-out: "));
  }
  for (const auto& p : fetched.problems) {
    if (p.place.file.ends_with("4.1.0-x86_64")) {
      EXPECT_EQ(p.versions, std::vector<std::string>{"4.1.0"});
    }
  }
  fake.take_requests();
  EXPECT_EQ(fetch(*from).problems.size(), expected.size());
  EXPECT_TRUE(dear_requests().empty()) << "bad images are known too";
}

TEST_F(RegistrySource, DoesNotBelieveLayersOfOtherBytes) {
  const auto image = release_image("4.0.0");
  fake.tag("good", release_image("4.0.1"));
  fake.tag("forged", image);
  const auto forged = release_image("4.9.9");
  for (const auto& [digest, bytes] : image.blobs) {
    if (forged.blobs.contains(digest)) continue;
    for (const auto& [other, forged_bytes] : forged.blobs) {
      if (!image.blobs.contains(other)) fake.replace(digest, forged_bytes);
    }
  }
  const auto fetched = fetch(*source());
  EXPECT_EQ(versions(fetched), std::vector<std::string>{"4.0.1+amd64"});
  EXPECT_NE(problem(fetched, "forged"), "");
}

TEST_F(RegistrySource, KeepsReleasesThroughABlip) {
  for (int i = 0; i < 10; ++i) fake.tag("t" + std::to_string(i), release_image("4.0." + std::to_string(i)));
  auto from = source();
  const auto first = fetch(*from);
  fake.set_fault([](const http::Request& request) -> std::optional<http::Response> {
    if (request.path.ends_with("/manifests/t3")) return http::Response::text(500, "blip");
    return std::nullopt;
  });
  for (const bool restart : {false, true}) {
    if (restart) from = source();
    const auto during = fetch(*from);
    EXPECT_EQ(versions(during), versions(first));
    EXPECT_CONTAINS(problem(during, "t3"), "kept");
    EXPECT_GT(during.upstream_errors, 0U);
  }
  fake.set_fault({});
  EXPECT_TRUE(fetch(*from).problems.empty());
}

TEST_F(RegistrySource, KeepsTheOldImageOfATagWhoseNewOneCannotBeReadNow) {
  fake.tag("a", release_image("4.0.0"));
  fake.tag("moving", release_image("4.0.1"));
  const auto from = source();
  fetch(*from);
  const auto next = release_image("4.0.2");
  fake.tag("moving", next);
  fake.set_fault([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.path.ends_with(next.digest)) return http::Response::text(503, "busy");
    return std::nullopt;
  });
  const auto during = fetch(*from);
  EXPECT_EQ(versions(during), (std::vector<std::string>{"4.0.0+amd64", "4.0.1+amd64"}));
  EXPECT_CONTAINS(problem(during, "moving"), "it answers 503");
  fake.set_fault({});
  EXPECT_EQ(versions(fetch(*from)), (std::vector<std::string>{"4.0.0+amd64", "4.0.2+amd64"}));
}

TEST_F(RegistrySource, GoesOnWithoutACacheThatCannotBeWrittenAndSaysSo) {
  fake.tag("a", release_image("4.0.0"));
  auto with = options();
  folder.write("taken", "a file where a folder belongs");
  with.data_directory = folder.text() + "/taken";
  const auto from = source(with);
  for (int scan = 0; scan < 2; ++scan) {
    const auto fetched = fetch(*from);
    EXPECT_EQ(versions(fetched), std::vector<std::string>{"4.0.0+amd64"});
    ASSERT_EQ(fetched.problems.size(), 1U);
    EXPECT_CONTAINS(fetched.problems[0].message, "release cache");
    EXPECT_EQ(fetched.problems[0].message.find(folder.text()), std::string::npos) << "paths are for the log";
  }
  EXPECT_EQ(dear_requests().size(), 3U) << "what is in memory is not read again";
  // What was in the way is gone.
  std::filesystem::remove(folder / "taken");
  EXPECT_TRUE(fetch(*from).problems.empty());
  EXPECT_TRUE(std::filesystem::exists(folder / "taken/registry"));
}

TEST_F(RegistrySource, LeavesALockedCacheAlone) {
  fake.tag("a", release_image("4.0.0"));
  auto first = source();
  EXPECT_TRUE(fetch(*first).problems.empty());
  FakeClock clock;
  auto with = options();
  with.clock = &clock;
  const auto second = source(with);
  const std::jthread time([&](const std::stop_token& stop) {
    // Until it has waited for as long as it does.
    while (!stop.stop_requested()) {
      clock.advance(std::chrono::milliseconds(50));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto fetched = fetch(*second);
  EXPECT_EQ(versions(fetched), std::vector<std::string>{"4.0.0+amd64"});
  ASSERT_EQ(fetched.problems.size(), 1U);
  EXPECT_CONTAINS(fetched.problems[0].message, "release cache");
  first.reset();
  EXPECT_TRUE(fetch(*second).problems.empty()) << "it is its own now";
}

TEST_F(RegistrySource, FailsWhereNothingUsableCame) {
  fake.tag("a", release_image("4.0.0"));
  fake.set_fault([](const http::Request&) { return std::optional(http::Response::text(500, "down")); });
  const auto from = source();
  const auto no_list = from->fetch({});
  ASSERT_FALSE(no_list);
  EXPECT_EQ(no_list.error().code, ErrorCode::unavailable);
  EXPECT_CONTAINS(no_list.error().message, fake.address());
  fake.set_fault([](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "HEAD") return http::Response::text(500, "down");
    return std::nullopt;
  });
  const auto no_tags = from->fetch({});
  ASSERT_FALSE(no_tags);
  EXPECT_CONTAINS(no_tags.error().message, "1 of 1");
}

TEST_F(RegistrySource, GoesOnWhereADeadlineEndedIt) {
  for (int i = 0; i < 12; ++i) fake.tag("t" + std::to_string(i), release_image("4.0." + std::to_string(i)));
  auto hurried = options();
  hurried.deadline = std::chrono::seconds(1);
  hurried.concurrency = 1;
  std::atomic<int> manifests{0};
  fake.set_fault([&](const http::Request& request) -> std::optional<http::Response> {
    const bool late = request.method == "GET" && request.path.find("/manifests/") != std::string_view::npos &&
                      ++manifests > 3;
    if (!late) return std::nullopt;
    Clock::system().wait_until(Clock::system().steady() + std::chrono::seconds(5), request.cancelled);
    return http::Response::text(503, "late");
  });
  const auto ended = source(hurried)->fetch({});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::deadline_exceeded) << ended.error().message;
  fake.set_fault({});
  fake.take_requests();
  EXPECT_EQ(fetch(*source()).releases.size(), 12U);
  EXPECT_EQ(FakeRegistry::count(fake.take_requests(), "GET /v2/r/manifests/"), 9U)
      << "three were read before";
}

TEST_F(RegistrySource, EndsWhenStopped) {
  fake.tag("a", release_image("4.0.0"));
  std::stop_source stop;
  fake.set_fault([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "HEAD") stop.request_stop();
    return std::nullopt;
  });
  const auto stopped = source()->fetch({.stop = stop.get_token(), .progress = {}});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
}

TEST_F(RegistrySource, TellsItsProgress) {
  for (int i = 0; i < 5; ++i) fake.tag("t" + std::to_string(i), release_image("4.0." + std::to_string(i)));
  std::mutex mutex;
  std::map<std::string, std::size_t> furthest;
  FetchContext context;
  context.progress = [&](std::string_view what, std::size_t done, std::size_t total) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(total, 5U);
    auto& most = furthest[std::string(what)];
    most = std::max(most, done);
  };
  ASSERT_TRUE(source()->fetch(context));
  EXPECT_EQ(furthest, (std::map<std::string, std::size_t>{{"tags asked for", 5}, {"images read", 5}}));
}

TEST_F(RegistrySource, NeedsAWholeRepositoryAndAStoreForItsKeys) {
  EXPECT_FALSE(make_registry_release_source({"h", "r", "tag", ""}, options()));
  auto with = options();
  with.access.public_keys_directory = folder.text();
  const auto made = make_registry_release_source({"h", "r", "", ""}, with);
  ASSERT_FALSE(made);
  EXPECT_CONTAINS(made.error().message, "--signature-store");
  with.access.signature_store = "ftp://x/";
  EXPECT_FALSE(make_registry_release_source({"h", "r", "", ""}, with));
  with = options();
  with.access.auth_file = folder.text() + "/missing.json";
  EXPECT_FALSE(make_registry_release_source({"h", "r", "", ""}, with));
}

/// Fixture with keys in keys/, and signatures in store/ or over HTTP.
class SignedReleases : public RegistrySource {
 protected:
  void SetUp() override { make_keys(); }
  void make_keys() {
    if (!Gpg::installed()) GTEST_SKIP() << "gnupg is not installed";
    gpg = std::make_unique<Gpg>(folder / "home");
    std::filesystem::create_directories(folder / "keys");
    ASSERT_TRUE(gpg->make_key("releases"));
    ASSERT_TRUE(gpg->export_key("releases", folder / "keys/releases.asc"));
  }
  Options with_keys() const {
    auto with = options();
    with.access.public_keys_directory = folder.text() + "/keys";
    with.access.signature_store = "file://" + folder.text() + "/store";
    return with;
  }
  void sign(const TestImage& image, int number = 1,
            const std::string& reference = "elsewhere.example/release") {
    const auto signature = gpg->sign("releases", signature_content(image.digest, reference));
    ASSERT_FALSE(signature.empty());
    folder.write("store/sha256=" + image.digest.substr(7) + "/signature-" + std::to_string(number),
                 signature);
  }
  std::unique_ptr<Gpg> gpg;
};

TEST_F(SignedReleases, CountAndOthersAreLeftOut) {
  const auto good = release_image("4.0.0"), second = release_image("4.0.1"), none = release_image("4.0.2"),
             wrong = release_image("4.0.3");
  fake.tag("good", good);
  fake.tag("second", second);
  fake.tag("none", none);
  fake.tag("wrong", wrong);
  sign(good);
  folder.write("store/sha256=" + second.digest.substr(7) + "/signature-1", "garbage");
  sign(second, 2);
  folder.write("store/sha256=" + wrong.digest.substr(7) + "/signature-1",
               gpg->sign("releases", signature_content(good.digest, "r")));
  auto from = source(with_keys());
  const auto fetched = fetch(*from);
  EXPECT_EQ(versions(fetched), (std::vector<std::string>{"4.0.0+amd64", "4.0.1+amd64"}));
  EXPECT_CONTAINS(problem(fetched, "none"), "not signed");
  EXPECT_CONTAINS(problem(fetched, "wrong"), "another image");

  // What was verified is not asked for again, and a signature that comes later counts.
  std::filesystem::remove_all(folder / ("store/sha256=" + good.digest.substr(7)));
  sign(none);
  for (const bool restart : {false, true}) {
    if (restart) from = source(with_keys());
    EXPECT_EQ(versions(fetch(*from)),
              (std::vector<std::string>{"4.0.0+amd64", "4.0.1+amd64", "4.0.2+amd64"}));
  }
  // Other keys: everything is verified anew.
  ASSERT_TRUE(gpg->make_key("others"));
  ASSERT_TRUE(gpg->export_key("others", folder / "keys/releases.asc"));
  EXPECT_TRUE(fetch(*from).releases.empty());
}

TEST_F(SignedReleases, AreAskedForOverHttp) {
  const auto good = release_image("4.0.0");
  fake.tag("good", good);
  fake.tag("none", release_image("4.0.1"));
  const auto signature = gpg->sign("releases", signature_content(good.digest, fake.address() + "/r:good"));
  FakeRegistry store;
  store.set_fault([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.path == "/elsewhere/sha256=" + good.digest.substr(7) + "/signature-1") {
      return http::Response::text(200, signature);
    }
    return http::Response::text(404, "");
  });
  auto with = with_keys();
  with.access.signature_store = "http://" + store.address() + "/elsewhere/";
  const auto from = source(with);
  EXPECT_EQ(versions(fetch(*from)), std::vector<std::string>{"4.0.0+amd64"});
  store.set_fault([](const http::Request&) { return std::optional(http::Response::text(500, "down")); });
  const auto down = fetch(*from);
  EXPECT_EQ(versions(down), std::vector<std::string>{"4.0.0+amd64"}) << "verified before";
  EXPECT_CONTAINS(problem(down, "none"), "500");
}

class GraphDataImage : public SignedReleases {
 protected:
  void SetUp() override {}
  static std::string layer(const std::string& version,
                           const std::string& root = "var/lib/cincinnati-graph-data/") {
    return make_tar({{root + "version", version}, {root + "channels/stable-4.7.yaml", "name: stable-4.7"}},
                    "gzip");
  }
  std::unique_ptr<GraphDataSource> graph_data(const Options& with, const std::string& tag = "") {
    auto made = make_registry_graph_data_source({fake.address(), "r", tag, ""}, with);
    if (!made) throw std::runtime_error(made.error().message);
    return *std::move(made);
  }
};

TEST_F(GraphDataImage, IsReadWhenItsDigestChanges) {
  const auto image = make_image({.layers = {make_tar({{"etc/motd", "x"}}), layer("1.1.0")}});
  fake.tag("latest", image);
  const auto from = graph_data(options());
  const auto first = from->fetch({});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->files.at("version"), "1.1.0");
  EXPECT_EQ(first->revision, image.digest);
  fake.take_requests();
  EXPECT_EQ(from->fetch({})->files, first->files);
  EXPECT_EQ(fake.take_requests().size(), 1U);
  fake.tag("latest", make_index({{"amd64", make_image({.layers = {layer("1.2.0", "")}})}}));
  EXPECT_EQ(from->fetch({})->files.at("version"), "1.2.0");
  fake.tag("latest", make_image({.layers = {make_tar({{"etc/motd", "x"}})}}));
  const auto wrong = from->fetch({});
  ASSERT_FALSE(wrong);
  EXPECT_CONTAINS(wrong.error().message, "no graph data");
  EXPECT_CONTAINS(wrong.error().message, fake.address());
}

TEST_F(GraphDataImage, NeedsASignatureWhereThereAreKeys) {
  make_keys();
  if (IsSkipped()) return;
  const auto image = make_image({.layers = {layer("1.1.0")}});
  fake.tag("v1", image);
  const auto from = graph_data(with_keys(), "v1");
  const auto unsigned_one = from->fetch({});
  ASSERT_FALSE(unsigned_one);
  EXPECT_CONTAINS(unsigned_one.error().message, "not signed");
  sign(image);
  EXPECT_TRUE(from->fetch({}));
}

}  // namespace
}  // namespace fairway::sources
