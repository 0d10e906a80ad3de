// SPDX-License-Identifier: Apache-2.0

#include "payload/selection.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::payload {

namespace {

constexpr std::string_view include_prefix = "include.release.openshift.io/";
constexpr std::string_view exclude_prefix = "exclude.release.openshift.io/";
constexpr std::string_view feature_set_key = "release.openshift.io/feature-set";
constexpr std::string_view feature_gate_key = "release.openshift.io/feature-gate";
constexpr std::string_view major_version_key = "release.openshift.io/major-version";
/// The feature sets of OpenShift's API; the empty one is called "Default" in manifests.
const std::vector<std::string> feature_sets{"CustomNoUpgrade", "Default", "DevPreviewNoUpgrade", "OKD",
                                            "TechPreviewNoUpgrade"};
constexpr std::string_view delete_key = "release.openshift.io/delete";
constexpr std::string_view create_only_key = "release.openshift.io/create-only";
constexpr std::size_t max_problems = 10;

/// Splits "A,B" at the separator, and trims the parts. Empty parts are dropped.
std::vector<std::string> parts(std::string_view text, char separator) {
  std::vector<std::string> all;
  for (const std::string_view part : split(text, separator)) {
    if (const auto trimmed = trim(part); !trimmed.empty()) all.emplace_back(trimmed);
  }
  return all;
}

std::string shown(const std::vector<std::string>& names) {
  return printable(join(names, ", "));
}

std::string fault_of_exclusion(const k8s::StringMap& annotations, const std::string& profile) {
  return annotations.find(std::string(exclude_prefix) + profile) == "true"
             ? "it is not for the profile " + profile
             : "";
}

std::string fault_of_profile(const k8s::StringMap& annotations, const std::string& profile) {
  std::vector<std::string> included;
  for (const auto& [key, value] : annotations) {
    if (!key.starts_with(include_prefix)) continue;
    const std::string_view name = key.substr(include_prefix.size());
    if (name == profile && value == "true") return "";
    included.emplace_back(name);
  }
  if (included.empty()) return "";
  return "it is for the profiles " + shown(included);
}

std::string fault_of_feature_sets(std::string_view value, const Selection& selection) {
  // Spaces are parts of the names, as in OpenShift's operator.
  const auto wanted = split(value, ',');
  for (const std::string_view one : wanted) {
    if (std::ranges::find(feature_sets, one) != feature_sets.end()) continue;
    return "unrecognized value " + quote(printable(one, 100)) + " in " + std::string(feature_set_key) +
           "; known values are: " + join(feature_sets, ",");
  }
  const std::string set = selection.feature_set.empty() ? "Default" : selection.feature_set;
  return std::ranges::find(wanted, set) == wanted.end()
             ? "it is for the feature sets " + printable(value, 200)
             : "";
}

std::string fault_of_features(const k8s::StringMap& annotations, const Selection& selection) {
  const auto sets = annotations.find(feature_set_key);
  const auto gates = annotations.find(feature_gate_key);
  if (sets && gates)
    return "it has both " + std::string(feature_set_key) + " and " + std::string(feature_gate_key);
  if (sets) return fault_of_feature_sets(*sets, selection);
  if (gates) {
    for (const std::string& gate : parts(*gates, ',')) {
      const bool off = gate.starts_with('-');
      if (selection.feature_gates.contains(off ? gate.substr(1) : gate) == off)
        return "it is for the feature gates " + printable(*gates);
    }
  }
  return "";
}

std::string fault_of_major_version(const ObjectId& object, const k8s::StringMap& annotations,
                                   const Selection& selection) {
  const auto value = annotations.find(major_version_key);
  if (!value || !selection.major_version) return "";
  const std::string key(major_version_key), said = key + " " + quote(printable(*value, 100));
  const bool may_have = (object.group == "config.openshift.io" && object.kind == "FeatureGate") ||
                        (object.group == "apiextensions.k8s.io" && object.kind == "CustomResourceDefinition");
  if (!may_have)
    return key + " is for FeatureGates and CustomResourceDefinitions, and not for " + object.kind;
  std::set<std::uint64_t> included, excluded;
  for (const std::string_view part : split(*value, ',')) {
    std::string_view digits = trim(part);
    if (digits.empty()) continue;
    const bool excludes = digits.starts_with('-');
    if (excludes) digits.remove_prefix(1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size())
      return said + ": " + quote(printable(part, 40)) + " is no major version";
    (excludes ? excluded : included).insert(number);
  }
  for (const std::uint64_t one : included)
    if (excluded.contains(one)) return said + ": " + std::to_string(one) + " is both included and excluded";
  const std::uint64_t major = *selection.major_version;
  if (excluded.contains(major) || (!included.empty() && !included.contains(major)))
    return "it is for the major versions " + printable(*value, 100);
  return "";
}

std::string fault_of_capabilities(const k8s::StringMap& annotations, const Selection& selection) {
  const auto needed = annotations.find(capability_annotation);
  if (!needed || !selection.capabilities) return "";
  std::vector<std::string> disabled, unknown;
  for (std::string& name : capabilities_named(*needed)) {
    if (selection.known_capabilities && !selection.known_capabilities->contains(name)) {
      unknown.push_back(std::move(name));
    } else if (!selection.capabilities->contains(name)) {
      disabled.push_back(std::move(name));
    }
  }
  if (!unknown.empty()) return "unrecognized capability names: " + shown(unknown);
  return disabled.empty() ? "" : "disabled capabilities: " + shown(disabled);
}

bool is_overridden(const ObjectId& object, const Selection& selection) {
  return std::ranges::any_of(selection.overrides, [&](const Override& one) {
    // The namespace of an override of a cluster-scoped object means nothing.
    return one.unmanaged && one.object.group == object.group && one.object.kind == object.kind &&
           one.object.name == object.name &&
           (object.namespace_name.empty() || one.object.namespace_name == object.namespace_name);
  });
}

std::string why_left_out(const Manifest& manifest, const Selection& selection) {
  const k8s::StringMap annotations = manifest.object.annotations();
  // The order of OpenShift's operator: the first reason is the one that is told.
  if (auto fault = fault_of_exclusion(annotations, selection.profile); !fault.empty()) return fault;
  if (auto fault = fault_of_features(annotations, selection); !fault.empty()) return fault;
  if (auto fault = fault_of_major_version(manifest.id(), annotations, selection); !fault.empty())
    return fault;
  if (auto fault = fault_of_profile(annotations, selection.profile); !fault.empty()) return fault;
  if (auto fault = fault_of_capabilities(annotations, selection); !fault.empty()) return fault;
  return is_overridden(manifest.id(), selection) ? "spec.overrides declares it unmanaged" : "";
}

/// Returns what is wrong with the annotations `delete` and `create-only`; empty: nothing.
std::string fault_of_action(const Manifest& manifest) {
  const k8s::StringMap annotations = manifest.object.annotations();
  for (const std::string_view key : {delete_key, create_only_key}) {
    const auto value = annotations.find(key);
    if (value && *value != "true") {
      return "Invalid annotation \"" + std::string(key) + "\": its value is \"" + printable(*value) +
             "\", and can only be \"true\"";
    }
  }
  if (is_removal(manifest) && is_create_only(manifest)) return "it is to be created, and to be deleted";
  return "";
}

}  // namespace

