// SPDX-License-Identifier: Apache-2.0

#include "program/internal/kinds.h"

#include <cstdio>
#include <utility>

#include "command_line/commands.h"
#include "command_line/input.h"
#include "conversion/documents.h"
#include "webhook/crd_registration.h"

namespace fairway::program {

Result<Kinds> kinds_of(const Operator& parts) {
  auto definitions = webhook::read_definitions(parts.definitions, "the definitions of " + parts.name);
  if (!definitions) return fail(definitions.error());
  auto converters = std::make_shared<conversion::Converters>();
  if (parts.kinds) {
    parts.kinds(*converters);
    if (auto ready = converters->prepare(*definitions); !ready) return fail(ready.error());
  }
  return Kinds{*std::move(definitions), std::move(converters)};
}

int convert(const Operator& parts, const std::string& version) {
  const auto kinds = kinds_of(parts);
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
