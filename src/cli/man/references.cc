// SPDX-License-Identifier: Apache-2.0

#include "cli/man/references.h"

#include <array>

#include "base/text.h"

namespace fairway::cli {
namespace {

/// A command and the pages about it, with blanks between them.
struct CommandReference {
  std::string_view command, pages;
};

constexpr std::array command_references{
    CommandReference{"serve", "docs/service.md docs/service-reference.md docs/api.md docs/metrics.md"},
    CommandReference{"operator", "docs/operator.md docs/operator-reference.md"},
    CommandReference{"adm", "docs/adm-upgrade.md docs/adm-upgrade-reference.md"},
    CommandReference{"graph", "docs/graph-data.md docs/service-held.md"},
    CommandReference{"lint", "docs/lint.md docs/graph-data.md"},
    CommandReference{"release", "docs/releases.md"},
    CommandReference{"convert", "docs/conversion.md docs/conversion-check.md docs/conversion-reference.md"},
    CommandReference{"completion", "docs/completion.md"},
    CommandReference{"man", "docs/completion.md"},
    CommandReference{"promql", "docs/promql.md docs/promql-compatibility.md"},
    CommandReference{"risk", "docs/risks.md docs/writing-risks.md"},
    CommandReference{"migrate", "docs/migration.md"},
    CommandReference{"conversions", "docs/migration.md docs/conversion.md"},
    CommandReference{"new", "docs/new-operator.md docs/sdk.md"},
    CommandReference{"apiserver", "docs/apiserver.md docs/apiserver-access.md docs/apiserver-operations.md"},
    CommandReference{"envtest", "docs/testing.md docs/apiserver.md"},
    CommandReference{"gateway", "docs/gateway.md docs/gateway-operate.md docs/gateway-reference.md"},
};

struct FlagsReference {
  std::string_view command, group, page;
};

constexpr std::array flags_references{
    FlagsReference{"serve", "Sources", "docs/graph-data.md"},
    FlagsReference{"serve", "Replicas", "docs/service-replicas.md"},
    FlagsReference{"serve", "Limits", "docs/hostile-input.md"},
    FlagsReference{"operator", "Releases", "docs/release-keys.md"},
    FlagsReference{"operator", "Prometheus", "docs/risk-evaluators.md"},
    FlagsReference{"risk", "Prometheus", "docs/risk-evaluators.md"},
    FlagsReference{"apiserver", "Limits", "docs/hostile-input.md"},
    FlagsReference{"apiserver", "Requests", "docs/apiserver-operations.md"},
    FlagsReference{"apiserver", "Controllers", "docs/apiserver-compatibility.md"},
    FlagsReference{"apiserver", "Credentials", "docs/testing.md"},
    FlagsReference{"apiserver", "Tests", "docs/testing-faults.md"},
    FlagsReference{"gateway", "Envoy", "docs/gateway-envoys.md"},
    FlagsReference{"gateway", "Replicas", "docs/gateway-operate.md"},
};

}  // namespace

std::vector<std::string_view> pages_about(std::string_view command) {
  for (const CommandReference& reference : command_references)
    if (reference.command == command) return split(reference.pages, ' ');
  return {};
}

std::string_view page_about_flags(std::string_view command, std::string_view group) {
  for (const FlagsReference& reference : flags_references)
    if (reference.command == command && reference.group == group) return reference.page;
  return "";
}

}  // namespace fairway::cli
