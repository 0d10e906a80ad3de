// SPDX-License-Identifier: Apache-2.0

// Git repositories as sources: on this machine, and over HTTP from git's own upload-pack behind our server.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <latch>

#include "sources/git.h"
#include "sources/source.h"
#include "support/fake_service.h"
#include "support/git_repository.h"
#include "support/small_graph.h"

namespace fairway::sources {
namespace {

using testing::FakeService;
using testing::GitRepository;

std::string run(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, count);
  pclose(pipe);
  return output;
}

/// Git's smart protocol for one repository: what `git http-backend` does.
class GitServer {
 public:
  explicit GitServer(const std::string& repository)
      : repository_(repository), service_([this](const http::Request& request) { return serve(request); }) {
    run("cd '" + repository + "' && git config uploadpack.allowFilter true");
  }
  std::string spec(const std::string& ref) const { return "git+" + service_.url("/graph-data.git") + ref; }
  FakeService& service() { return service_; }
  http::Response serve(const http::Request& request) {
    if (request.path == "/graph-data.git/info/refs") {
      return reply("001e# service=git-upload-pack\n0000" +
                       run("git upload-pack --stateless-rpc --advertise-refs '" + repository_ + "'"),
                   "advertisement");
    }
    if (request.path == "/graph-data.git/git-upload-pack") {
      const auto body = scratch_.write("request", request.body);
      return reply(run("git upload-pack --stateless-rpc '" + repository_ + "' < '" + body.string() + "'"),
                   "result");
    }
    return http::Response::text(404, "no such thing");
  }

 private:
  static http::Response reply(std::string body, const std::string& kind) {
    return http::Response::text(200, std::move(body), "application/x-git-upload-pack-" + kind);
  }

  std::string repository_;
  testing::TempDirectory scratch_;
  FakeService service_;
};

class GitSource : public ::testing::Test {
 protected:
  void SetUp() override {
    repository_.folder().write_all(testing::small_graph_data());
    first_ = repository_.commit();
    options_.data_directory = data_.text();
  }
  std::unique_ptr<GraphDataSource> source(const std::string& spec) {
    auto made = make_graph_data_source(spec, options_);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  std::string change(const std::string& version) {
    repository_.folder().write("version", version);
    return repository_.commit();
  }

  GitRepository repository_;
  std::string first_;
  testing::TempDirectory data_;
  Options options_;
};

TEST_F(GitSource, ReadsARepositoryOnThisMachine) {
  const auto reader = source("git+file://" + repository_.text() + "#main");
  const auto fetched = reader->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->files, testing::small_graph_data());
  EXPECT_EQ(fetched->revision, first_);
  const std::string second = change("1.1.0\n");
  EXPECT_EQ(reader->fetch({})->revision, second);
  EXPECT_FALSE(reader->watch([] {}, {}));
}

TEST_F(GitSource, WantsAnAbsolutePath) {
  const auto made = make_graph_data_source("git+file://relative/path", options_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::invalid);
}

TEST_F(GitSource, FetchesOverHttp) {
  GitServer server(repository_.text());
  const auto fetched = source(server.spec(""))->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->files, testing::small_graph_data());
  EXPECT_EQ(fetched->revision, first_);
}

TEST_F(GitSource, FetchesOnlyWhatIsMissing) {
  GitServer server(repository_.text());
  const auto reader = source(server.spec("#main"));
  ASSERT_TRUE(reader->fetch({}));
  const std::size_t after_clone = server.service().seen().size();
  ASSERT_TRUE(reader->fetch({}));
  EXPECT_EQ(server.service().seen().size(), after_clone + 1) << "nothing new costs one request";
  const std::string second = change("1.1.0\n");
  const auto fetched = reader->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->revision, second);
  EXPECT_EQ(fetched->files.at("version"), "1.1.0\n");
  EXPECT_EQ(fetched->files.size(), testing::small_graph_data().size());
}

TEST_F(GitSource, KnowsAfterARestartWhatItFetchedBefore) {
  GitServer server(repository_.text());
  ASSERT_TRUE(source(server.spec("#main"))->fetch({}));
  const std::size_t after_clone = server.service().seen().size();
  const auto fetched = source(server.spec("#main"))->fetch({});
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->revision, first_);
  EXPECT_EQ(server.service().seen().size(), after_clone + 1);
}

TEST_F(GitSource, TakesTagsAndCommits) {
  repository_.git("tag -a -m 'a tag' v1");
  change("1.1.0\n");
  GitServer server(repository_.text());
  const auto tagged = source(server.spec("#v1"))->fetch({});
  ASSERT_TRUE(tagged) << tagged.error().message;
  EXPECT_EQ(tagged->revision, first_);
  options_.data_directory = data_.text() + "/other";
  const auto by_commit = source(server.spec("#" + first_));
  const auto fetched = by_commit->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->revision, first_);
  const std::size_t requests = server.service().seen().size();
  ASSERT_TRUE(by_commit->fetch({}));
  EXPECT_EQ(server.service().seen().size(), requests) << "a commit that is here is not asked for again";
}

TEST_F(GitSource, FollowsABranchThatWasRewritten) {
  GitServer server(repository_.text());
  const auto reader = source(server.spec("#main"));
  change("1.1.0\n");
  ASSERT_TRUE(reader->fetch({}));
  repository_.git("reset -q --hard " + first_);
  const std::string other = change("1.0.0\n");
  const auto fetched = reader->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->revision, other);
}

