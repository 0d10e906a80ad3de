// SPDX-License-Identifier: Apache-2.0

#include "conversion/converters.h"

#include <algorithm>

#include "base/text.h"
#include "k8s/group_version.h"

namespace fairway::conversion {

namespace {

std::string without_converters(const k8s::CustomResourceDefinition& definition) {
  return std::string(definition.defined_kind()) + "." + std::string(definition.group()) +
         ": it has several versions, and no converters";
}

}  // namespace

KindConverters& Converters::kind(std::string_view group, std::string_view kind) {
  for (KindConverters& one : kinds_) {
    if (one.group() == group && one.kind() == kind) return one;
  }
  return kinds_.emplace_back(std::string(group), std::string(kind));
}

Result<void> Converters::prepare(const std::vector<k8s::CustomResourceDefinition>& definitions) {
  std::vector<std::string> faults;
  for (KindConverters& one : kinds_) {
    const auto definition = std::ranges::find_if(definitions, [&](const auto& each) {
      return each.group() == one.group() && each.defined_kind() == one.kind();
    });
    auto prepared = one.prepare(definition != definitions.end() ? &*definition : nullptr);
    if (!prepared) faults.push_back(std::move(prepared.error().message));
  }
  for (const k8s::CustomResourceDefinition& definition : definitions) {
    if (definition.versions().size() < 2 || find(definition.group(), definition.defined_kind()) != nullptr) {
      continue;
    }
    faults.push_back(without_converters(definition));
  }
  if (faults.empty()) return {};
  return fail(ErrorCode::invalid, "conversion: " + join(faults, "\n"));
}

const KindConverters* Converters::find(std::string_view group, std::string_view kind) const {
  for (const KindConverters& one : kinds_) {
    if (one.group() == group && one.kind() == kind) return &one;
  }
  return nullptr;
}

Result<void> Converters::check(const k8s::CustomResourceDefinition& on_server) const {
  const KindConverters* kind = find(on_server.group(), on_server.defined_kind());
  if (kind != nullptr) kind->learn_definition(on_server);
  if (on_server.text("spec.conversion.strategy") != "Webhook") return {};
  if (kind != nullptr) return kind->check_paths(on_server);
  if (on_server.versions().size() < 2) return {};
  return fail(ErrorCode::invalid, without_converters(on_server));
}

Result<k8s::Dynamic> Converters::convert(k8s::Dynamic object, std::string_view version) const {
  const std::string_view api_version = object.api_version();
  const std::size_t slash = api_version.find('/');
  const std::string_view group = slash != std::string_view::npos ? api_version.substr(0, slash) : "";
  const KindConverters* converters = find(group, object.kind());
  const auto failed = [&](const std::string& why) {
    return fail(ErrorCode::invalid, printable(object.kind(), 80) + " " + printable(object.key().to_string()) +
                                        " (" + printable(api_version, 80) + "): " + why);
  };
  if (converters == nullptr) return failed("there are no converters for this kind");
  if (const std::size_t end = version.find('/'); end != std::string_view::npos) {
    if (version.substr(0, end) != group) {
      return failed("it cannot become " + printable(version, 80) + ", which is of another group");
    }
    version.remove_prefix(end + 1);
  }
  if (auto original = converters->original_in_file(object)) object = *std::move(original);
  return converters->convert(std::move(object), version);
}

}  // namespace fairway::conversion
