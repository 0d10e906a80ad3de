// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/pace_options.h"
#include "cli/progress_line.h"
#include "command_line/kube_options.h"
#include "command_line/stop_signals.h"
#include "command_line/terminal.h"
#include "conversion/migration/migration.h"

namespace fairway::cli {

namespace {

struct MigrateOptions {
  kube::KubeconfigOverrides cluster;
  conversion::MigrationRequest request;
  conversion::MigrationPace pace;
  std::string selector, output = "table";
};

/// Returns the progress with all its members, also those that have no value.
json::Value as_json(const conversion::KindProgress& kind) {
  json::Value waiting;
  if (kind.waiting) {
    json::Array names;
    for (const std::string& name : kind.waiting->objects) names.emplace_back(name);
    waiting = json::Object{{"since", format_time(kind.waiting->since)},
                           {"answer", kind.waiting->answer},
                           {"written", kind.waiting->written},
                           {"failed", kind.waiting->failed},
                           {"objects", std::move(names)}};
  }
  json::Array causes;
  for (const conversion::LeftOutCause& cause : kind.left_out.by_count()) {
    json::Array names;
    for (const std::string& name : cause.objects) names.emplace_back(name);
    causes.emplace_back(
        json::Object{{"cause", cause.cause}, {"count", cause.count}, {"objects", std::move(names)}});
  }
  return json::Object{{"definition", kind.definition},
                      {"finished", kind.finished},
                      {"done", kind.done},
                      {"total", kind.total ? json::Value(*kind.total) : json::Value()},
                      {"leftOut", kind.left_out.count()},
                      {"leftOutBy", std::move(causes)},
                      {"lastError", kind.last_error},
                      {"waiting", std::move(waiting)}};
}

/// The objects that were left out, a line each, those with the same cause together.
std::string describe_left_out(const conversion::KindProgress& kind) {
  if (kind.left_out.empty()) return {};
  const auto causes = kind.left_out.by_count();
  std::string text = "\nleft out of " + kind.definition + ", " + std::to_string(causes.size()) +
                     (causes.size() == 1 ? " cause:\n" : " causes:\n");
  for (const conversion::LeftOutCause& cause : causes) {
    for (const std::string& name : cause.objects) text += name + ": " + cause.cause + "\n";
    const auto unnamed = cause.count - static_cast<std::int64_t>(cause.objects.size());
    if (unnamed > 0) text += "and " + std::to_string(unnamed) + " more: " + cause.cause + "\n";
  }
  return text;
}

/// The outage that an interrupted migration waited for, and what it had done of the page.
std::string describe_waiting(const conversion::KindProgress& kind) {
  if (!kind.waiting) return {};
  const conversion::Waiting& waiting = *kind.waiting;
  std::string text = "\n" + kind.definition + ": " + printable(waiting.describe(), 1'000) + "\n";
  if (waiting.written + waiting.failed > 0) {
    text += "of the page that waits, " + std::to_string(waiting.written) + " objects are written, and " +
            std::to_string(waiting.failed) + " failed\n";
  }
  if (!waiting.objects.empty()) text += "to be tried again: " + join(waiting.objects, ", ") + "\n";
  return text;
}

std::string state_of(const conversion::KindProgress& kind, const conversion::MigrationRequest& request) {
  if (!kind.finished) return !kind.left_out.empty() ? "objects left out" : "not finished";
  if (request.dry_run) return "would go through";
  return request.reaches_all() ? "stored as " + request.new_version + " only" : "done, as far as asked for";
}

void print_report(const MigrateOptions& options, const std::vector<conversion::KindProgress>& kinds) {
  if (options.output == "json") {
    json::Array list;
    for (const auto& kind : kinds) list.push_back(as_json(kind));
    print(json::to_text(json::Object{{"kinds", std::move(list)}}) + "\n");
    return;
  }
  std::vector<std::vector<std::string>> rows{{"KIND", "OBJECTS", "LEFT OUT", "STATE"}};
  for (const auto& kind : kinds) {
    rows.push_back({kind.definition,
                    std::to_string(kind.done) + (kind.total ? " of " + std::to_string(*kind.total) : ""),
                    std::to_string(kind.left_out.count()), state_of(kind, options.request)});
  }
  print(table(rows));
  for (const auto& kind : kinds) print(describe_left_out(kind) + describe_waiting(kind));
}

int migrate(MigrateOptions& options) {
  auto selector = k8s::LabelSelector::parse(options.selector);
  if (!selector) return report(selector.error().within("reading --selector"), exit_usage);
  options.request.labels = *std::move(selector);
  if (auto pace = conversion::check(options.pace); !pace) return report(pace.error(), exit_usage);
  const StopSignals signals;
  auto client = make_kube_client(options.cluster);
  if (!client) return report(client.error(), exit_usage);
  auto plan = conversion::plan_migration(**client, options.request, {.stop = signals.token()});
  if (!plan) return report(plan.error());
  std::optional<Error> failed;
  {
    ProgressLine line(Clock::system(), std::chrono::seconds(10));
    const sources::Progress show = line.callback();
    for (conversion::KindProgress& kind : *plan) {
      const auto done = conversion::migrate_kind(
          **client, options.request, options.pace, kind,
          [&](const conversion::KindProgress& now) -> Result<void> {
            const auto left =
                conversion::settle_left(now, options.request, options.pace, (*client)->clock().now());
            if (now.waiting) line.say(now.definition + ": " + now.waiting->describe());
            show((left > left.zero() ? "waiting (--settle) to migrate "
                  : now.waiting      ? "waiting to migrate "
                                     : "migrating ") +
                     now.definition,
                 static_cast<std::size_t>(now.done), static_cast<std::size_t>(now.total.value_or(0)));
            return {};
          },
          signals.token());
      if (done) continue;
      failed = done.error();
      // Other kinds may go well; but not when we are to stop.
      if (done.error().code == ErrorCode::cancelled) {
        failed->message += "; run it again to go on: what is done is not written again";
        break;
      }
      if (kind.last_error.empty()) kind.last_error = done.error().message;
    }
  }
  print_report(options, *plan);
  std::fflush(stdout);  // where both go to one file, the error does not come in the middle of a name
  return failed ? report(*failed) : exit_ok;
}

}  // namespace

void add_migrate(CLI::App& parent, Context& context) {
  auto options = std::make_shared<MigrateOptions>();
  CLI::App* command = add_command(parent, context, "migrate", "Store custom resources in a new version",
                                  "fairway migrate --group example.com --kind Widget --from v1alpha1 --to v1",
                                  [options] { return migrate(*options); });
  auto& request = options->request;
  command->add_option("--group", request.group, "Group of the custom resources")
      ->type_name("GROUP")
      ->required();
  command->add_option("--kind", request.kind, "Kind; without it, every kind of the group that knows --from")
      ->type_name("KIND");
  command->add_option("--from", request.old_version, "Version to leave")->type_name("VERSION")->required();
  command->add_option("--to", request.new_version, "Version to store: it has to be the storage version")
      ->type_name("VERSION")
      ->required();
  constexpr const char* which = "Which objects";
  command
      ->add_option("-n,--namespace", request.namespace_name,
                   "Only objects in this namespace; storedVersions stays as it is")
      ->type_name("NAME")
      ->group(which);
  command
      ->add_option("-l,--selector", options->selector,
                   "Only objects with these labels (a=b,c!=d); storedVersions stays as it is")
      ->type_name("SELECTOR")
      ->group(which);
  command->add_flag("--dry-run", request.dry_run, "Ask the server about each write, and write nothing")
      ->group(which);
  add_pace_flags(*command, options->pace);
  add_kube_flags(*command, options->cluster);
  add_output_option(*command, options->output, {"table", "json"});
}

}  // namespace fairway::cli
