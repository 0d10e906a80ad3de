// SPDX-License-Identifier: Apache-2.0

#include "cli/convert_check.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/convert_check_inputs.h"
#include "cli/convert_check_report.h"
#include "cli/graph/graph_inputs.h"
#include "cli/progress_line.h"
#include "command_line/input.h"
#include "command_line/kube_options.h"
#include "command_line/stop_signals.h"
#include "command_line/terminal.h"
#include "conversion/check/check_stored.h"
#include "conversion/documents.h"

namespace fairway::cli {

namespace {

using Definition = k8s::CustomResourceDefinition;

Result<std::vector<k8s::Dynamic>> read_objects_of(const CheckOptions& options) {
  std::vector<k8s::Dynamic> objects;
  for (const std::string& file : options.files) {
    auto text = read_input(file);
    if (!text) return fail(text.error());
    auto read = conversion::read_objects({file == "-" ? "standard input" : file, *std::move(text)});
    if (!read) return fail(read.error());
    std::ranges::move(*read, std::back_inserter(objects));
  }
  return objects;
}

Result<void> check_objects(std::vector<k8s::Dynamic> objects, const CheckOptions& options,
                           conversion::ConversionCheck& check, const conversion::CheckProgress& progress) {
  const auto total = static_cast<std::int64_t>(objects.size());
  const auto page = static_cast<std::ptrdiff_t>(options.request.most_objects);
  for (auto begin = objects.begin(); begin != objects.end();) {
    const auto end = begin + std::min(page, objects.end() - begin);
    if (auto added = check.add({std::move_iterator(begin), std::move_iterator(end)}); !added) return added;
    begin = end;
    progress(begin - objects.begin(), total);
  }
  if (check.findings().objects() == 0) {
    return fail(ErrorCode::not_found, join(options.files, ", ") + ": there is no " +
                                          printable(options.request.kind) + " of the group " +
                                          printable(options.request.group) + " in it");
  }
  return {};
}

/// Returns what a reader of the report has to know.
std::vector<std::string> notes_on(const CheckOptions& options, const conversion::ConversionCheck& check,
                                  const std::optional<Definition>& definition,
                                  const std::optional<Definition>& on_server) {
  std::vector<std::string> notes;
  const std::string& to = check.request().to;
  if (!definition) notes.emplace_back("without --crd nothing is checked against the schema of " + to);
  if (check.schemas().has_rules(to)) {
    notes.emplace_back("the rules of the schema of " + to + " (x-kubernetes-validations) are not evaluated");
  }
  if (asks_definition(options) && definition && definition->text("spec.conversion.strategy") != "Webhook") {
    notes.emplace_back(printable(definition->name()) +
                       " has no conversion webhook, so that only apiVersion was changed");
  }
  if (on_server) {
    const std::string read = conversion::version_to_read(*on_server, to);
    std::vector<std::string> others;
    for (const std::string_view stored : on_server->stored_versions()) {
      if (stored != read) others.emplace_back(stored);
    }
    if (!others.empty()) {
      notes.emplace_back("objects are read in " + read + "; what is stored in " + join(others, ", ") +
                         " comes converted by the API server");
    }
  }
  if (check.fails_all_alike()) {
    notes.emplace_back("the converter fails all objects alike: it is the likely cause, and not the objects");
  }
  if (const std::int64_t same = check.not_converted(); same > 0) {
    notes.emplace_back(count(static_cast<std::size_t>(same), "object") +
                       (same == 1 ? " is in " : " are in ") + to + " already and " +
                       (same == 1 ? "was" : "were") + " not converted");
  }
  if (check.other_kinds() > 0) {
    notes.emplace_back(count(static_cast<std::size_t>(check.other_kinds()), "object") +
                       " of other kinds left out");
  }
  return notes;
}

/// Returns the exit code.
CheckOutcome<int> check_conversion(const CheckOptions& options) {
  if (options.request.most_examples == 0) return misused("--examples has to be at least 1");
  std::optional<Definition> definition, on_server;
  std::shared_ptr<kube::Client> client;
  if (!options.definition_file.empty()) {
    auto read = read_definition(options);
    if (!read) return std::unexpected(read.error());
    definition = *std::move(read);
  }
  // Files are read before: nothing ends the wait for standard input then, but the signal itself.
  auto objects = read_objects_of(options);
  if (!objects) return failed(objects.error());
  const StopSignals signals;
  if (options.files.empty()) {
    auto made = make_kube_client(options.cluster);
    if (!made) return failed(made.error(), exit_usage);
    client = *std::move(made);
    auto found = conversion::find_definition(*client, options.request.group, options.request.kind,
                                             {.stop = signals.token()});
    if (!found) return failed(found.error());
    on_server = *std::move(found);
    if (!definition) definition = on_server;
  }
  if (definition) {
    const auto versions = definition->versions_by_priority();
    if (std::ranges::find(versions, options.request.to) == versions.end()) {
      return misused(printable(definition->name()) + " has no version " + printable(options.request.to) +
                     "; it has " + join(versions, ", "));
    }
  }
  auto converter = choose_converter(options, definition, signals.token());
  if (!converter) return std::unexpected(converter.error());
  conversion::CheckRequest request = options.request;
  if (definition && options.webhook.url.empty()) {
    const auto versions = definition->texts("spec.conversion.webhook.conversionReviewVersions");
    request.review_version = k8s::choose_conversion_version(versions).value_or(k8s::ConversionVersion::v1);
  }
  conversion::ConversionCheck check(
      std::move(request), definition ? conversion::VersionSchemas(*definition) : conversion::VersionSchemas(),
      *std::move(converter), signals.token());
  Result<void> done;
  {
    ProgressLine line(Clock::system(), std::chrono::seconds(15));
    const sources::Progress show = line.callback();
    const conversion::CheckProgress progress = [&](std::int64_t checked, std::optional<std::int64_t> total) {
      show("checking " + options.request.kind + "." + options.request.group,
           static_cast<std::size_t>(checked), static_cast<std::size_t>(total.value_or(0)));
    };
    done = on_server ? conversion::check_stored(*client, *on_server, check, progress, signals.token())
                     : check_objects(*std::move(objects), options, check, progress);
  }
  const auto notes = notes_on(options, check, definition, on_server);
  const std::string ended = done ? std::string() : done.error().message;
  if (options.output == "json") {
    print(json_report(check, notes, ended));
  } else if (done || check.findings().objects() > 0) {
    print(text_report(check, notes, ended));
  }
  if (!done) {
    Error error = done.error();
    if (asks_definition(options) && definition->has("spec.conversion.webhook.clientConfig.service")) {
      error.message +=
          "; the webhook is a Service, whose name is known within the cluster: run the check there, or "
          "forward "
          "a port to it and give --webhook and --server-name";
    }
    return failed(std::move(error));
  }
  if (check.not_converted() > 0 && check.not_converted() == check.findings().objects()) {
    return failed({ErrorCode::not_found, "the converter was not asked: all objects are in " +
                                             check.request().to +
                                             " already; with another version as --to they are converted to "
                                             "it and back"});
  }
  return check.findings().faulty_objects() > 0 ? exit_failed : exit_ok;
}

}  // namespace

CLI::App* add_convert_check(CLI::App& convert, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = add_command(
      convert, context, "check", "Find the stored objects that a new converter fails, or does harm to",
      "fairway convert check --group example.com --kind Widget --to v1 --webhook "
      "https://localhost:9443/convert",
      [options] {
        const auto outcome = check_conversion(*options);
        return outcome ? *outcome : report(outcome.error().error, outcome.error().exit_code);
      });
  conversion::CheckRequest& request = options->request;
  command->add_option("--group", request.group, "Group of the custom resources")
      ->type_name("GROUP")
      ->required();
  command->add_option("--kind", request.kind, "Kind of the custom resources")->type_name("KIND")->required();
  command->add_option("--to", request.to, "The version to convert to, and back from")
      ->type_name("VERSION")
      ->required();
  command
      ->add_option(
          "-f,--filename", options->files,
          "A YAML or JSON file with objects as they are stored, or - for standard input, in place of "
          "the cluster (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--crd", options->definition_file,
                   "The definition that is about to be applied, in place of the one in the cluster")
      ->type_name("FILE");
  command->add_option("--examples", request.most_examples, "Objects to name for each cause")
      ->type_name("N")
      ->capture_default_str();
  add_converter_flags(*command, *options);
  add_kube_flags(*command, options->cluster);
  add_output_option(*command, options->output, {"text", "json"});
  return command;
}

}  // namespace fairway::cli
