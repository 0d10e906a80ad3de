// SPDX-License-Identifier: Apache-2.0

// The program applies what is part of the capabilities that the administrator wants, and keeps what it has
// applied.
#include "operators/updating_case.h"

namespace fairway::operators::testing {
namespace {

/// Returns a ConfigMap that is part of capabilities.
std::string part_of(const std::string& capabilities, const std::string& name,
                    const std::string& value = "1") {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name +
         "\n  namespace: default\n  annotations: {capability.openshift.io/name: '" + capabilities +
         "'}\ndata: {a: '" + value + "'}\n";
}

class CapabilitiesOfTheProgram : public Updating {
 protected:
  static json::Object wanted(const json::Object& capabilities) {
    json::Object whole = spec();
    whole["capabilities"] = capabilities;
    return whole;
  }
  static json::Object none_but(const json::Array& names) {
    return {{"baselineCapabilitySet", "None"}, {"additionalEnabledCapabilities", names}};
  }
  void begin_with(const json::Object& whole) {
    offer();
    write_cluster(whole);
    start_operator();
    // What was there before is put back in no order.
    for (const std::string name : {"last", "machines"})
      ASSERT_TRUE(eventually([&] { return value(name) == "1"; })) << why();
  }
  std::string enabled() const {
    return json::to_text(member(member(status(), "capabilities"), "enabledCapabilities"));
  }
};

TEST_F(CapabilitiesOfTheProgram, AreThoseOfTheSpec) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", part_of("Console", "console")},
                         {"0000_10_a_2.yaml", part_of("MachineAPI", "machines")},
                         {"0000_10_a_3.yaml", part_of("MachineAPI+Storage", "both")},
                         {"0000_20_a_1.yaml", map_yaml("last", "1")}});
  begin_with(wanted(none_but({"MachineAPI"})));
  EXPECT_EQ(value("console"), "none");
  EXPECT_EQ(value("both"), "none");
  EXPECT_EQ(enabled(), R"(["MachineAPI"])");
  EXPECT_GT(member(member(status(), "capabilities"), "knownCapabilities").as_array().size(), 10U);
  EXPECT_EQ(said("ImplicitlyEnabledCapabilities"), "False AsExpected: Capabilities match configured spec");

  write_spec(wanted(none_but({"MachineAPI", "Storage"})));
  EXPECT_TRUE(eventually([&] { return value("both") == "1"; })) << why();
  EXPECT_EQ(value("console"), "none");
  // None is disabled again.
  write_spec(wanted(none_but({"Storage"})));
  EXPECT_TRUE(eventually([&] {
    return said("ImplicitlyEnabledCapabilities") ==
           "True CapabilitiesImplicitlyEnabled: The following capabilities could not be disabled: MachineAPI";
  })) << why();
  EXPECT_EQ(enabled(), R"(["MachineAPI","Storage"])");
}

TEST_F(CapabilitiesOfTheProgram, AnUpdateKeepsWhatWasAppliedBefore) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("moved", "1")},
                         {"0000_10_a_2.yaml", part_of("MachineAPI", "machines")},
                         {"0000_20_a_1.yaml", map_yaml("last", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", part_of("Insights", "moved", "2")},
                         {"0000_10_a_2.yaml", part_of("MachineAPI+Storage", "machines", "2")},
                         {"0000_10_a_3.yaml", part_of("Console", "console")},
                         {"0000_20_a_1.yaml", map_yaml("last", "2")}});
  begin_with(wanted(none_but({"MachineAPI"})));
  json::Object whole = wanted(none_but({"MachineAPI"}));
  ASSERT_TRUE(eventually([&] { return said("RetrievedUpdates").starts_with("True"); })) << why();
  whole["desiredUpdate"] = json::Object{{"version", "4.6.24"}};
  write_spec(whole);
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
  EXPECT_EQ(value("moved"), "2");
  EXPECT_EQ(value("machines"), "2");
  EXPECT_EQ(value("console"), "none");
  EXPECT_EQ(said("ImplicitlyEnabledCapabilities"),
            "True CapabilitiesImplicitlyEnabled: The following capabilities could not be disabled: Insights, "
            "Storage");
  EXPECT_EQ(enabled(), R"(["Insights","MachineAPI","Storage"])");
}

TEST_F(CapabilitiesOfTheProgram, AClusterOfAnEarlierProgramKeepsAll) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", part_of("Console", "console")},
                         {"0000_10_a_2.yaml", part_of("OwnPart", "own")},
                         {"0000_20_a_1.yaml", map_yaml("last", "1")}});
  offer();
  write_cluster(wanted(none_but({"MachineAPI"})));
  // What such a program has written: a history without capabilities.
  ASSERT_OK(client_->patch(
      openshift::ClusterVersion::resource.group_version_resource(), {"", "version"}, kube::PatchType::merge,
      json::Object{
          {"status",
           json::Object{
               {"desired", json::Object{{"version", "4.6.23"}, {"image", releases_.image("4.6.23")}}},
               {"history", json::Array{json::Object{{"state", "Completed"},
                                                    {"startedTime", "2026-01-01T00:00:00Z"},
                                                    {"completionTime", "2026-01-01T00:10:00Z"},
                                                    {"version", "4.6.23"},
                                                    {"image", releases_.image("4.6.23")},
                                                    {"verified", false}}}},
               {"observedGeneration", 1},
               {"versionHash", ""},
               {"availableUpdates", json::Array()}}}},
      "status"));
  start_operator();
  for (const std::string name : {"last", "console", "own"})
    EXPECT_TRUE(eventually([&] { return value(name) == "1"; })) << name << why();
  EXPECT_TRUE(said("ImplicitlyEnabledCapabilities").contains("Console")) << why();
}

}  // namespace
}  // namespace fairway::operators::testing
