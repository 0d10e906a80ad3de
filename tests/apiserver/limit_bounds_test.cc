// SPDX-License-Identifier: Apache-2.0

// Bounds of LimitRanges: what a Pod or a claim breaks (data/limit_ranges.json), and what a server refuses.
#include "apiserver/internal/quota/limits.h"
#include "apiserver/server_case.h"
#include "support/cases.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource limit_ranges{"", "v1", "limitranges"}, pods{"", "v1", "pods"},
    claims{"", "v1", "persistentvolumeclaims"};

TEST(LimitBounds, AreBrokenAsTheTableSays) {
  for (const json::Value& row : fairway::testing::read_cases(std::string(FAIRWAY_SOURCE_DIR) +
                                                             "/tests/apiserver/data/limit_ranges.json")) {
    SCOPED_TRACE(std::string(row.at("case").as_string()));
    const json::Object range{{"spec", json::Object{{"limits", row.at("limits")}}}};
    const json::Value* claim = row.as_object().if_contains("claim");
    const json::Object object{{"spec", claim != nullptr ? *claim : row.at("pod")}};
    json::Array broken;
    for (const std::string& fault :
         quota::broken_limits(k8s::View(range), k8s::View(object),
                              {"", claim != nullptr ? "persistentvolumeclaims" : "pods"})) {
      broken.emplace_back(fault);
    }
    EXPECT_EQ(json::Value(broken), row.at("broken"));
  }
}

class OnLimitBounds : public OnServer {
 protected:
  void limit(const std::string& limits) {
    ASSERT_OK(
        client->create(limit_ranges, object_of(R"({"apiVersion":"v1","kind":"LimitRange","metadata":)"
                                               R"({"name":"r","namespace":"default"},"spec":{"limits":)" +
                                               limits + "}}")));
  }
  static k8s::Dynamic pod(const std::string& resources) {
    return object_of(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"p"},"spec":{"containers":)"
        R"([{"name":"c","image":"i","resources":)" +
        resources + "}]}}");
  }
  static k8s::Dynamic claim(const std::string& storage) {
    return object_of(
        R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c","namespace":"default"},)"
        R"("spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"s","resources":{"requests":{"storage":")" +
        storage + R"("}}}})");
  }
  template <class Answer>
  static std::string said(const Answer& answer) {
    if (answer) return "taken";
    return std::to_string(answer.error().status.code()) + " " + std::string(answer.error().status.message());
  }
};

TEST_F(OnLimitBounds, RefuseNewPods) {
  limit(R"([{"type":"Container","min":{"cpu":"100m"},"max":{"cpu":"1"},"default":{"cpu":"500m"},)"
        R"("defaultRequest":{"cpu":"200m"}}])");
  EXPECT_EQ(said(client->create(pods, pod(R"({"requests":{"cpu":"50m"}})"))),
            "403 pods \"p\" is forbidden: minimum cpu usage per Container is 100m, but request is 50m");
  EXPECT_EQ(said(client->create(pods, pod(R"({"requests":{"cpu":"50m"},"limits":{"cpu":"2"}})"),
                                {.dry_run = true})),
            "403 pods \"p\" is forbidden: [minimum cpu usage per Container is 100m, but request is 50m, "
            "maximum cpu usage per Container is 1, but limit is 2]");
  // What a container does not name is given first.
  EXPECT_EQ(said(client->create(pods, pod("{}"))), "taken");
  // Who only changes a Pod changes none of it.
  EXPECT_EQ(said(client->patch(pods, key("p"), kube::PatchType::merge,
                               parsed(R"({"metadata":{"labels":{"a":"b"}}})"))),
            "taken");
  EXPECT_EQ(
      said(client->patch(
          pods, key("p"), kube::PatchType::strategic,
          parsed(R"({"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"3"}}}]}})"), "resize")),
      "403 pods \"p\" is forbidden: maximum cpu usage per Container is 1, but limit is 3");
}

TEST_F(OnLimitBounds, RefuseClaims) {
  k8s::Dynamic large = claim("5Gi");
  large.set("metadata.finalizers", json::Array{"example.com/f"});
  ASSERT_EQ(said(client->create(claims, large)), "taken");
  limit(R"([{"type":"PersistentVolumeClaim","max":{"storage":"4Gi"}}])");
  const std::string refusal =
      "403 persistentvolumeclaims \"c\" is forbidden: maximum storage usage per PersistentVolumeClaim is "
      "4Gi, but "
      "request is 5Gi";
  const json::Value label = parsed(R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(said(client->patch(claims, key("c"), kube::PatchType::merge, label)), refusal);
  // What is on its way out may lose its finalizers.
  ASSERT_OK(client->remove(claims, key("c")));
  EXPECT_EQ(said(client->patch(claims, key("c"), kube::PatchType::merge,
                               parsed(R"({"metadata":{"finalizers":null}})"))),
            "taken");
  EXPECT_EQ(said(client->create(claims, claim("4Gi"))), "taken");
}

TEST(WithoutLimitRanger, BoundsRefuseNothing) {
  const auto server = start_server({.limit_ranger = false});
  const auto client = client_of(*server, {.max_retries = 0});
  ASSERT_OK(client->create(
      limit_ranges,
      object_of(R"({"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"r","namespace":"default"},)"
                R"("spec":{"limits":[{"type":"Container","min":{"cpu":"100m"}}]}})")));
  EXPECT_OK(client->create(
      pods,
      object_of(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},"spec":)"
                R"({"containers":[{"name":"c","image":"i"}]}})")));
}

}  // namespace
}  // namespace fairway::apiserver::testing
