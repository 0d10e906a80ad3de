// SPDX-License-Identifier: Apache-2.0

#include "cli/conversion_files.h"

#include "command_line/input.h"
#include "conversion/rules.h"
#include "k8s/documents.h"

namespace fairway::cli {

using command_line::read_input;

Result<void> read_definitions(const std::string& file,
                              std::vector<k8s::CustomResourceDefinition>& definitions) {
  const auto text = read_input(file);
  if (!text) return fail(text.error());
  const auto documents = k8s::read_documents(*text);
  if (!documents) return fail(documents.error().within(file));
  for (const k8s::Document& document : *documents) {
    const std::string place = file + ": line " + std::to_string(document.line);
    auto object = k8s::Dynamic::from(document.value);
    if (!object) return fail(object.error().within(place));
    auto definition = k8s::as<k8s::CustomResourceDefinition>(*std::move(object));
    if (!definition) return fail(definition.error().within(place));
    definitions.push_back(*std::move(definition));
  }
  return {};
}

Result<void> add_rule_files(const std::vector<std::string>& files, conversion::Converters& converters) {
  for (const std::string& file : files) {
    const auto text = read_input(file);
    if (!text) return fail(text.error());
    if (auto added = conversion::add_rules(*text, converters); !added)
      return fail(added.error().within(file));
  }
  return {};
}

}  // namespace fairway::cli
