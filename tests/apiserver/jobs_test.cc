// SPDX-License-Identifier: Apache-2.0

// Jobs select their Pods by what the server gives them.
#include <iterator>
#include <string>

#include "apiserver/raw_client.h"
#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource jobs{"batch", "v1", "jobs"};

k8s::Dynamic job(const std::string& metadata, const std::string& spec = "", const std::string& labels = "") {
  return object_of(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"namespace":"default",)" + metadata +
                   R"(},"spec":{)" + spec + R"("template":{"metadata":{)" +
                   (labels.empty() ? "" : R"("labels":{)" + labels + "}") +
                   R"(},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
}

std::ptrdiff_t keys_of(const k8s::StringMap& map) {
  return std::ranges::distance(map.begin(), map.end());
}

TEST_F(OnServer, AJobSelectsItsPodsByItsUid) {
  for (const char* metadata : {R"("name":"named")", R"("generateName":"generated-")"}) {
    const auto made = client->create(jobs, job(metadata));
    ASSERT_OK(made);
    const auto labels = made->map("spec.template.metadata.labels");
    EXPECT_EQ(labels.find("controller-uid"), made->uid());
    EXPECT_EQ(labels.find("batch.kubernetes.io/controller-uid"), made->uid());
    EXPECT_EQ(labels.find("job-name"), made->name());
    EXPECT_EQ(labels.find("batch.kubernetes.io/job-name"), made->name());
    EXPECT_EQ(made->map("spec.selector.matchLabels").find("batch.kubernetes.io/controller-uid"), made->uid());
    EXPECT_EQ(keys_of(made->map("spec.selector.matchLabels")), 1);
  }
}

TEST_F(OnServer, AJobWithoutLabelsIsSelectedByThoseOfItsTemplate) {
  const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
  RawClient admin(*server, &server->admin());
  const char* job = R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",
    "containers":[{"name":"c","image":"x"}]}}}})";
  EXPECT_EQ(admin.send("POST", jobs, {}, job).status, 201);
  const auto found = [&](const std::string& selector) {
    return parsed(admin.send("GET", jobs + "?labelSelector=" + selector, {}, "").body)
        .at("items")
        .as_array()
        .size();
  };
  EXPECT_EQ(found("job-name=j"), 1u);
  EXPECT_EQ(found("batch.kubernetes.io/job-name=j"), 1u);
  EXPECT_EQ(found("job-name=k"), 0u);
}

TEST_F(OnServer, AJobThatSelectsByHandIsLeftAsItIs) {
  const auto made = client->create(
      jobs,
      job(R"("name":"j")", R"("manualSelector":true,"selector":{"matchLabels":{"a":"b"}},)", R"("a":"b")"));
  ASSERT_OK(made);
  EXPECT_EQ(keys_of(made->map("spec.selector.matchLabels")), 1);
  EXPECT_EQ(keys_of(made->map("spec.template.metadata.labels")), 1);
  const auto without = client->create(jobs, job(R"("name":"k")", R"("manualSelector":true,)"));
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().status.message(),
            "Job.batch \"k\" is invalid: [spec.selector: Required value, spec.template.metadata.labels: "
            "Invalid value: "
            "null: `selector` does not match template `labels`]");
  const auto others = client->create(
      jobs,
      job(R"("name":"k")", R"("manualSelector":true,"selector":{"matchLabels":{"a":"c"}},)", R"("a":"b")"));
  ASSERT_FALSE(others);
  EXPECT_NE(others.error().status.message().find("`selector` does not match template `labels`"),
            std::string::npos);
}

TEST_F(OnServer, AJobDoesNotPassAsAnother) {
  const auto made = client->create(jobs, job(R"("name":"j")", "", R"("job-name":"other")"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().status.code(), 422);
  EXPECT_NE(made.error().status.message().find("spec.template.metadata.labels[job-name]: Invalid value"),
            std::string::npos)
      << made.error().status.message();
  EXPECT_NE(made.error().status.message().find("must be 'j'"), std::string::npos);
}

TEST_F(OnServer, AJobsSelectorDoesNotChange) {
  const auto made = client->create(jobs, job(R"("name":"j")"));
  ASSERT_OK(made);
  auto changed = *made;
  changed.set_entry("spec.selector.matchLabels", "a", "b");
  const auto refused = client->replace(jobs, changed);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().status.message().find("field is immutable"), std::string::npos);
  // Nor does it go, where somebody leaves it out.
  ASSERT_OK(client->patch(jobs, key("j"), kube::PatchType::merge, parsed(R"({"spec":{"parallelism":2}})")));
}

}  // namespace
}  // namespace fairway::apiserver::testing
