// What `./dev test kube` replays is still what a real server says. With FAIRWAY_UPDATE_GOLDEN=1 it is written
// anew.
#include <array>
#include <cstdlib>
#include <regex>

#include "base/file.h"
#include "conformance/kube/on_cluster.h"
#include "conformance/kube/recording_proxy.h"
#include "kube/caller.h"
#include "kube/data.h"

namespace fairway::conformance {
namespace {

/// Without what differs from one server to the next.
json::Value timeless(const json::Value& value) {
  static const std::regex uid("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  static const std::regex version("in record \\([0-9]+\\)|current: [0-9]+|continue=[^&]*");
  // encoding/json's word for the character depends on the release of Go that the server was built with.
  static const std::regex character("invalid character '[^']*'");
  constexpr std::array<std::string_view, 8> changing = {"uid",      "resourceVersion",   "resource_version",
                                                        "continue", "creationTimestamp", "deletionTimestamp",
                                                        "time",     "generation"};
  if (const json::Object* object = value.if_object()) {
    json::Object result;
    for (const auto& [key, member] : *object) {
      const bool hidden = std::ranges::find(changing, std::string_view(key)) != changing.end();
      result[key] = hidden ? json::Value("*") : timeless(member);
    }
    return result;
  }
  if (const json::Array* list = value.if_array()) {
    json::Array result;
    for (const json::Value& item : *list) result.push_back(timeless(item));
    return result;
  }
  if (value.is_string()) {
    const std::string text(value.get_string());
    const std::string plain = std::regex_replace(text, character, "invalid character *");
    return json::Value(std::regex_replace(std::regex_replace(plain, uid, "*"), version, "*"));
  }
  return value;
}

using Recorded = OnCluster;

TEST_F(Recorded, ExchangesAreStillTrue) {
  const std::string file = kube::testing::data_path("recorded.json");
  ASSERT_OK(
      client->create({"", "v1", "namespaces"},
                     object_of(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"recorded"}})")));
  cluster.apply(*read_file(kube::testing::data_path("recorded-crd.yaml")));
  ASSERT_EQ(
      cluster.kubectl({"wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"}).exit_code, 0);
  RecordingProxy proxy(cluster);
  kube::ClientConfig config;
  config.server = proxy.url();
  const auto through_proxy = kube::Client::create(config, {.on_warning = [](std::string_view) {}});
  ASSERT_OK(through_proxy);
  const bool writes = std::getenv("FAIRWAY_UPDATE_GOLDEN") != nullptr;
  std::string text = "[";
  for (const json::Value& row : testing::read_cases(file)) {
    SCOPED_TRACE(std::string(*json::find_string(row, "case")));
    json::Object now{{"case", row.at("case")}, {"call", row.at("call")}};
    const json::Object outcome =
        kube::testing::outcome_of(kube::testing::Caller(**through_proxy, row.at("call")).run());
    now["exchanges"] = proxy.take();
    now["outcome"] = outcome;
    if (!writes) {
      EXPECT_EQ(json::to_text(timeless(now)), json::to_text(timeless(row)));
    }
    text += (text.size() > 1 ? ",\n  " : "\n  ") + json::to_text(now);
  }
  if (writes) {
    EXPECT_OK(write_file_atomically(file, text + "\n]\n"));
  }
}

}  // namespace
}  // namespace fairway::conformance
