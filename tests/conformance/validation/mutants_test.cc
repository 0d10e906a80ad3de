// SPDX-License-Identifier: Apache-2.0

// Mutants of valid objects: each must be refused or accepted as Kubernetes's own strategies do it. Where it
// is refused, the fields and the causes are counted.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validated_object.h"
#include "base/json.h"
#include "conformance/apiserver/programs.h"

namespace fairway::apiserver {
namespace {

/// The reason and the field of each cause, without order: Go's maps have none, and some rules run twice.
using Places = std::set<std::string>;

Result<std::vector<k8s::FieldError>> validate(std::string_view document, std::string_view old,
                                              std::string_view uid) {
  const auto parsed = json::parse(document), parsed_old = json::parse(old.empty() ? "null" : old);
  if (!parsed) return fail(parsed.error());
  if (!parsed_old) return fail(parsed_old.error());
  return testing::validate_object(*parsed, *parsed_old, uid);
}

std::string text_of(const Places& places) {
  std::string text;
  for (const std::string& one : places) text += "\n    " + one;
  return text;
}

/// Judges one case: returns the difference of the verdict, or empty.
std::string compare(const json::Value& test, std::map<std::string, int>& counts) {
  if (const auto error = json::find_string(test, "error")) return "the judge: " + std::string(*error);
  Places wanted, made, wanted_messages, made_messages;
  for (const json::Value& cause : json::find(test, "causes")->get_array()) {
    const auto text = [&](const char* name) {
      return std::string(json::find_string(cause, name).value_or(""));
    };
    wanted.insert(text("reason") + " " + text("field"));
    wanted_messages.insert(text("reason") + " " + text("field") + ": " + text("message"));
  }
  const auto errors =
      validate(json::find_string(test, "document").value_or(""), json::find_string(test, "old").value_or(""),
               json::find_string(test, "uid").value_or(""));
  if (!errors) return "cannot be read here: " + errors.error().message;
  for (const k8s::FieldError& error : *errors) {
    made.insert(error.cause + " " + error.field);
    made_messages.insert(error.cause + " " + error.field + ": " + error.message);
  }
  const bool is_same = wanted == made;
  ++counts[wanted.empty() ? "accepted" : "refused"];
  if (!wanted.empty()) {
    counts["refused for the same fields and causes"] += is_same ? 1 : 0;
    counts["refused in the same words"] += wanted_messages == made_messages ? 1 : 0;
  }
  const char* setting = std::getenv("FAIRWAY_SHOW");
  const bool shows_words = setting != nullptr && std::string_view(setting) == "words";
  if (shows_words ? wanted_messages != made_messages : setting != nullptr && !is_same) {
    const std::string name(json::find_string(test, "name").value_or(""));
    std::printf("%s\n  made:%s\n  wanted:%s\n", name.c_str(),
                text_of(shows_words ? made_messages : made).c_str(),
                text_of(shows_words ? wanted_messages : wanted).c_str());
  }
  if (wanted.empty() == made.empty()) return "";
  return "\n  made:" + text_of(made_messages) + "\n  wanted:" + text_of(wanted_messages);
}

TEST(Validation, OfMutantsIsThatOfKubernetes) {
  const std::string folder = std::string(FAIRWAY_SOURCE_DIR) + "/tests/conformance/validation/objects";
  auto [counts, differences] = conformance::compare_cases(
      "validation",
      {folder, std::to_string(conformance::seed()), conformance::everything() ? "50000" : "2000"}, {"name"},
      compare);
  EXPECT_EQ(differences, 0) << "mutants that are accepted here and refused there, or the other way round";
  EXPECT_GT(counts["accepted"], 300);
  EXPECT_GT(counts["refused"], 700);
  // The goal for fields and causes.
  EXPECT_GE(counts["refused for the same fields and causes"] * 100, counts["refused"] * 99);
}

}  // namespace
}  // namespace fairway::apiserver
