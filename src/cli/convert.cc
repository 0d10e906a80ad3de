// fairway convert: objects of files in another version of their kind.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/yaml.h"
#include "cli/commands.h"
#include "conversion/documents.h"
#include "conversion/rules.h"

namespace fairway::cli {

namespace {

struct Options {
  std::vector<std::string> files, rules, definitions;
  std::string to;
};

Result<std::string> read_input(const std::string& name) {
  if (name == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  return read_file(name);
}

Result<void> read_definitions(const std::string& file,
                              std::vector<k8s::CustomResourceDefinition>& definitions) {
  const auto text = read_input(file);
  if (!text) return fail(text.error());
  const auto parsed = yaml::parse(*text);
  if (!parsed) {
    return fail(ErrorCode::invalid,
                file + ": line " + std::to_string(parsed.error().mark.line) + ": " + parsed.error().message);
  }
  for (const yaml::Node& node : parsed->documents) {
    if (node.kind == yaml::Node::Kind::null) continue;
    auto object = k8s::Dynamic::from(yaml::to_json(node));
    if (!object) return fail(object.error().within(file + ": line " + std::to_string(node.mark.line)));
    auto definition = k8s::as<k8s::CustomResourceDefinition>(*std::move(object));
    if (!definition)
      return fail(definition.error().within(file + ": line " + std::to_string(node.mark.line)));
    definitions.push_back(*std::move(definition));
  }
  return {};
}

int convert(const Options& options) {
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
  std::string out;
  for (const std::string& file : options.files) {
    const auto text = read_input(file);
    if (!text) return report(text.error());
    const auto converted = conversion::convert_documents(converters, *text, options.to);
    if (!converted) return report(converted.error().within(file));
    out += json::to_pretty_text(*converted);
  }
  // All or nothing: half of the output is worse than none.
  std::fwrite(out.data(), 1, out.size(), stdout);
  return exit_ok;
}

}  // namespace

void add_convert(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, context, "convert", "Convert objects of custom kinds to another version",
                  "fairway convert -f widget.yaml --to v1 --rules examples/widgets/rules.yaml",
                  [options] { return convert(*options); });
  command
      ->add_option("-f,--filename", options->files,
                   "A YAML or JSON file with objects, or - for standard input")
      ->required();
  command->add_option("--to", options->to, "The version, as v1 or widgets.example.com/v1")->required();
  command
      ->add_option("--rules", options->rules,
                   "A file that says which fields move, and which only one version has (docs/conversion.md)")
      ->required();
  command->add_option("--crd", options->definitions,
                      "The definitions of the kinds: checks that all their versions are reached");
}

}  // namespace fairway::cli
