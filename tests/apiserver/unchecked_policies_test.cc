// SPDX-License-Identifier: Apache-2.0

// Policies that a release stored which did not check what their writers may read.
#include "apiserver/internal/admission/unchecked_policies.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/internal/resources/built_in.h"
#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::admission {
namespace {

using Names = std::vector<std::string>;

class UncheckedPolicies : public ::testing::Test {
 protected:
  UncheckedPolicies() {
    for (resources::ServedResource& resource : resources::stored_built_in_resources())
      registry.put(std::move(resource));
  }
  void store(const std::string& kind, const std::string& name, const std::string& spec) {
    const resources::ServedResourcePtr resource =
        registry.find_kind({"admissionregistration.k8s.io", "v1", kind});
    const auto written = storage->write(storage::Change{
        {resource->storage, "", name},
        {},
        *storage::Body::of(R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":")" + kind +
                           R"(","metadata":{"name":")" + name + R"("},"spec":)" + spec + "}")});
    ASSERT_TRUE(written) << written.error().message;
  }
  Names found() { return unchecked_policies(*storage, registry).value(); }

  std::unique_ptr<storage::Storage> storage = storage::open_memory_storage().value();
  resources::ResourceRegistry registry;
};

TEST_F(UncheckedPolicies, AreNamedUntilSomebodyWritesThemAgain) {
  const std::string secrets = R"({"paramKind":{"apiVersion":"v1","kind":"Secret"}})";
  const std::string reference = R"({"policyName":"leak","paramRef":{"name":"s"}})";
  store("ValidatingAdmissionPolicy", "leak", secrets);
  store("ValidatingAdmissionPolicy", "plain", R"({"validations":[]})");
  store("ValidatingAdmissionPolicyBinding", "leak", reference);
  store("MutatingAdmissionPolicy", "other", secrets);
  const std::string policy = R"(ValidatingAdmissionPolicy "leak" (parameters: v1, Kind=Secret))";
  const std::string binding =
      R"(ValidatingAdmissionPolicyBinding "leak" (parameters: those of policy "leak"))";
  const std::string mutating = R"(MutatingAdmissionPolicy "other" (parameters: v1, Kind=Secret))";
  EXPECT_EQ(found(), (Names{policy, binding, mutating}));
  EXPECT_EQ(found(), (Names{policy, binding, mutating})) << "at each start";

  store("ValidatingAdmissionPolicy", "leak", secrets);
  store("ValidatingAdmissionPolicy", "later", secrets);
  EXPECT_EQ(found(), (Names{binding, mutating}));
}

TEST_F(UncheckedPolicies, AreNoneInANewDatabase) {
  EXPECT_TRUE(found().empty());
  store("ValidatingAdmissionPolicy", "new", R"({"paramKind":{"apiVersion":"v1","kind":"Secret"}})");
  EXPECT_TRUE(found().empty());
}

TEST_F(UncheckedPolicies, AreAllWhereTheNotedRevisionIsNoNumber) {
  ASSERT_TRUE(storage->set_value("admission.params-checked-since", "soon"));
  store("ValidatingAdmissionPolicy", "leak", R"({"paramKind":{"apiVersion":"v1","kind":"Secret"}})");
  EXPECT_EQ(found().size(), 1u);
}

}  // namespace
}  // namespace fairway::apiserver::admission