std::vector<std::string> capabilities_named(std::string_view value) {
  std::vector<std::string> names;
  if (value.empty()) return names;
  for (const std::string_view name : split(value, '+')) names.emplace_back(name);
  return names;
}

bool is_left_out(const Manifest& manifest, const Selection& selection) {
  return !why_left_out(manifest, selection).empty();
}

bool is_removal(const Manifest& manifest) {
  return manifest.object.annotation(delete_key) == "true";
}

bool is_create_only(const Manifest& manifest) {
  return manifest.object.annotation(create_only_key) == "true";
}

Result<SelectedManifests> select(std::vector<Manifest> manifests, const Selection& selection) {
  SelectedManifests selected;
  std::vector<std::string> problems;
  ErrorCode code = ErrorCode::invalid;
  std::map<ObjectId, std::string> places;
  for (Manifest& manifest : manifests) {
    if (problems.size() >= max_problems) break;
    ObjectId id = manifest.id();
    if (std::string why = why_left_out(manifest, selection); !why.empty()) {
      selected.left_out.push_back(
          {.object = std::move(id), .place = manifest.place(), .why = std::move(why)});
      continue;
    }
    if (const std::string fault = fault_of_action(manifest); !fault.empty()) {
      problems.push_back(manifest.place() + ": " + fault);
      continue;
    }
    const auto [first, added] = places.emplace(id, manifest.place());
    if (!added) {
      code = ErrorCode::conflict;
      problems.push_back(manifest.place() + ": " + id.to_string() + " is there already: " + first->second);
      continue;
    }
    selected.manifests.push_back(std::move(manifest));
  }
  if (!problems.empty()) return fail(code, join(problems, "; "));
  return selected;
}

}  // namespace fairway::payload
