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
#include "cli/convert_check_objects.h"
#include "cli/convert_check_report.h"
#include "cli/graph/graph_inputs.h"
#include "cli/progress_line.h"
#include "command_line/input.h"
#include "command_line/kube_options.h"
#include "command_line/stop_signals.h"
#include "command_line/terminal.h"
#include "conversion/check/check_stored.h"

namespace fairway::cli {

namespace {

using Definition = k8s::CustomResourceDefinition;

/// Examples of a cause that a report can have.
constexpr int most_examples = 1'000;

/// Returns what a reader of the report has to know.
std::vector<std::string> notes_on(const CheckOptions& options, const conversion::ConversionCheck& check,
                                  const std::optional<Definition>& definition,
                                  const std::optional<Definition>& stored) {
  std::vector<std::string> notes;
  const std::string& to = check.request().to;
  if (!definition) notes.emplace_back("without --crd nothing is checked against the schema of " + to);
  if (asks_definition(options) && definition && definition->text("spec.conversion.strategy") != "Webhook") {
    notes.emplace_back(printable(definition->name()) +
                       " has no conversion webhook, so that only apiVersion was changed");
  }
  if (stored && options.backup.empty()) {
    const std::string read = conversion::version_to_read(*stored, to, check.schemas());
    std::vector<std::string> others;
    for (const std::string_view version : stored->stored_versions()) {
      if (version != read) others.emplace_back(version);
    }
    if (!others.empty()) {
      notes.emplace_back("objects are read in " + printable(read) + "; what is stored in " +
                         printable(join(others, ", "), 1'000) + " comes converted by the API server");
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
  if (const std::int64_t marked = check.marked_with_content(); marked > 0) {
    notes.emplace_back(count(static_cast<std::size_t>(marked), "object") +
                       (marked == 1 ? " has the marks of a quarantine and content, and was checked as it is"
                                    : " have the marks of a quarantine and content, and were checked as they "
                                      "are"));
  }
  if (check.other_kinds() > 0) {
    notes.emplace_back(count(static_cast<std::size_t>(check.other_kinds()), "object") +
                       " of other kinds left out");
  }
  return notes;
}

/// Returns the versions that objects may be stored in and the definition no longer has.
std::vector<std::string> dropped_versions(const conversion::ConversionCheck& check,
                                          const std::optional<Definition>& stored) {
  std::vector<std::string> dropped;
  if (!stored) return dropped;
  for (const std::string_view version : stored->stored_versions()) {
    if (!check.schemas().knows(version)) dropped.emplace_back(version);
  }
  return dropped;
}

/// Returns the exit code.
CheckOutcome<int> check_conversion(const CheckOptions& options) {
  // `stored` is the definition under which the objects are stored, of the cluster or the backup.
  std::optional<Definition> definition, stored;
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
  if (!options.backup.empty()) {
    auto found = read_definition_in_backup(options);
    if (!found) return failed(found.error());
    stored = *std::move(found);
  } else if (options.files.empty()) {
    auto made = make_kube_client(options.cluster);
    if (!made) return failed(made.error(), exit_usage);
    client = *std::move(made);
    auto found = conversion::find_definition(*client, options.request.group, options.request.kind,
                                             {.stop = signals.token()});
    if (!found) return failed(found.error());
    stored = *std::move(found);
  }
  if (!definition) definition = stored;
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
  if (definition) {
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
    if (!options.backup.empty()) {
      done = check_backup(*stored, options, check, progress);
    } else if (stored) {
      done = conversion::check_stored(*client, *stored, check, progress, signals.token());
    } else {
      done = check_objects(*std::move(objects), options, check, progress);
    }
  }
  const CheckReport report{.notes = notes_on(options, check, definition, stored),
                           .dropped_versions = dropped_versions(check, stored),
                           .definition_problems = check.schemas().problems(),
                           .ended = done ? std::string() : done.error().message};
  const bool is_refused = !report.dropped_versions.empty() || !report.definition_problems.empty();
  if (options.output == "json") {
    print(json_report(check, report));
  } else if (done || check.findings().objects() > 0 || is_refused) {
    print(text_report(check, report));
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
  return check.findings().faulty_objects() > 0 || is_refused ? exit_failed : exit_ok;
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
  CLI::Option* files =
      command
          ->add_option(
              "-f,--filename", options->files,
              "A YAML or JSON file with objects as they are stored, or - for standard input, in place of "
              "the cluster (repeatable)")
          ->type_name("FILE")
          ->allow_extra_args(false);
  CLI::Option* backup =
      command
          ->add_option("--backup", options->backup,
                       "A backup of an API server (fairway apiserver backup), in place of the cluster")
          ->type_name("FILE")
          ->check(is_not_empty);
  command
      ->add_option("--crd", options->definition_file,
                   "The definition that is about to be applied, in place of the one in the cluster")
      ->type_name("FILE");
  command->add_option("--examples", request.most_examples, "Objects to name for each cause")
      ->type_name("N")
      ->check(CLI::Range(1, most_examples).description(""))
      ->capture_default_str();
  add_converter_flags(*command, *options);
  add_kube_flags(*command, options->cluster);
  // A file is not of a cluster: these would have no effect.
  for (const char* flag : {"--kubeconfig", "--context"}) {
    files->excludes(command->get_option(flag));
    backup->excludes(command->get_option(flag));
  }
  files->excludes(backup);
  add_output_option(*command, options->output, {"text", "json"});
  return command;
}

}  // namespace fairway::cli
