// SPDX-License-Identifier: Apache-2.0

// Random documents of all built-in kinds, right and wrong: what is read of them, what is reported of them and
// why they are refused must be what Kubernetes's Go code says.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/strict_fields.h"
#include "apiserver/internal/kinds/typed_object.h"
#include "base/json.h"
#include "base/text.h"
#include "conformance/apiserver/programs.h"

namespace fairway::apiserver {
namespace {

/// Returns the type of a kind, such as "apps/v1, Kind=Deployment".
const kinds::MessageType* type_of(std::string_view kind) {
  const std::size_t comma = kind.find(", Kind="), slash = kind.find('/');
  return kinds::Kinds::find({std::string(kind.substr(0, slash)),
                             std::string(kind.substr(slash + 1, comma - slash - 1)),
                             std::string(kind.substr(comma + 7))});
}

/// Judges one case: returns the difference, or empty if it passes.
std::string compare(const json::Value& test, std::map<std::string, int>& counts) {
  const kinds::MessageType* type = type_of(json::find_string(test, "kind").value_or(""));
  if (type == nullptr) return "the kind is not known";
  const std::string_view text = json::find_string(test, "document").value_or("");
  const auto document = json::parse(text);
  if (!document) return document.error().message;
  const auto read = kinds::read_typed(*document, *type);
  if (const auto error = json::find_string(test, "error")) {
    if (read) return "it must be refused: " + std::string(*error);
    // Go names the part of a time and the byte of base64 that it cannot read.
    for (const std::string_view rough : {"parsing time ", "illegal base64 data", "time: "}) {
      if (!error->starts_with(rough)) continue;
      ++counts["refused, roughly the same words"];
      return read.error().message.starts_with(rough) ? std::string() : read.error().message;
    }
    ++counts["refused, same words"];
    return read.error().message == *error
               ? std::string()
               : conformance::first_difference(read.error().message, std::string(*error));
  }
  if (!read) return "refused: " + read.error().message;
  std::vector<std::string> wanted_strict;
  if (const json::Value* strict = json::find(test, "strict")) {
    for (const json::Value& one : strict->get_array()) wanted_strict.emplace_back(one.get_string());
  }
  const auto strict = kinds::strict_field_errors(text, *type);
  if (strict != wanted_strict)
    return conformance::first_difference(join(strict, ", "), join(wanted_strict, ", "));
  ++counts[strict.empty() ? "read" : "read, with strict errors"];
  const std::string made = json::to_text(*read), wanted = json::to_text(*json::find(test, "json"));
  if (made != wanted) return conformance::first_difference(made, wanted);
  // What was made is read as it is.
  const auto again = kinds::read_typed(*read, *type);
  return again && json::to_text(*again) == made ? std::string() : "read again it is something else";
}

TEST(Documents, AreReadAsKubernetesReadsThem) {
  auto [counts, differences] = conformance::compare_cases(
      "kinds-documents", {std::to_string(conformance::seed()), conformance::everything() ? "300" : "30"},
      {"kind"}, compare);
  EXPECT_EQ(differences, 0);
  EXPECT_GT(counts["read"], 1000);
  EXPECT_GT(counts["refused, same words"], 100);
}

}  // namespace
}  // namespace fairway::apiserver
