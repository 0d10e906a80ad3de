// SPDX-License-Identifier: Apache-2.0

// The bounds of LimitRanges on both API servers: what they say of the Pods and claims of
// tests/apiserver/data/limit_ranges.json.
#include <set>
#include <sstream>
#include <string>

#include "conformance/kube/on_cluster.h"
#include "support/cases.h"

namespace fairway::conformance {
namespace {

class LimitRanges : public OnCluster {
 protected:
  static json::Object object_in(const std::string& space, const char* kind, const json::Value& spec) {
    return json::Object{{"apiVersion", "v1"},
                        {"kind", kind},
                        {"metadata", json::Object{{"name", "one"}, {"namespace", space}}},
                        {"spec", spec}};
  }
  /// Returns "" for what the server takes, and else what it says.
  std::string said(const char* resource, const json::Object& object) const {
    const auto made = client->create({"", "v1", resource}, k8s::Dynamic(object));
    return made ? "" : std::string(made.error().status.message());
  }
};

/// Returns the words of a text in the order of the alphabet: kube-apiserver has no order of resources.
std::multiset<std::string> words(const std::string& text) {
  std::multiset<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    std::erase_if(word, [](char c) { return c == '[' || c == ']' || c == ','; });
    words.insert(word);
  }
  return words;
}

TEST_F(LimitRanges, RefuseWhatBreaksThem) {
  for (const json::Value& row :
       testing::read_cases(std::string(FAIRWAY_SOURCE_DIR) + "/tests/apiserver/data/limit_ranges.json")) {
    SCOPED_TRACE(std::string(row.at("case").as_string()));
    const std::string space = cluster.make_namespace();
    const json::Value limits = json::Object{{"limits", row.at("limits")}};
    std::string answer = said("limitranges", object_in(space, "LimitRange", limits));
    if (answer.empty()) {
      if (const json::Value* claim = row.as_object().if_contains("claim"); claim != nullptr) {
        json::Object spec = claim->as_object();
        spec["accessModes"] = json::Array{"ReadWriteOnce"};
        answer = said("persistentvolumeclaims", object_in(space, "PersistentVolumeClaim", spec));
      } else {
        json::Object spec = row.at("pod").as_object();
        for (const char* list : {"containers", "initContainers"}) {
          if (json::Value* containers = spec.if_contains(list))
            for (json::Value& one : containers->as_array()) one.as_object()["image"] = "example.com/image";
        }
        answer = said("pods", object_in(space, "Pod", spec));
      }
    }
    // A row without an answer needs other objects, too.
    if (const json::Value* expected = row.as_object().if_contains("answer"); expected != nullptr) {
      EXPECT_EQ(words(answer), words(std::string(expected->as_string()))) << answer;
    }
  }
}

}  // namespace
}  // namespace fairway::conformance
