// SPDX-License-Identifier: Apache-2.0

// data/conversion_contract.json: replies of a conversion webhook that a real API server takes, and those that
// it refuses, each with its words, in both versions of the protocol. The untouched reply is that of our own
// handler.
#include "conformance/kube/on_cluster.h"
#include "conformance/kube/webhook_host.h"
#include "conversion/internal/review.h"
#include "k8s/patch/json_patch.h"
#include "kube/data.h"

namespace fairway::conformance {
namespace {

class ConversionContract : public OnCluster {
 protected:
  /// Tests one version of the protocol, with a CRD of its own.
  void holds_in(const std::string& protocol, const std::string& group, const std::string& kind) {
    auto converters = std::make_shared<conversion::Converters>();
    converters->kind(group, kind).storage("v1").same("v1alpha1", "v1beta1").same("v1beta1", "v1");
    ASSERT_OK(converters->prepare());
    std::mutex mutex;
    json::Value patch = json::Array{};
    std::string spoken;
    const WebhookHost host(
        cluster, {.definitions = Gizmo::yaml("ones", group, kind),
                  .namespace_name = namespace_name,
                  .review_versions = {protocol},
                  .answer = [&](std::string_view body) {
                    const auto reply = json::parse(conversion::answer_review(*converters, body).body).value();
                    const std::lock_guard lock(mutex);
                    spoken = json::find_string(reply, "apiVersion").value_or("");
                    const auto patched = k8s::apply_json_patch(reply, patch);
                    return json::to_text(patched ? *patched : reply);
                  }});
    k8s::Dynamic object;
    object.set("apiVersion", group + "/v1");
    object.set("kind", kind);
    object.set_name("one");
    object.set_namespace_name(namespace_name);
    object.set_label("a", "b");
    object.set_annotation("x", "y");
    object.set("spec.mode", "m");
    for (const json::Value& row : cases_of("conversion_contract.json")) {
      const std::string text = kube::testing::replaced(json::to_text(row), "GROUP", group);
      const json::Value filled = parsed(text);
      const k8s::View view(filled.as_object());
      SCOPED_TRACE(protocol + ": " + std::string(view.text("case")));
      // The embedded API server does not look at an answer's apiVersion in v1beta1 yet.
      if (cluster.is_embedded() && protocol == "v1beta1" && view.text("case") == "another kind of answer")
        continue;
      {
        const std::lock_guard lock(mutex);
        patch = json::Array{};
      }
      // A new one each time: the embedded API server asks once for each version of an object.
      if (const auto before = client->remove({group, "v1", "ones"}, key("one")); !before) {
        ASSERT_TRUE(before.error().is_not_found()) << before.error().message;
      }
      const auto made = client->create({group, "v1", "ones"}, object);
      ASSERT_OK(made);
      {
        const std::lock_guard lock(mutex);
        patch = filled.at("patch");
      }
      const auto got = client->get({group, "v1beta1", "ones"}, key("one"));
      if (const std::string_view error = view.text(protocol); !error.empty()) {
        ASSERT_FALSE(got) << got->to_text();
        EXPECT_TRUE(got.error().is(k8s::reason::internal_error)) << got.error().message;
        EXPECT_NE(got.error().message.find(error), std::string::npos) << got.error().message;
        continue;
      }
      ASSERT_OK(got);
      EXPECT_EQ(spoken, "apiextensions.k8s.io/" + protocol);
      EXPECT_EQ(got->api_version(), group + "/v1beta1");
      EXPECT_EQ(got->uid(), made->uid());
      EXPECT_EQ(got->generation(), 1);
      EXPECT_TRUE(got->finalizers().empty());
      const json::Object expected = view.has("labels") ? view.at("labels").json() : json::Object{{"a", "b"}};
      EXPECT_EQ(json::to_text(got->at("metadata.labels").json()), json::to_text(expected));
      EXPECT_EQ(got->annotation("x"), view.has("labels") ? "" : "y");
    }
    const std::lock_guard lock(mutex);
    patch = json::Array{};
  }
};

TEST_F(ConversionContract, HoldsInV1) {
  holds_in("v1", "ones.example.com", "One");
}
TEST_F(ConversionContract, HoldsInV1beta1) {
  holds_in("v1beta1", "betas.example.com", "Beta");
}

}  // namespace
}  // namespace fairway::conformance
