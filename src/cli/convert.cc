// SPDX-License-Identifier: Apache-2.0

// fairway convert: objects of files in another version of their kind.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "command_line/input.h"
#include "conversion/documents.h"
#include "conversion/rules.h"
#include "k8s/documents.h"

namespace fairway::cli {

namespace {

struct ConvertOptions {
  std::vector<std::string> files, rules, definitions;
  std::string to;
};

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

int convert(const ConvertOptions& options) {
  conversion::Converters converters;
  for (const std::string& file : options.rules) {
    const auto text = read_input(file);
    if (!text) return report(text.error());
    if (auto added = conversion::add_rules(*text, converters); !added)
      return report(added.error().within(file));
  }
  std::vector<k8s::CustomResourceDefinition> definitions;
  for (const std::string& file : options.definitions) {
    if (auto read = read_definitions(file, definitions); !read) return report(read.error());
  }
  if (auto prepared = converters.prepare(definitions); !prepared) return report(prepared.error());
  std::vector<conversion::SourceText> sources;
  for (const std::string& file : options.files) {
    auto text = read_input(file);
    if (!text) return report(text.error());
    sources.push_back({file == "-" ? "standard input" : file, *std::move(text)});
  }
  const auto converted = conversion::convert_documents(converters, sources, options.to);
  if (!converted) return report(converted.error());
  const std::string out = json::to_pretty_text(*converted);
  std::fwrite(out.data(), 1, out.size(), stdout);
  return exit_ok;
}

}  // namespace

void add_convert(CLI::App& app, Context& context) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command =
      add_command(app, context, "convert", "Convert objects of custom kinds to another version",
                  "fairway convert -f widget.yaml --to v1 --rules examples/widgets/rules.yaml",
                  [options] { return convert(*options); });
  command
      ->add_option("-f,--filename", options->files,
                   "A YAML or JSON file with objects, or - for standard input; several make one List")
      ->type_name("FILE")
      ->required();
  command->add_option("--to", options->to, "The version, as v1 or widgets.example.com/v1")
      ->type_name("VERSION")
      ->required();
  command
      ->add_option("--rules", options->rules,
                   "A file that says which fields move, and which only one version has (docs/conversion.md)")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--crd", options->definitions,
                   "The definitions of the kinds: checks that all their versions are reached")
      ->type_name("FILE");
}

}  // namespace fairway::cli
