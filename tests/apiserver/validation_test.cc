// SPDX-License-Identifier: Apache-2.0

// Built-in kinds with one thing wrong: which fields are named, and why (data/validation.txt).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "apiserver/internal/validation/cron_schedule.h"
#include "apiserver/internal/validation/quantity.h"
#include "apiserver/validated_object.h"
#include "base/text.h"
#include "k8s/patch/json_patch.h"

namespace fairway::apiserver::testing {
namespace {

constexpr const char* table = FAIRWAY_SOURCE_DIR "/tests/apiserver/data/validation.txt";
constexpr std::string_view uid = "8a9ed0c5-6e2d-4c8a-9d0e-2f4b6a8c0e1f";

/// Returns the causes as the table has them.
std::string causes_of(const std::vector<k8s::FieldError>& errors) {
  std::set<std::string> causes;
  for (const k8s::FieldError& error : errors)
    causes.insert(error.cause.substr(std::string_view("FieldValue").size()) + " " + error.field);
  return join({causes.begin(), causes.end()}, "; ");
}

json::Value changed(const json::Value& object, const std::string& path, const std::string& value) {
  json::Object operation{{"op", value == "-" ? "remove" : "add"}, {"path", path}};
  if (value != "-") operation["value"] = json::parse(value).value();
  return k8s::apply_json_patch(object, json::Array{std::move(operation)}).value();
}

TEST(Validation, NamesTheFieldsAndTheCausesThatKubernetesNames) {
  std::ifstream in(table);
  std::map<std::string, json::Value> objects;
  std::string line;
  int count = 0;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t name_end = line.find(' '), second = line.find(' ', name_end + 1);
    const std::string name = line.substr(0, name_end),
                      next = line.substr(name_end + 1, second - name_end - 1);
    if (name == "object") {
      objects[next] = json::parse(line.substr(second + 1)).value();
      const auto errors = validate_object(objects[next], json::Value(), uid);
      ASSERT_TRUE(errors) << errors.error().message;
      EXPECT_EQ(causes_of(*errors), "") << next;
      continue;
    }
    const std::size_t arrow = line.rfind(" =>");
    ASSERT_TRUE(objects.contains(name) && arrow != std::string::npos) << table << ":" << number;
    const json::Value object = changed(objects[name], next, line.substr(second + 1, arrow - second - 1));
    const auto errors = validate_object(object, json::Value(), uid);
    ASSERT_TRUE(errors) << line << ": " << errors.error().message;
    EXPECT_EQ(causes_of(*errors), trim(line.substr(arrow + 3))) << table << ":" << number << ": " << line;
    ++count;
  }
  EXPECT_GT(count, 50);
}

TEST(Validation, OfAnObjectThatIsNotChangedFindsNothing) {
  const json::Value pod = json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
      "spec":{"containers":[{"name":"c","image":"i"}]}})")
                              .value();
  EXPECT_EQ(causes_of(validate_object(pod, pod, uid).value()), "");
  EXPECT_EQ(causes_of(validate_object(changed(pod, "/spec/containers/0/image", R"("j")"), pod, uid).value()),
            "");
  EXPECT_EQ(causes_of(validate_object(changed(pod, "/spec/hostname", R"("h")"), pod, uid).value()),
            "Forbidden spec");
  EXPECT_EQ(causes_of(validate_object(changed(pod, "/spec/hostname", R"("H")"), pod, uid).value()),
            "Forbidden spec; Invalid spec.hostname");
}

TEST(Validation, ReadsSchedulesAsCronDoes) {
  const std::map<std::string, std::string> cases{
      {"*/15 0-6,22 1,15 jan-mar ?", ""},
      {"@hourly", ""},
      {"@every 1h30m", ""},
      {"@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\""},
      {"@sometimes", "unrecognized descriptor: @sometimes"},
      {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
      {"61 * * * *", "end of range (61) above maximum (59): 61"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"},
      {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
  };
  for (const auto& [schedule, wanted] : cases) {
    const auto checked = validation::check_cron_schedule(schedule);
    EXPECT_EQ(checked ? "" : checked.error().message, wanted) << schedule;
  }
}

TEST(Validation, ComparesQuantitiesByTheirValue) {
  using validation::Quantity;
  EXPECT_EQ(Quantity::parse("1500m"), Quantity::parse("1.5"));
  EXPECT_EQ(Quantity::parse("2Gi"), Quantity::parse("2147483648"));
  EXPECT_EQ(Quantity::parse("1e3"), Quantity::parse("1k"));
  EXPECT_LT(Quantity::parse("999Mi"), Quantity::parse("1Gi"));
  EXPECT_LT(Quantity::parse("-1"), Quantity::parse("0"));
  EXPECT_LT(Quantity::parse("1Ei"), Quantity::parse("1000000000000000000000"));
  EXPECT_TRUE(Quantity::parse("2").is_whole());
  EXPECT_FALSE(Quantity::parse("1500m").is_whole());
}

}  // namespace
}  // namespace fairway::apiserver::testing
