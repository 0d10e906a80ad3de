// SPDX-License-Identifier: Apache-2.0

// The definitions of Gateway API, and its own examples of objects that are valid and that are not.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "conformance/apiserver/judged_server.h"

namespace fairway::conformance {
namespace {

namespace fs = std::filesystem;

/// The files of YAML below a folder, in order; without kustomizations.
std::vector<fs::path> yaml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml" && entry.path().stem() != "kustomization")
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

struct Counts {
  int accepted = 0, refused = 0;
};

class GatewayApi : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("FAIRWAY_GATEWAY_API");
    ASSERT_NE(folder, nullptr) << "start this by ./dev conformance apiserver";
    module_ = folder;
    served_.create_all(yaml_files(module_ / "config/crd" / GetParam()));
  }

  /// The channels whose examples hold for the definitions of this one.
  std::vector<std::string> channels() const {
    if (std::string_view(GetParam()) == "standard") return {"standard"};
    return {"standard", "experimental"};
  }

  /// Creates an object as `kubectl apply` would, as a dry run. Returns the reason why it is refused; empty:
  /// it is not.
  std::string refusal(k8s::Dynamic object) {
    if (served_.is_namespaced(object)) {
      if (object.namespace_name().empty()) object.set_namespace_name("default");
      make_namespace(std::string(object.namespace_name()));
    }
    const auto made = served_.client->create(served_.resource_of(object), object,
                                             {.dry_run = true, .validation = kube::FieldValidation::strict});
    if (made || made.error().is_already_exists()) return {};
    // No other error is a verdict on the object.
    EXPECT_TRUE(made.error().is(k8s::reason::invalid)) << object.name() << ": " << made.error().message;
    return made.error().message;
  }

  fs::path module_;
  JudgedServer served_;

 private:
  void make_namespace(const std::string& name) {
    if (name == "default" || !namespaces_.insert(name).second) return;
    k8s::Dynamic space;
    space.set_resource({"", "v1", "Namespace", "namespaces", k8s::Scope::cluster});
    space.set_name(name);
    const auto made = served_.client->create(apiserver::testing::namespaces, space);
    EXPECT_TRUE(made) << made.error().message;
  }
  std::set<std::string> namespaces_;
};

TEST_P(GatewayApi, JudgesItsExamplesAsKubernetesDoes) {
  Counts valid, invalid;
  int documents = 0;
  for (const std::string& channel : channels()) {
    for (const fs::path& file : yaml_files(module_ / "examples" / channel)) {
      SCOPED_TRACE(file.string());
      std::string why;
      for (k8s::Dynamic& object : read_objects(file)) {
        ++documents;
        const std::string refused = refusal(std::move(object));
        if (why.empty()) why = refused;
      }
      EXPECT_EQ(why, "");
      ++(why.empty() ? valid.accepted : valid.refused);
    }
    for (const fs::path& file : yaml_files(module_ / "hack/invalid-examples" / channel)) {
      SCOPED_TRACE(file.string());
      bool refused = false;
      for (k8s::Dynamic& object : read_objects(file))
        refused = !refusal(std::move(object)).empty() || refused;
      EXPECT_TRUE(refused);
      ++(refused ? invalid.refused : invalid.accepted);
    }
  }
  std::printf(
      "the %s channel: of %d valid examples (%d objects) %d are accepted, of %d invalid ones %d are "
      "refused\n",
      GetParam(), valid.accepted + valid.refused, documents, valid.accepted,
      invalid.accepted + invalid.refused, invalid.refused);
  EXPECT_GT(valid.accepted, 30);
  EXPECT_GT(invalid.refused, 30);
}

INSTANTIATE_TEST_SUITE_P(Channels, GatewayApi, ::testing::Values("standard", "experimental"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace fairway::conformance
