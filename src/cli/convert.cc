// SPDX-License-Identifier: Apache-2.0

// fairway convert: objects of files in another version of their kind.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/conversion_files.h"
#include "cli/convert_check.h"
#include "command_line/input.h"
#include "conversion/documents.h"

namespace fairway::cli {

namespace {

struct ConvertOptions {
  std::vector<std::string> files, rules, definitions;
  std::string to;
};

int convert(const ConvertOptions& options) {
  conversion::Converters converters;
  if (auto added = add_rule_files(options.rules, converters); !added) return report(added.error());
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
  CLI::App* check = add_convert_check(*command, context);
  // What the command needs, its own command does not.
  check->preparse_callback([command](std::size_t) {
    for (CLI::Option* option : command->get_options()) {
      if (option->count() > 0) {
        throw CLI::ValidationError(option->get_name() + " is before check",
                                   "give the flags of check after it");
      }
      option->required(false);
    }
  });
}

}  // namespace fairway::cli
