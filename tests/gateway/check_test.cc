// SPDX-License-Identifier: Apache-2.0

// Each file of tests/gateway/cases/*.txt and translation_faults/*.txt: objects, and the conditions that they
// get.
#include "gateway/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/text.h"
#include "gateway/internal/status/conditions.h"
#include "k8s/documents.h"
#include "k8s/object.h"

namespace fairway::gateway {
namespace {

using k8s::View;

const std::filesystem::path folder = FAIRWAY_SOURCE_DIR "/tests/gateway";
constexpr std::string_view divider = "\n=== conditions\n";

std::string read(const std::filesystem::path& path) {
  const auto text = read_file(path.string());
  EXPECT_TRUE(text) << path;
  return text ? *text : "";
}

WallTime now() {
  return *parse_time("2027-01-01T00:00:00Z");
}

/// Returns the files that a case names (`# with: web.yaml services.yaml`, in its folder), and its own
/// objects.
std::vector<SourceText> sources_of(const std::filesystem::path& path, const std::string& text) {
  std::vector<SourceText> sources;
  const std::string own = text.substr(0, text.find(divider));
  for (const std::string_view line : split(own, '\n')) {
    if (!line.starts_with("# with: ")) continue;
    for (const std::string_view name : split(line.substr(8), ' '))
      sources.push_back({std::string(name), read(path.parent_path() / name)});
  }
  sources.push_back({"the case", own});
  return sources;
}

std::string conditions_text(const View& owner) {
  std::string out;
  for (const k8s::Condition& condition : owner.items<k8s::Condition>("conditions")) {
    const bool is_error = condition.is_true() && condition.reason() != condition.type();
    out += "  " + std::string(condition.type()) + "=" + std::string(to_string(condition.status())) + " " +
           std::string(condition.reason());
    // Only what the input said of times is no epoch.
    if (condition.last_transition() != WallTime{})
      out += " since " + std::string(condition.text("lastTransitionTime"));
    if (is_error || !condition.is_true()) out += ": " + std::string(condition.message());
    out += '\n';
  }
  return out;
}

/// Returns a list of `check` in short: one line for each owner of conditions, and one for each condition.
std::string short_text(const CheckedObjects& checked) {
  std::string out;
  for (const View& item : View(checked.list.get_object()).items("items")) {
    const std::string name = std::string(item.text("kind")) + " " + std::string(item.text("metadata.name"));
    const View status = item.at("status");
    std::string addresses;
    for (const View& address : status.items("addresses"))
      addresses += " " + std::string(address.text("value"));
    out += name + (addresses.empty() ? "" : " at" + addresses);
    if (status.integer("attachedListenerSets") > 0)
      out += ", " + std::to_string(status.integer("attachedListenerSets")) + " ListenerSets";
    out += "\n" + conditions_text(status);
    for (const View& listener : status.items("listeners")) {
      std::vector<std::string> kinds;
      for (const View& kind : listener.items("supportedKinds")) kinds.emplace_back(kind.text("kind"));
      out += name + ", listener " + std::string(listener.text("name")) + ": [" + join(kinds, " ") + "], " +
             std::to_string(listener.integer("attachedRoutes")) + " attached\n" + conditions_text(listener);
    }
    for (const auto& [list, ref] : {std::pair{"parents", "parentRef"}, {"ancestors", "ancestorRef"}}) {
      for (const View& entry : status.items(list)) {
        out += name + ", " + json::to_text(entry.at(ref).json());
        if (entry.text("controllerName") != "fairway.dev/gateway")
          out += " of " + std::string(entry.text("controllerName"));
        out += "\n" + conditions_text(entry);
      }
    }
  }
  for (const std::string& warning : checked.warnings) out += "warning: " + warning + "\n";
  return out;
}

/// Checks the rules that all conditions must follow, whatever they say.
void expect_sound(const View& owner, Level level, std::int64_t generation) {
  const auto& policy = conditions_of(level);
  for (const k8s::ConditionType& type : policy.types) {
    const auto found = k8s::find_condition(owner, type.name, "conditions");
    if (type.presence == k8s::Presence::always) {
      EXPECT_TRUE(found) << type.name << " is missing";
    }
    if (!found) continue;
    EXPECT_GE(found->observed_generation().value_or(0), generation) << type.name;
    EXPECT_TRUE(k8s::is_condition_reason(found->reason())) << type.name;
    EXPECT_TRUE(found->last_transition()) << type.name;
    if (type.presence == k8s::Presence::while_true) {
      EXPECT_TRUE(found->is_true()) << type.name;
    }
  }
  const auto accepted = k8s::find_condition(owner, "Accepted", "conditions");
  const auto programmed = k8s::find_condition(owner, "Programmed", "conditions");
  if (programmed && programmed->is_true()) {
    EXPECT_TRUE(accepted && accepted->is_true()) << "programmed, but not accepted";
  }
  if (k8s::find_condition(owner, "PartiallyInvalid", "conditions")) {
    EXPECT_TRUE(accepted && accepted->is_true()) << "partially invalid, but not accepted";
  }
}

/// Returns whether the objects have a class of this controller: only then are the Gateways its own.
bool has_own_class(const CheckedObjects& checked) {
  const auto items = View(checked.list.get_object()).items("items");
  return std::ranges::any_of(items, [](const View& item) {
    return item.text("kind") == "GatewayClass" && item.has("status.conditions");
  });
}

void expect_sound(const CheckedObjects& checked) {
  if (!has_own_class(checked)) return;
  for (const View& item : View(checked.list.get_object()).items("items")) {
    SCOPED_TRACE(json::to_text(item.json()));
    const View status = item.at("status");
    const std::int64_t generation = item.integer("metadata.generation");
    if (status.json().empty()) continue;
    const std::string_view kind = item.text("kind");
    if (kind == "GatewayClass") expect_sound(status, Level::gateway_class, generation);
    if (kind == "Gateway") expect_sound(status, Level::gateway, generation);
    if (kind == "ListenerSet") expect_sound(status, Level::listener_set, generation);
    for (const View& listener : status.items("listeners"))
      expect_sound(listener, Level::listener, generation);
    for (const View& entry : status.items("parents")) {
      if (entry.text("controllerName") == "fairway.dev/gateway")
        expect_sound(entry, Level::route, generation);
    }
    for (const View& entry : status.items("ancestors")) {
      if (entry.text("controllerName") == "fairway.dev/gateway")
        expect_sound(entry, Level::policy, generation);
    }
  }
}

/// Returns the same objects with the statuses that they were given.
std::vector<SourceText> with_statuses(const std::vector<SourceText>& sources, const CheckedObjects& checked) {
  std::vector<SourceText> with;
  for (const SourceText& source : sources) {
    const auto documents = k8s::read_documents(source.text);
    for (const k8s::Document& document : *documents) {
      k8s::Dynamic object = *k8s::Dynamic::from(document.value);
      for (const View& item : View(checked.list.get_object()).items("items")) {
        const std::string_view namespace_name =
            object.namespace_name().empty() && object.kind() != "GatewayClass" ? "default"
                                                                               : object.namespace_name();
        if (item.text("kind") == object.kind() && item.text("metadata.name") == object.name() &&
            item.text("metadata.namespace") == namespace_name && item.has("status"))
          object.set("status", *item.find("status"));
      }
      with.push_back({source.name, object.to_text()});
    }
  }
  return with;
}

/// The addresses that the administrator lists in the cases (also in tests/conformance/gateway/run.sh), and
/// those of the faults' backends with a real controller.
const OfflineSettings settings{.addresses = "127.0.0.1", .endpoint_cidrs = "127.0.0.1"};

class Cases : public ::testing::TestWithParam<std::string> {};

TEST_P(Cases, HaveTheConditionsOfTheFile) {
  const std::filesystem::path path = folder / (GetParam() + ".txt");
  const std::string text = read(path);
  const auto sources = sources_of(path, text);
  const auto checked = check(sources, now(), settings);
  ASSERT_TRUE(checked) << checked.error().message;
  const std::string got = short_text(*checked);
  if (std::getenv("FAIRWAY_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text.substr(0, text.find(divider)) << divider << got;
    return;
  }
  ASSERT_NE(text.find(divider), std::string::npos) << "the case says nothing of conditions";
  EXPECT_EQ(got, text.substr(text.find(divider) + divider.size()));
  expect_sound(*checked);

  // What is written does not change when it is written again.
  const auto again = check(with_statuses(sources, *checked), now(), settings);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(json::to_pretty_text(again->list), json::to_pretty_text(checked->list));
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const std::string part : {"cases", "translation_faults"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder / part)) {
      if (entry.path().extension() == ".txt") names.push_back(part + "/" + entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Gateway, Cases, ::testing::ValuesIn(case_names()), [](const auto& info) {
  // Cases of the first folder go by their names alone.
  std::string name = info.param.starts_with("cases/") ? info.param.substr(6) : info.param;
  std::ranges::replace(name, '-', '_');
  std::ranges::replace(name, '/', '_');
  return name;
});

}  // namespace
}  // namespace fairway::gateway
