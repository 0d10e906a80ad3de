// SPDX-License-Identifier: Apache-2.0

// What `./dev test kube` replays is still what a real server says, and what the embedded one says, too. With
// FAIRWAY_UPDATE_GOLDEN=1 it is written anew.
#include <array>
#include <cstdlib>
#include <map>
#include <regex>
#include <string_view>

#include "base/file.h"
#include "conformance/kube/on_cluster.h"
#include "conformance/kube/recording_proxy.h"
#include "k8s/equality.h"
#include "kube/caller.h"
#include "kube/data.h"

namespace fairway::conformance {
namespace {

/// Returns a value without the parts that differ from one server to the next.
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

/// The cases in which the embedded API server answers differently, on purpose or not yet as it should, and
/// the difference.
const std::map<std::string_view, std::string_view>& embedded_differences() {
  static const std::map<std::string_view, std::string_view> differences{
      {"a JSON patch whose test fails", "the Status has a cause more"},
      {"all pages, one by one", "a page is the last one where a real one does not know yet"},
      {"a token that is none", "other words"},
      {"a kind that there is not", "a Status, where a real one has a text"},
  };
  return differences;
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
  const bool writes = std::getenv("FAIRWAY_UPDATE_GOLDEN") != nullptr && !cluster.is_embedded();
  std::string text = "[";
  for (const json::Value& row : testing::read_cases(file)) {
    SCOPED_TRACE(std::string(*json::find_string(row, "case")));
    json::Object now{{"case", row.at("case")}, {"call", row.at("call")}};
    const json::Object outcome =
        kube::testing::outcome_of(kube::testing::Caller(**through_proxy, row.at("call")).run());
    now["exchanges"] = proxy.take();
    now["outcome"] = outcome;
    if (cluster.is_embedded()) {
      const auto known = embedded_differences().find(*json::find_string(row, "case"));
      const bool equal = k8s::equal(timeless(now), timeless(row));
      EXPECT_EQ(equal, known == embedded_differences().end())
          << (equal ? "it has become equal: take it from the list"
                    : json::to_text(timeless(now)) + "\n" + json::to_text(timeless(row)));
    } else if (!writes) {
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
