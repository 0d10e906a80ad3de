// SPDX-License-Identifier: Apache-2.0

// A version's image in a real registry is swapped, by whoever may push there: what clusters are told stays.
#include <gtest/gtest.h>

#include <algorithm>

#include "e2e/docker_registry.h"
#include "oci/images.h"
#include "support/temp_directory.h"
#include "updateservice/builder.h"

namespace fairway::updateservice {
namespace {

using fairway::testing::DockerRegistry;
using fairway::testing::release_image;
using fairway::testing::TestImage;

constexpr const char* repository = "ocp/release";

class PayloadSwap : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!DockerRegistry::installed())
      GTEST_SKIP() << "docker-registry is not installed (apt-get install docker-registry)";
    registry_.emplace();
    folder_.write("graph-data/version", "1.2.0\n");
    folder_.write("graph-data/channels/stable-4.7.yaml", "name: stable-4.7\nversions:\n- 4.7.0\n- 4.7.1\n");
    registry_->push(repository, {{"4.7.0-x86_64", release_image("4.7.0")}, {"4.7.1-x86_64", good_}});
    start();
    ASSERT_EQ(served(), good_.digest);
  }

  /// Starts a service, which has the state that the previous one kept.
  void start() {
    sources::Options options;
    options.data_directory = folder_.text() + "/data";
    options.access.plain_http = true;
    std::vector<std::unique_ptr<sources::ReleaseSource>> releases;
    releases.push_back(
        sources::make_release_source("oci://" + registry_->address() + "/" + repository, options).value());
    builder_ = std::make_unique<Builder>(
        std::move(releases), sources::make_graph_data_source(folder_.text() + "/graph-data", options).value(),
        graph::not_understood_url, Clock::system(), graphdata::load,
        Guards{WideningLimit::parse("10,5%").value(), folder_.text()});
    if (built_.inputs) builder_->restore(built_.inputs);
    refresh();
  }
  void refresh() {
    auto built = builder_->refresh({});
    ASSERT_TRUE(built) << built.error().message;
    built_ = std::move(*built);
  }
  /// The digest that clusters get for 4.7.1.
  std::string served() const {
    const graph::UpdateGraph graph = built_.snapshot->channel_graph("stable-4.7", "amd64");
    const auto node = graph.find("4.7.1");
    return node ? std::string(digest_of(graph.nodes[*node].payload)) : "";
  }
  /// Returns whether a problem names both images.
  bool told(const TestImage& other) const {
    return std::ranges::any_of(built_.snapshot->problems, [&](const graph::Problem& problem) {
      return problem.kind == graph::problem_kind::payload_conflict &&
             problem.message.contains(good_.digest) && problem.message.contains(other.digest);
    });
  }

  fairway::testing::TempDirectory folder_;
  std::optional<DockerRegistry> registry_;
  const TestImage good_ = release_image("4.7.1");
  /// An image of the same version with other contents.
  const TestImage other_ = release_image("4.7.1", "amd64", true);
  std::unique_ptr<Builder> builder_;
  BuildOutcome built_;
};

TEST_F(PayloadSwap, ByAnotherTagThatWouldWinChangesNothing) {
  ASSERT_NE(good_.digest, other_.digest);
  registry_->push(repository, {{"4.7.1", other_}, {"0-first", other_}});
  refresh();
  EXPECT_EQ(served(), good_.digest);
  start();
  EXPECT_EQ(served(), good_.digest) << "nor after a restart";
}

TEST_F(PayloadSwap, ByTheSameTagIsToldAndChangesNothingUntilItIsAccepted) {
  registry_->push(repository, {{"4.7.1-x86_64", other_}});
  refresh();
  EXPECT_EQ(served(), good_.digest);
  EXPECT_TRUE(told(other_));
  start();
  EXPECT_EQ(served(), good_.digest) << "nor after a restart";
  EXPECT_TRUE(told(other_));
  ASSERT_TRUE(accept(folder_.text(), "4.7.1+amd64=" + other_.digest));
  refresh();
  EXPECT_EQ(served(), other_.digest);
  EXPECT_FALSE(told(other_));
}

}  // namespace
}  // namespace fairway::updateservice
