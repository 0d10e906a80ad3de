// SPDX-License-Identifier: Apache-2.0

#include "cli/convert_check_inputs.h"

#include <memory>

#include "base/text.h"
#include "cli/conversion_files.h"
#include "cli/convert_program.h"

namespace fairway::cli {

namespace {

using Definition = k8s::CustomResourceDefinition;

Result<conversion::AskConverter> ask_rules(const CheckOptions& options,
                                           const std::optional<Definition>& definition) {
  auto converters = std::make_shared<conversion::Converters>();
  if (auto added = add_rule_files(options.rules, *converters); !added) return fail(added.error());
  const auto definitions = definition ? std::vector{*definition} : std::vector<Definition>();
  if (auto prepared = converters->prepare(definitions); !prepared) return fail(prepared.error());
  return conversion::ask_converters(std::move(converters));
}

}  // namespace

std::string is_not_empty(const std::string& value) {
  return value.empty() ? "its value is empty" : "";
}

std::unexpected<CheckFailure> failed(Error error, int exit_code) {
  return std::unexpected(CheckFailure{std::move(error), exit_code});
}
std::unexpected<CheckFailure> misused(std::string message) {
  return failed({ErrorCode::invalid, std::move(message)}, exit_usage);
}

CheckOutcome<Definition> read_definition(const CheckOptions& options) {
  std::vector<Definition> definitions;
  if (auto read = read_definitions(options.definition_file, definitions); !read) return failed(read.error());
  for (Definition& definition : definitions) {
    if (definition.group() == options.request.group && definition.defined_kind() == options.request.kind) {
      return std::move(definition);
    }
  }
  return failed({ErrorCode::not_found, options.definition_file + " has no definition of " +
                                           printable(options.request.kind) + "." +
                                           printable(options.request.group)});
}

CheckOutcome<conversion::AskConverter> choose_converter(const CheckOptions& options,
                                                        const std::optional<Definition>& definition,
                                                        const std::stop_token& stop) {
  if (!options.program.empty()) return ask_program(options.program, stop);
  if (!options.rules.empty()) {
    auto rules = ask_rules(options, definition);
    if (!rules) return failed(rules.error());
    return *std::move(rules);
  }
  conversion::WebhookAddress address = options.webhook;
  if (address.url.empty()) {
    if (!definition) {
      return misused(
          "with --filename and without --crd, --webhook, --program or --rules has to say which converter to "
          "check");
    }
    if (definition->text("spec.conversion.strategy") != "Webhook") return conversion::ask_nobody();
    auto named = conversion::webhook_address(*definition);
    if (!named) return failed(named.error());
    if (!address.ca_files.empty()) named->ca_bundle.clear();
    named->ca_files = address.ca_files;
    named->server_name = address.server_name;
    address = *std::move(named);
  }
  auto webhook = conversion::ask_webhook(address, stop);
  if (!webhook) return failed(webhook.error(), exit_usage);
  return *std::move(webhook);
}

bool asks_definition(const CheckOptions& options) {
  return options.webhook.url.empty() && options.program.empty() && options.rules.empty();
}

void add_converter_flags(CLI::App& command, CheckOptions& options) {
  constexpr const char* which = "The converter (by default the one of the definition)";
  CLI::Option* webhook =
      command.add_option("--webhook", options.webhook.url, "The webhook, as https://HOST:PORT/convert")
          ->type_name("URL")
          ->check(is_not_empty)
          ->group(which);
  CLI::Option* program =
      command
          .add_option(
              "--program", options.program,
              "A program with its arguments; `CMD convert VERSION` converts a List from standard input")
          ->type_name("CMD")
          ->expected(1, -1)
          ->group(which);
  CLI::Option* rules =
      command.add_option("--rules", options.rules, "A file with rules, as for fairway convert")
          ->type_name("FILE")
          ->group(which);
  program->excludes(webhook)->excludes(rules);
  rules->excludes(webhook);
  CLI::Option* authorities =
      command
          .add_option("--ca", options.webhook.ca_files,
                      "PEM file of additional certificate authorities to trust for the webhook (repeatable)")
          ->type_name("FILE")
          ->allow_extra_args(false)
          ->group(which);
  CLI::Option* server_name =
      command
          .add_option("--server-name", options.webhook.server_name,
                      "The name in the webhook's certificate, where that is not the URL's host")
          ->type_name("NAME")
          ->group(which);
  // They are about a webhook, and would have no effect.
  for (CLI::Option* converter : {program, rules}) converter->excludes(authorities)->excludes(server_name);
}

}  // namespace fairway::cli
