// SPDX-License-Identifier: Apache-2.0

#include "program/internal/kinds.h"

#include <cstdio>
#include <utility>

#include "base/text.h"
#include "command_line/commands.h"
#include "command_line/input.h"
#include "conversion/documents.h"
#include "webhook/crd_registration.h"

namespace fairway::program {

namespace {

/// Quarantines the kinds that the flag names.
Result<void> quarantine_kinds(conversion::Converters& converters, std::string_view names) {
  if (names.empty()) return {};
  std::vector<std::string> known;
  for (const auto& kind : converters.kinds()) known.push_back(kind.name());
  if (names == "false") {
    for (const auto& kind : converters.kinds()) converters.kind(kind.group(), kind.kind()).quarantine(false);
    return {};
  }
  const auto parts = split(names, ',');
  for (const std::string_view part : parts) {
    const std::string_view name = trim(part);
    if (parts.size() > 1 && (name == "false" || name == "true")) {
      return fail(ErrorCode::not_found, "--quarantine '" + printable(names, 100) + "': " + std::string(name) +
                                            " stands alone; leave it out, or the kinds beside it");
    }
    if (name.empty()) {
      return fail(ErrorCode::not_found, "--quarantine '" + printable(names, 100) +
                                            "': a kind is missing before or behind a comma; there are " +
                                            join(known, ", "));
    }
    bool found = false;
    for (const auto& kind : converters.kinds()) {
      if (name != "true" && name != kind.name()) continue;
      converters.kind(kind.group(), kind.kind()).quarantine();
      found = true;
    }
    if (found) continue;
    return fail(ErrorCode::not_found, "--quarantine " + printable(name, 100) +
                                          ": there is no such kind; there are " + join(known, ", "));
  }
  return {};
}

}  // namespace

Result<Kinds> kinds_of(const Operator& parts, std::string_view quarantine) {
  auto definitions = webhook::read_definitions(parts.definitions, "the definitions of " + parts.name);
  if (!definitions) return fail(definitions.error());
  auto converters = std::make_shared<conversion::Converters>();
  if (parts.kinds) {
    parts.kinds(*converters);
    if (auto chosen = quarantine_kinds(*converters, quarantine); !chosen) return fail(chosen.error());
    if (auto ready = converters->prepare(*definitions); !ready) return fail(ready.error());
  }
  return Kinds{*std::move(definitions), std::move(converters)};
}

std::function<kube::IsQuarantined(const k8s::GroupVersionResource&)> quarantined_of(const Kinds& kinds) {
  return [kinds](const k8s::GroupVersionResource& resource) -> kube::IsQuarantined {
    for (const k8s::CustomResourceDefinition& one : kinds.definitions) {
      if (one.group() != resource.group || one.plural() != resource.resource) continue;
      const conversion::KindConverters* kind = kinds.converters->find(one.group(), one.defined_kind());
      if (kind == nullptr || !kind->quarantines()) return {};
      return [converters = kinds.converters, kind](const k8s::Dynamic& object) {
        return kind->is_served_without_content(object);
      };
    }
    return {};
  };
}

int convert(const Operator& parts, const std::string& version, bool quarantine) {
  const auto kinds = kinds_of(parts, quarantine ? "true" : "");
  if (!kinds) return command_line::report(kinds.error());
  auto text = command_line::read_input("-");
  if (!text) return command_line::report(text.error());
  const auto converted =
      conversion::convert_documents(*kinds->converters, {{"standard input", *std::move(text)}}, version);
  if (!converted) return command_line::report(converted.error());
  std::fputs(json::to_pretty_text(*converted).c_str(), stdout);
  return command_line::exit_ok;
}

}  // namespace fairway::program