TEST_F(GitSource, NamesTheBranchesWhereTheRefIsMissing) {
  GitServer server(repository_.text());
  const auto fetched = source(server.spec("#mian"))->fetch({});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::not_found);
  EXPECT_NE(fetched.error().message.find("mian"), std::string::npos);
  EXPECT_NE(fetched.error().message.find("main"), std::string::npos);
}

TEST_F(GitSource, MakesABrokenCloneAnew) {
  GitServer server(repository_.text());
  const auto reader = source(server.spec("#main"));
  ASSERT_TRUE(reader->fetch({}));
  const std::string second = change("1.1.0\n");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_.path())) {
    if (entry.path().extension() != ".pack" && entry.path().extension() != ".idx") continue;
    std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_all);
    std::ofstream(entry.path(), std::ios::trunc) << "broken";
  }
  const auto fetched = reader->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->revision, second);
}

TEST_F(GitSource, SendsCredentialsAndShowsThemNowhere) {
  GitServer server(repository_.text());
  std::string spec = server.spec("#main");
  spec.insert(spec.find("://") + 3, "robot:s3cret@");
  const auto reader = source(spec);
  EXPECT_EQ(reader->name().find("s3cret"), std::string::npos);
  ASSERT_TRUE(reader->fetch({}));
  for (const auto& seen : server.service().seen()) {
    EXPECT_EQ(seen.headers.at("Authorization"), "Basic cm9ib3Q6czNjcmV0");
  }
  server.service().answer([](const http::Request&) { return http::Response::text(401, "no"); });
  const auto refused = reader->fetch({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unauthenticated);
  EXPECT_EQ(refused.error().message.find("s3cret"), std::string::npos);
}

TEST_F(GitSource, FollowsARedirectOfTheFirstRequest) {
  GitServer server(repository_.text());
  const FakeService moved([&](const http::Request& request) {
    http::Response response = http::Response::text(301, "moved");
    response.headers.set("Location", server.service().url(std::string(request.target)));
    return response;
  });
  const auto fetched = source("git+" + moved.url("/graph-data.git"))->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->revision, first_);
}

TEST_F(GitSource, SaysWhatAnswersThatIsNoGitRepository) {
  const FakeService page(
      [](const http::Request&) { return http::Response::text(200, "<html>", "text/html"); });
  const auto fetched = source("git+" + page.url("/graph-data.git"))->fetch({});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::invalid);
  EXPECT_NE(fetched.error().message.find("text/html"), std::string::npos) << fetched.error().message;
}

TEST_F(GitSource, SurvivesAPackThatIsCutOff) {
  GitServer server(repository_.text());
  server.service().answer([&](const http::Request& request) {
    http::Response whole = server.serve(request);
    if (request.method == "GET") return whole;
    http::Response cut = testing::cut_off(whole.body->substr(0, whole.body->size() / 2));
    cut.headers.set("Content-Type", "application/x-git-upload-pack-result");
    return cut;
  });
  const auto reader = source(server.spec("#main"));
  ASSERT_FALSE(reader->fetch({}));
  server.service().answer([&](const http::Request& request) { return server.serve(request); });
  const auto fetched = reader->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->revision, first_);
}

TEST_F(GitSource, WaitsForTheLockHolderOfTheSameClone) {
  GitServer server(repository_.text());
  const auto first = source(server.spec("#main")), second = source(server.spec("#main"));
  std::latch asked(1), go_on(1);
  std::atomic<bool> hangs = true;
  server.service().answer([&](const http::Request& request) {
    if (hangs.exchange(false)) {
      asked.count_down();
      go_on.wait();
    }
    return server.serve(request);
  });
  auto slow = std::async(std::launch::async, [&] { return first->fetch({}); });
  asked.wait();
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] { return second->fetch({.stop = stop.get_token()}); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  stop.request_stop();
  const auto stopped = waiting.get();
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message.find(".lock"), std::string::npos) << stopped.error().message;
  go_on.count_down();
  EXPECT_EQ(slow.get()->revision, first_);
  EXPECT_EQ(second->fetch({})->revision, first_);
}

TEST_F(GitSource, IsAnotherOneForAnotherTokenInItsUrl) {
  const auto a = source("git+https://u:one@git.example/r.git?token=a#main");
  const auto b = source("git+https://u:one@git.example/r.git?token=b#main");
  EXPECT_EQ(a->name(), b->name());
  EXPECT_NE(a->identity(), b->identity());
  EXPECT_EQ(a->identity(), source("git+https://u:one@git.example/r.git?token=a#main")->identity());
}

TEST_F(GitSource, StopsWhenItIsToStop) {
  GitServer server(repository_.text());
  std::stop_source stop;
  server.service().answer([&](const http::Request& request) {
    stop.request_stop();
    return server.serve(request);
  });
  const auto fetched = source(server.spec("#main"))->fetch({.stop = stop.get_token()});
  EXPECT_FALSE(fetched);
}

TEST_F(GitSource, LeavesNothingBehindWithoutADataDirectory) {
  GitServer server(repository_.text());
  const testing::TempDirectory scratch;
  setenv("TMPDIR", scratch.text().c_str(), 1);
  options_.data_directory.clear();
  {
    const auto reader = source(server.spec("#main"));
    ASSERT_TRUE(reader->fetch({}));
    EXPECT_FALSE(std::filesystem::is_empty(scratch.path()));
  }
  unsetenv("TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

}  // namespace
}  // namespace fairway::sources
