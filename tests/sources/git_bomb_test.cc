// SPDX-License-Identifier: Apache-2.0

// Repositories whose small packs unpack to much: reading them is refused by name, in little memory and time.
#include "sources/git.h"

#include <gtest/gtest.h>

#include "git_bomb.h"
#include "sources/source.h"
#include "support/fake_service.h"
#include "support/frugal.h"
#include "support/small_graph.h"

namespace fairway::sources {
namespace {

using testing::Frugal;
using testing::GitRepository;

constexpr std::chrono::seconds longest{20};
constexpr long memory = 150;

TEST(GitBombs, ADeltaThatUnpacksToMuchIsRefused) {
  const GitRepository repository;
  const Bomb bomb = delta_bomb(repository, 300);
  EXPECT_LT(bomb.pack.size(), 20'000U);
  keep_only(repository, bomb.pack);
  const Frugal frugal(longest, memory);
  const auto files = read_git_tree(repository.text(), bomb.commit);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::too_large) << files.error().message;
  EXPECT_TRUE(files.error().message.contains("channels/a.yaml")) << files.error().message;
}

TEST(GitBombs, ADeltaWithinTheLimitIsRead) {
  const GitRepository repository;
  const Bomb bomb = delta_bomb(repository, 3);
  keep_only(repository, bomb.pack);
  const auto files = read_git_tree(repository.text(), bomb.commit);
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->at("channels/a.yaml"), std::string(16, ' '));
}

TEST(GitBombs, ReadingEndsWhenItIsToStop) {
  const GitRepository repository;
  repository.folder().write_all(testing::small_graph_data());
  const std::string commit = repository.commit();
  std::stop_source stop;
  stop.request_stop();
  const auto files = read_git_tree(repository.text(), commit, {.stop = stop.get_token()});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::cancelled) << files.error().message;
  FakeClock clock;
  const auto late = read_git_tree(repository.text(), commit, {.deadline = clock.steady()}, clock);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded) << late.error().message;
}

std::string packet(const std::string& text) {
  char size[5];
  std::snprintf(size, sizeof size, "%04zx", text.size() + 4);
  return size + text;
}

/// A server that returns one pack to every request.
class PackServer {
 public:
  explicit PackServer(Bomb bomb)
      : bomb_(std::move(bomb)), service_([this](const http::Request& request) { return serve(request); }) {}
  std::string spec() const { return "git+" + service_.url("/bomb.git") + "#main"; }

 private:
  http::Response serve(const http::Request& request) {
    const std::string type = "application/x-git-upload-pack-";
    if (request.path == "/bomb.git/info/refs") {
      const std::string ref = bomb_.commit + " refs/heads/main";
      return http::Response::text(200,
                                  packet("# service=git-upload-pack\n") + "0000" +
                                      packet(ref + std::string(1, '\0') + "ofs-delta\n") + "0000",
                                  type + "advertisement");
    }
    return http::Response::text(200, packet("NAK\n") + bomb_.pack, type + "result");
  }

  Bomb bomb_;
  testing::FakeService service_;
};

TEST(GitBombs, AFetchOfADeltaThatUnpacksToMuchIsRefused) {
  for (const std::size_t claimed : {std::size_t{0}, std::size_t{1} << 33}) {
    const GitRepository repository;
    PackServer server(delta_bomb(repository, 300, claimed));
    const testing::TempDirectory data;
    Options options;
    options.data_directory = data.text();
    auto source = make_graph_data_source(server.spec(), options);
    ASSERT_TRUE(source) << source.error().message;
    const Frugal frugal(longest, memory);
    const auto fetched = (*source)->fetch({});
    ASSERT_FALSE(fetched);
    const bool is_named = fetched.error().code == ErrorCode::too_large;
    EXPECT_TRUE(is_named || claimed > 0) << fetched.error().message;
  }
}

TEST(GitBombs, AFetchOfADeltaWithinTheLimitIsTaken) {
  const GitRepository repository;
  PackServer server(delta_bomb(repository, 3));
  const testing::TempDirectory data;
  Options options;
  options.data_directory = data.text();
  auto source = make_graph_data_source(server.spec(), options);
  ASSERT_TRUE(source) << source.error().message;
  const auto fetched = (*source)->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_TRUE(fetched->files.contains("channels/a.yaml"));
}

}  // namespace
}  // namespace fairway::sources
