// SPDX-License-Identifier: Apache-2.0

// State that is broken, half written or of a newer release: said clearly, and left as it is.
#include <gtest/gtest.h>

#include <functional>

#include "e2e/old_state.h"
#include "k8s/condition.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "openshift/cluster_version.h"
#include "release/cache.h"
#include "updateservice/running_service.h"

namespace fairway {
namespace {

using testing::OldState;
using testing::StateApiServer;
using testing::StateProgram;

/// Writes a number into the head of a database file, where SQLite's format has it: four bytes, the highest
/// first.
std::string with_number(std::string database, std::size_t offset, std::uint32_t number) {
  for (std::size_t i = 0; i < 4; ++i) database[offset + i] = static_cast<char>(number >> (24 - 8 * i) & 0xff);
  return database;
}

constexpr std::size_t change_counter = 24, user_version = 60, application_id = 68, version_valid_for = 92;

/// Returns a file without the two numbers that SQLite counts on when it has it open.
std::string without_counters(std::string database) {
  if (!database.starts_with("SQLite format 3")) return database;
  return with_number(with_number(std::move(database), change_counter, 0), version_valid_for, 0);
}

/// A database that cannot be taken up, and what is said of it.
struct BrokenDatabase {
  const char* name;
  std::function<std::string(std::string database)> broken;
  const char* said;
};

void PrintTo(const BrokenDatabase& one, std::ostream* out) {
  *out << one.name;
}

class BrokenDatabaseTest : public ::testing::TestWithParam<BrokenDatabase> {};

TEST_P(BrokenDatabaseTest, IsRefusedAndLeftAsItIs) {
  const OldState state;
  const std::string bytes = GetParam().broken(state.database("apiserver.db"));
  state.write("apiserver/data/apiserver.db", bytes);
  StateProgram server(
      state, "apiserver",
      {"apiserver", "--data", "data", "--listen", "127.0.0.1:0", "--kubeconfig", "kubeconfig"});
  EXPECT_EQ(server.exit_status(), 1) << server.log();
  EXPECT_TRUE(server.log().contains("error: starting the API server: ")) << server.log();
  EXPECT_TRUE(server.log().contains(GetParam().said)) << server.log();
  EXPECT_TRUE(without_counters(state.text("apiserver/data/apiserver.db")) == without_counters(bytes));

  // Neither is it a backup.
  StateProgram restore(state, "apiserver",
                       {"apiserver", "restore", "--data", "restored", "data/apiserver.db"});
  EXPECT_EQ(restore.exit_status(), 1) << restore.log();
  EXPECT_FALSE(std::filesystem::exists(state / "apiserver/restored/apiserver.db")) << restore.log();
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenDatabaseTest,
    ::testing::Values(
        BrokenDatabase{"OfANewerRelease",
                       [](std::string database) { return with_number(std::move(database), user_version, 3); },
                       "it was written by a newer release (schema 3, this one knows 2); use that release, or "
                       "a backup"},
        BrokenDatabase{
            "OfAnotherProgram",
            [](std::string database) { return with_number(std::move(database), application_id, 5); },
            "it is no storage of an API server; name another file"},
        BrokenDatabase{"HalfOfIt",
                       [](const std::string& database) { return database.substr(0, database.size() / 2); },
                       "the database is damaged"},
        BrokenDatabase{
            "WithPagesOfZeros",
            [](std::string database) { return database.replace(8192, 40960, std::string(40960, '\0')); },
            "the database is damaged"},
        BrokenDatabase{"AText", [](const std::string&) { return std::string(600, 'x'); },
                       "it is not an SQLite database; name another file"}),
    [](const auto& one) { return std::string(one.param.name); });

/// The update service on kept files of which one is torn: it says so, compares with nothing, and serves what
/// its sources say.
TEST(BrokenServiceState, IsIgnoredAndNamed) {
  const OldState state;
  const std::string inputs = state.text("service/data/last-good/inputs");
  state.write("service/data/last-good/inputs", inputs.substr(0, inputs.size() / 2));
  StateProgram service(state, "service", testing::old_service_words());
  const std::string at = service.word_after("address=");
  EXPECT_TRUE(testing::eventually([&] {
    const auto reply = updateservice::testing::send_request(
        at.substr(0, at.find('/')), "GET", "/api/upgrades_info/graph?channel=candidate-4.7&arch=amd64");
    return reply.status == 200 && reply.body != state.text("service/graph.json");
  })) << service.log();
  EXPECT_TRUE(service.log().contains("ignoring a file of the last good graph file=data/last-good/inputs"))
      << service.log();
  EXPECT_TRUE(service.log().contains("its checksum is wrong: it is torn or was changed")) << service.log();
  EXPECT_TRUE(service.log().contains("there is no last good graph to compare with")) << service.log();
}

/// The operator on an answer that is torn: it offers nothing until the update service answers.
TEST(BrokenOperatorState, OffersNothing) {
  const OldState state;
  state.write("apiserver/data/apiserver.db", state.database("apiserver.db"));
  const std::string answer = state.text("operator/updates/answer.json");
  state.write("operator/updates/answer.json", answer.substr(0, answer.size() / 2));
  state.write("operator/updates/answer-time", format_time(Clock::system().now()));
  const StateApiServer server(state);
  const StateProgram program(state, "operator", testing::old_operator_words(server.kubeconfig()));
  const auto client =
      kube::Client::create(kube::load_client_config({.file = server.kubeconfig()}).value()).value();
  const auto read = [&] {
    return client
        ->get(openshift::ClusterVersion::resource.group_version_resource(),
              {"", std::string(openshift::ClusterVersion::object_name)})
        .value();
  };
  EXPECT_TRUE(testing::eventually([&] {
    const k8s::Dynamic object = read();
    const auto retrieved = k8s::find_condition(object, "RetrievedUpdates");
    return retrieved && retrieved->reason() == "RemoteFailed" &&
           object.items("status.availableUpdates").empty();
  })) << json::to_text(json::Value(read().json()))
      << program.log();
  EXPECT_FALSE(k8s::find_condition(read(), "fairway.dev/StaleUpdates"));
}

/// An index of release images that ends in the middle of a record, as after a power loss.
TEST(BrokenReleaseCache, LosesTheTornRecordAlone) {
  const OldState state;
  const std::string index = state.text("releases/index.log");
  state.write("releases/index.log", index.substr(0, index.size() - 10));
  const auto cache = release::Cache::open({.index = state / "releases/index.log", .images = {}});
  ASSERT_TRUE(cache) << cache.error().message;
  int known = 0;
  for (const char* tag : {"4.6.23", "4.6.43"}) known += (*cache)->tag(tag) ? 1 : 0;
  EXPECT_EQ(known, 1);
}

}  // namespace
}  // namespace fairway
