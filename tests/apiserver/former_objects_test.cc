// SPDX-License-Identifier: Apache-2.0

// Objects that were stored before there was the rule that they break: they can still be changed, and removed.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "apiserver/objects_case.h"

namespace fairway::apiserver::testing {
namespace {

class FormerObjects : public WithObjects {
 protected:
  /// Makes a Pod with a finalizer, and stores it with an image pull policy that nobody may ask for.
  void make_invalid_pod() {
    const resources::ServedResourcePtr pods = find("pods");
    k8s::Dynamic pod = k8s::Dynamic::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",
        "namespace":"default","finalizers":["example.com/hold"]},
        "spec":{"restartPolicy":"Always","dnsPolicy":"Default","terminationGracePeriodSeconds":30,"containers":[
        {"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}]}})")
                           .value();
    const auto made = objects.create(*pods, std::move(pod), {});
    ASSERT_TRUE(made) << made.error().to_text();
    const auto stored_as = change(
        [](k8s::Dynamic& object) {
          object.json()["spec"].at("containers").at(0).get_object()["imagePullPolicy"] = "Sometimes";
        },
        true);
    ASSERT_EQ(stored_as, "");
  }

  /// Changes the Pod. Returns the message of the refusal, or "".
  std::string change(const std::function<void(k8s::Dynamic&)>& by, bool as_is = false) {
    const auto done = objects.update(*find("pods"),
                                     {.key = {"default", "p"},
                                      .transform =
                                          [&](const k8s::Dynamic* current) {
                                            k8s::Dynamic changed = *current;
                                            by(changed);
                                            return changed;
                                          },
                                      .as_is = as_is},
                                     {});
    return done ? std::string() : std::string(done.error().message());
  }
};

TEST_F(FormerObjects, LoseTheirFinalizersAndAreRemoved) {
  make_invalid_pod();
  remove("pods", "p");
  ASSERT_TRUE(stored("pods", "p"));
  EXPECT_EQ(change([](k8s::Dynamic& pod) { pod.erase("metadata.finalizers"); }), "");
  EXPECT_FALSE(stored("pods", "p"));
}

TEST_F(FormerObjects, CanBeChangedWhereTheyAreValid) {
  make_invalid_pod();
  EXPECT_EQ(change([](k8s::Dynamic& pod) { pod.set("metadata.labels", json::Object{{"a", "b"}}); }), "");
  ASSERT_TRUE(stored("pods", "p"));
  EXPECT_EQ(stored("pods", "p")->text("metadata.labels.a"), "b");
}

TEST_F(FormerObjects, AreRefusedForErrorsThatTheyDidNotHave) {
  make_invalid_pod();
  const std::string labels =
      change([](k8s::Dynamic& pod) { pod.set("metadata.labels", json::Object{{"a", "-"}}); });
  EXPECT_TRUE(labels.contains("metadata.labels: Invalid value: \"-\"")) << labels;
  EXPECT_FALSE(labels.contains("imagePullPolicy")) << labels;
  const std::string policy = change([](k8s::Dynamic& pod) {
    pod.json()["spec"].at("containers").at(0).get_object()["imagePullPolicy"] = "Rarely";
  });
  EXPECT_TRUE(policy.contains("imagePullPolicy: Unsupported value: \"Rarely\"")) << policy;
}

}  // namespace
}  // namespace fairway::apiserver::testing
