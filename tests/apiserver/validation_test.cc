// SPDX-License-Identifier: Apache-2.0

// Built-in kinds with one thing wrong: which fields are named, and why (data/validation.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "apiserver/internal/kinds/quantity_text.h"
#include "apiserver/internal/validation/cron_schedule.h"
#include "apiserver/internal/validation/quantity.h"
#include "apiserver/validated_object.h"
#include "base/text.h"
#include "k8s/patch/json_patch.h"
#include "support/generous.h"

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
    std::string name = line.substr(0, name_end);
    const std::string next = line.substr(name_end + 1, second - name_end - 1);
    if (name == "object") {
      objects[next] = json::parse(line.substr(second + 1)).value();
      const auto errors = validate_object(objects[next], json::Value(), uid);
      ASSERT_TRUE(errors) << errors.error().message;
      EXPECT_EQ(causes_of(*errors), "") << next;
      continue;
    }
    const std::size_t arrow = line.rfind(" =>");
    constexpr std::string_view update = "update:";
    const bool is_update = name.starts_with(update);
    if (is_update) name.erase(0, update.size());
    ASSERT_TRUE(objects.contains(name) && arrow != std::string::npos) << table << ":" << number;
    const json::Value object = changed(objects[name], next, line.substr(second + 1, arrow - second - 1));
    const auto errors = validate_object(object, is_update ? objects[name] : json::Value(), uid);
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

TEST(Validation, ComparesQuantitiesWhateverTheirExponent) {
  using validation::Quantity;
  const Quantity least = Quantity::parse("1n"), most = Quantity::parse("1e2147483647");
  EXPECT_EQ(Quantity::parse("1e-300000000"), least);
  EXPECT_EQ(Quantity::parse("999e-2147483648"), least);
  EXPECT_EQ(Quantity::parse("-1e-2147483648"), Quantity::parse("-1n"));
  EXPECT_EQ(Quantity::parse("0e2147483647"), Quantity());
  EXPECT_EQ(Quantity::parse(std::string(40, '9') + "e2147483647"), most);
  EXPECT_LT(Quantity::parse("1e17"), most);
  // As in Go only the lower 32 bits count.
  EXPECT_EQ(Quantity::parse("1e4294967296"), Quantity::parse("1"));
  Quantity sum;
  for (int i = 0; i < 2000; ++i) sum += most;
  EXPECT_EQ(sum, most);
}

TEST(Validation, WritesQuantitiesAsGoDoesWhateverTheirExponent) {
  // What k8s.io/apimachinery v0.36.3 makes of them.
  const std::map<std::string, std::string> cases{{"1e-20", "1e-9"},
                                                 {"123456789e-19", "1e-9"},
                                                 {"-5e-40", "-1e-9"},
                                                 {"1e-5000", "1e-9"},
                                                 {"0e-300", "0"},
                                                 {"1e4294967296", "1e4294967296"},
                                                 {"1e61", "10e60"},
                                                 {"1e2147483647", "10e2147483646"},
                                                 {"1e2147483646", "1e2147483646"},
                                                 {"1000e60", "1e63"},
                                                 {"1e-4294967296", "1e-4294967296"},
                                                 {"0e2147483647", "0"},
                                                 {"1.5e60", "1500e57"},
                                                 {"1e-2147483648", "1e-9"}};
  for (const auto& [text, wanted] : cases) EXPECT_EQ(kinds::canonical_quantity(text).value(), wanted) << text;
  EXPECT_FALSE(kinds::canonical_quantity("1e99999999999999999999"));
}

/// Returns a Pod of one container with these members.
json::Value pod_of(json::Object container, json::Object spec = {}) {
  container["name"] = "c";
  container["image"] = "i";
  spec["containers"] = json::Array{std::move(container)};
  return json::Object{{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", json::Object{{"name", "p"}}},
                      {"spec", std::move(spec)}};
}

TEST(Validation, RepeatsLittleOfAnObjectThatIsRefused) {
  const json::Value powers =
      pod_of({{"securityContext",
               json::Object{{"allowPrivilegeEscalation", false},
                            {"capabilities", json::Object{{"add", json::Array(2000, "CAP_SYS_ADMIN")}}}}}});
  EXPECT_EQ(validate_object(powers, json::Value(), uid).value().size(), 1);

  json::Array known, asked;
  for (int i = 0; i < 900; ++i) {
    const std::string name = "claim-" + std::to_string(i);
    known.push_back(json::Object{{"name", name}, {"resourceClaimName", "a"}});
    asked.push_back(json::Object{{"name", "other-" + name}});
  }
  const json::Value claims = pod_of({{"resources", json::Object{{"claims", std::move(asked)}}}},
                                    {{"resourceClaims", std::move(known)}});
  const auto unknown = validate_object(claims, json::Value(), uid).value();
  ASSERT_EQ(unknown.size(), 900);
  for (const k8s::FieldError& error : unknown) {
    EXPECT_LT(error.message.size(), 1200);
    EXPECT_TRUE(error.message.ends_with(" more")) << error.message;
  }
}

TEST(Validation, CountsTheErrorsBeyondTheFirstThousand) {
  const auto errors =
      validate_object(pod_of({{"env", json::Array(5000, json::Object{{"value", "v"}})}}), json::Value(), uid)
          .value();
  ASSERT_EQ(errors.size(), k8s::most_errors);
  EXPECT_EQ(errors.back().count, 4001);
  EXPECT_EQ(errors.back().to_string(),
            "spec.containers[0].env[999].name: Too many errors: 4001 more are not shown, of which this field "
            "has the first");
}

TEST(Validation, TakesTimeThatGrowsWithThePodOnly) {
  constexpr int count = 12'000;
  json::Array tolerations, volumes, variables, constraints;
  for (int i = 0; i < count; ++i) {
    const std::string name = "n-" + std::to_string(i);
    tolerations.push_back(json::Object{{"key", name}, {"operator", "Exists"}, {"effect", "NoExecute"}});
    volumes.push_back(json::Object{{"name", name}, {"emptyDir", json::Object{}}});
    variables.push_back(json::Object{
        {"name", name},
        {"valueFrom",
         json::Object{{"fileKeyRef", json::Object{{"volumeName", name}, {"path", "p"}, {"key", "K"}}}}}});
    constraints.push_back(
        json::Object{{"topologyKey", name},
                     {"whenUnsatisfiable", "DoNotSchedule"},
                     {"maxSkew", 1},
                     {"labelSelector", json::Object{{"matchLabels", json::Object{{"a", "b"}}}}}});
  }
  const json::Value old =
      pod_of({{"env", std::move(variables)}}, {{"tolerations", std::move(tolerations)},
                                               {"volumes", std::move(volumes)},
                                               {"topologySpreadConstraints", std::move(constraints)}});
  json::Value now = old;
  json::Array& moved = now.at("spec").at("tolerations").get_array();
  std::ranges::reverse(moved);
  for (json::Value& one : moved) one.get_object()["tolerationSeconds"] = 5;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(causes_of(validate_object(now, old, uid).value()), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, fairway::testing::generous(std::chrono::seconds(8)));
  moved.front().get_object()["key"] = "another";
  EXPECT_EQ(causes_of(validate_object(now, old, uid).value()), "Forbidden spec.tolerations");
}

}  // namespace
}  // namespace fairway::apiserver::testing
