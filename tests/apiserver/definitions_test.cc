// SPDX-License-Identifier: Apache-2.0

// Validation and defaults of CustomResourceDefinitions, beside the answers of a real kube-apiserver
// (scripts/k8s/record-definitions.py).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apiserver/internal/definitions/check_definition.h"
#include "apiserver/internal/definitions/definition_defaults.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace fairway::apiserver::definitions {
namespace {

std::vector<json::Value> recorded() {
  std::vector<json::Value> cases;
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/definitions.jsonl").value();
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) cases.push_back(json::parse(line).value());
  }
  return cases;
}

/// Returns the causes of a recorded reply, without those that any object's metadata has and those of types.
std::vector<std::string> expected_of(const json::Value& answer) {
  std::vector<std::string> texts;
  const json::Value* causes = json::find(answer, "causes");
  if (causes == nullptr) return texts;
  for (const json::Value& cause : causes->get_array()) {
    const std::string field(json::find_string(cause, "field").value_or(""));
    const std::string message(json::find_string(cause, "message").value_or(""));
    const bool is_of_any_object =
        field == "metadata.name" && message.find("must be spec.names") == std::string::npos;
    if (!is_of_any_object) texts.push_back(field + ": " + message);
  }
  return texts;
}

std::vector<std::string> texts_of(const schema::Violations& problems) {
  std::vector<std::string> texts;
  for (const schema::Violation& problem : problems) texts.push_back(problem.to_string());
  return texts;
}

/// Removes null members, which the typed objects of Kubernetes write as absent or not at all.
json::Value without_nulls(json::Value value) {
  if (!value.is_object()) return value;
  json::Object& object = value.get_object();
  for (auto at = object.begin(); at != object.end();) at = at->value().is_null() ? object.erase(at) : at + 1;
  return value;
}

TEST(Definitions, AreValidatedAndDefaultedAsByTheRealServer) {
  int compared = 0;
  for (const json::Value& recorded_case : recorded()) {
    const json::Value& answer = recorded_case.at("answer");
    const std::int64_t code = answer.at("code").to_number<std::int64_t>();
    if (code == 400) continue;  // of a wrong type, which is found when the body is read
    ++compared;
    json::Object definition = recorded_case.at("definition").get_object();
    const json::Value* old = json::find(recorded_case, "from");
    const std::string name(
        json::find_string(recorded_case, old == nullptr ? "create" : "update").value_or(""));
    SCOPED_TRACE(name);
    fill_in_definition_defaults(definition);
    schema::Violations problems;
    if (old == nullptr) {
      prepare_definition_create(definition);
      problems = check_definition(definition);
    } else {
      prepare_definition_update(definition, old->get_object());
      problems = check_definition_update(definition, old->get_object());
    }
    EXPECT_EQ(texts_of(problems), expected_of(answer));
    if (code >= 300 || name == "unknown field") continue;
    EXPECT_EQ(definition.at("spec"), answer.at("spec")) << json::to_text(definition.at("spec")) << "\n"
                                                        << json::to_text(answer.at("spec"));
    EXPECT_EQ(without_nulls(definition.at("status")), without_nulls(answer.at("status")));
  }
  EXPECT_GE(compared, 110);
}

TEST(Definitions, OfOtherTypesThanTheirsAreNoCrash) {
  for (const char* text : {"{}", R"({"spec":1})", R"({"spec":{"versions":1,"names":[],"conversion":"x"}})",
                           R"({"spec":{"versions":[1,null,{}],"group":[]},"status":[]})",
                           R"({"spec":{"versions":[{"schema":[],"additionalPrinterColumns":[1],
                               "selectableFields":[1],"subresources":{"scale":1}}]}})"}) {
    json::Object definition = json::parse(text).value().get_object();
    fill_in_definition_defaults(definition);
    prepare_definition_create(definition);
    EXPECT_FALSE(check_definition(definition).empty()) << text;
  }
}

}  // namespace
}  // namespace fairway::apiserver::definitions
