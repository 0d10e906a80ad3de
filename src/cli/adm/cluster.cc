// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/cluster.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "adm/show.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "base/yaml_text.h"
#include "cli/adm/paint.h"
#include "command_line/commands.h"
#include "command_line/input.h"
#include "command_line/kube_options.h"
#include "command_line/model.h"
#include "command_line/terminal.h"
#include "k8s/documents.h"
#include "kube/client/api.h"
#include "openshift/unlisted_updates.h"
#include "payload/preconditions.h"

namespace fairway::cli {

using namespace command_line;

namespace {

constexpr std::string_view recorded_suffix = "-cv.yaml";

/// Returns the objects of a file: one, or those of a list.
Result<std::vector<k8s::Dynamic>> read_objects(const std::string& file) {
  const auto text = command_line::read_input(file);
  if (!text) return fail(text.error());
  auto documents = k8s::read_documents(*text);
  if (!documents) return fail(documents.error().within("reading " + file));
  std::vector<k8s::Dynamic> objects;
  for (k8s::Document& document : *documents) {
    auto object = k8s::Dynamic::from(std::move(document.value));
    if (!object) return fail(object.error().within("reading " + file));
    if (!object->kind().ends_with("List")) {
      objects.push_back(*std::move(object));
      continue;
    }
    for (const k8s::View& item : object->items("items")) objects.emplace_back(json::Object(item.json()));
  }
  return objects;
}

/// Shows a warning as kubectl does: each text once.
void show_warning(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> shown;
  const std::scoped_lock lock(mutex);
  if (shown.emplace(text).second) std::fprintf(stderr, "Warning: %s\n", printable(text, 1000).c_str());
}

Result<std::shared_ptr<kube::Client>> connect(const ClusterFlags& flags) {
  auto config = kube::load_client_config(flags.overrides);
  if (!config) {
    // A server alone is enough.
    if (config.error().code != ErrorCode::not_found || flags.overrides.server.empty() ||
        !flags.overrides.file.empty())
      return fail(config.error());
    config = kube::ClientConfig{.server = flags.overrides.server, .cluster_origin = "--server"};
  }
  if (!flags.token.empty()) {
    config->token = flags.token;
    config->token_file.clear();
    config->user_origin = "--token";
  }
  return kube::Client::create(*std::move(config),
                              {.user_agent = "fairway/" FAIRWAY_VERSION, .on_warning = show_warning});
}

bool is_absent(const kube::ApiError& error) {
  return error.is_not_found() || error.code == ErrorCode::not_found;
}

/// Prints the patch, and the result of the operator's own checks of the request.
void say_what_it_would_cause(const openshift::ClusterVersion& cluster, adm::CommandResult& answer) {
  const json::Object& patch = answer.patch->body;
  answer.data["patch"] = patch;
  answer.out +=
      "dry run: this would be requested, and nothing was:\n\n" + json::to_pretty_text(json::Value(patch));
  const k8s::View asked = k8s::View(patch).at("spec.desiredUpdate");
  if (asked.text("version").empty()) {
    if (!asked.text("image").empty())
      answer.out +=
          "\nWhich version the image has, and so what the cluster would check, is not known here.\n";
    return;
  }
  payload::UnlistedUpdates unlisted;
  for (json::Object& one : openshift::unlisted_updates(cluster)) {
    const openshift::ConditionalUpdate update(one);
    if (!update.condition("Recommended")->is_true()) {
      unlisted.conditional.push_back(std::move(one));
    } else {
      unlisted.available.push_back(
          {std::string(update.release().version()), std::string(update.release().image())});
    }
  }
  const auto checks = payload::check_preconditions(
      cluster, {.version = std::string(asked.text("version")), .image = std::string(asked.text("image"))},
      asked.flag("force"), unlisted);
  if (checks.blocked) {
    answer.data["refused"] = checks.summary;
    answer.out += "\nThe cluster would not begin this update:\n\n" + checks.summary + "\n";
  } else if (!checks.accepted_risks.empty()) {
    answer.data["acceptedRisks"] = checks.accepted_risks;
    answer.out +=
        "\nThe history would hold of this update, as accepted risks:\n\n" + checks.accepted_risks + "\n";
  }
  if (asked.flag("force"))
    answer.out += "\nWith --force it would also name a signature that cannot be verified.\n";
}

}  // namespace

void print_document(const std::string& format, const json::Object& document, bool one_of_several) {
  const json::Value value(document);
  if (format == "yaml") {
    print((one_of_several ? "---\n" : "") + to_yaml(value));
  } else {
    print(one_of_several ? json::to_text(value) + "\n" : json::to_pretty_text(value));
  }
}

void add_cluster_flags(CLI::App& command, ClusterFlags& flags, std::vector<std::string> formats) {
  add_kube_flags(command, flags.overrides);
  constexpr const char* group = "Cluster";
  command.add_option("--server", flags.overrides.server, "URL of the API server")
      ->type_name("URL")
      ->group(group);
  command.add_option("--token", flags.token, "Bearer token for the API server")
      ->type_name("TOKEN")
      ->group(group);
  command
      .add_option(
          "--mock-clusterversion", flags.mock,
          "A file of a ClusterVersion (-: standard input) to use instead of a cluster: nothing is written. "
          "Where its name ends in -cv.yaml, files of other objects are found beside it")
      ->type_name("FILE")
      ->group(group);
  formats.insert(formats.begin(), {"json", "yaml"});
  std::string names;
  for (const std::string& format : formats) names += (names.empty() ? "" : "|") + format;
  command.add_option("-o,--output", flags.output, "Output format (default: text)")
      ->type_name(names)
      ->check(CLI::IsMember(std::move(formats)).description(""));
  // Unknown words are refused in kubectl's words; its flags go behind the command.
  command.fallthrough(false)->allow_extras();
}

void add_dry_run_flag(CLI::App& command, ClusterFlags& flags) {
  command.add_flag("--dry-run", flags.dry_run, "Show what would be requested, and request nothing");
}

Result<Cluster> Cluster::open(const ClusterFlags& flags) {
  Cluster cluster(flags);
  if (flags.mock.empty()) {
    auto client = connect(flags);
    if (!client) return fail(client.error());
    cluster.client_ = *std::move(client);
    return cluster;
  }
  auto objects = read_objects(flags.mock);
  if (!objects) return fail(objects.error());
  if (objects->empty()) return fail(ErrorCode::invalid, "reading " + flags.mock + ": it holds no object");
  auto recorded = k8s::as<openshift::ClusterVersion>(std::move(objects->front()));
  if (!recorded) return fail(recorded.error().within("reading " + flags.mock));
  cluster.recorded_ = *std::move(recorded);
  return cluster;
}

std::string Cluster::file(std::string_view suffix) const {
  std::string path = flags_->mock;
  const std::size_t at = path.find(recorded_suffix);
  return at == path.npos ? path + std::string(suffix) : path.replace(at, recorded_suffix.size(), suffix);
}

Result<std::optional<openshift::ClusterVersion>> Cluster::cluster_version(const Limits& limits) const {
  if (recorded_) return recorded_;
  auto found = kube::Api<openshift::ClusterVersion>(client_, "")
                   .get(std::string(openshift::ClusterVersion::object_name), limits);
  if (!found && is_absent(found.error())) return std::nullopt;
  if (!found) return fail(found.error());
  return *std::move(found);
}

std::vector<openshift::Channel> Cluster::channels(const Limits& limits) const {
  if (is_recorded()) return {};
  auto list = kube::Api<openshift::Channel>(client_, "").list({}, limits);
  return list ? std::move(list->items) : std::vector<openshift::Channel>{};
}

Result<std::vector<k8s::Dynamic>> Cluster::list(const k8s::Resource& resource, std::string_view suffix,
                                                const Limits& limits) const {
  if (is_recorded()) return read_objects(file(suffix));
  auto list = kube::list_all(*client_, resource.group_version_resource(), "", {}, limits);
  if (!list && is_absent(list.error())) return std::vector<k8s::Dynamic>{};
  if (!list) return fail(list.error());
  return std::move(list->items);
}

Result<std::optional<k8s::Dynamic>> Cluster::find(const k8s::Resource& resource, const k8s::Key& key,
                                                  std::string_view suffix, const Limits& limits) const {
  if (is_recorded()) {
    const std::string path = file(suffix);
    if (!std::ifstream(path)) return std::nullopt;
    auto objects = read_objects(path);
    if (!objects) return fail(objects.error());
    for (k8s::Dynamic& object : *objects)
      if (object.name() == key.name) return std::move(object);
    return std::nullopt;
  }
  auto found = client_->get(resource.group_version_resource(), key, {}, limits);
  if (!found && is_absent(found.error())) return std::nullopt;
  if (!found) return fail(found.error());
  return *std::move(found);
}

kube::ApiResult<openshift::ClusterVersion> Cluster::write(const json::Object& patch,
                                                          const Limits& limits) const {
  if (recorded_) return *recorded_;
  return kube::Api<openshift::ClusterVersion>(client_, "")
      .merge_patch(std::string(openshift::ClusterVersion::object_name), patch, {}, limits);
}

int Cluster::finish(adm::CommandResult answer, const openshift::ClusterVersion& version,
                    const Limits& limits) const {
  if (answer.patch && flags_->dry_run) {
    say_what_it_would_cause(version, answer);
  } else if (answer.patch) {
    const auto written = write(answer.patch->body, limits);
    const std::string lost = written && answer.patch->lost ? answer.patch->lost(*written) : std::string();
    if (!written) {
      // Only an answer tells that nothing was written.
      answer.fail(answer.patch->failure + ": " + written.error().message +
                  (written.error().is_answer() ? ""
                                               : "; there was no answer, so it may have been written: "
                                                 "spec.desiredUpdate of the ClusterVersion shows it"));
    } else if (!lost.empty() && !is_recorded()) {
      answer.fail(answer.patch->failure + ": " + lost);
    } else {
      answer.out += answer.patch->done(*written);
    }
    answer.data["patch"] = answer.patch->body;
  }
  if (flags_->output == "json" || flags_->output == "yaml") {
    if (!answer.out.empty() && answer.patch && !flags_->dry_run) answer.data["message"] = answer.out;
    std::fputs(without_controls(answer.err).c_str(), stderr);
    const bool is_empty = answer.data.empty() && flags_->several_documents;
    if (!answer.failed() && !is_empty) print_document(flags_->output, answer.data, flags_->several_documents);
    return answer.exit_code;
  }
  return print_answer(answer);
}

int print_answer(const adm::CommandResult& answer) {
  std::fputs(without_controls(answer.err).c_str(), stderr);
  print(painted(without_controls(answer.out), Style()));
  return answer.exit_code;
}

int with_cluster_version(
    const ClusterFlags& flags, bool capital,
    const std::function<adm::CommandResult(const Cluster&, const openshift::ClusterVersion&)>& act) {
  const auto cluster = Cluster::open(flags);
  if (!cluster) return report(cluster.error());
  const auto found = cluster->cluster_version();
  if (!found) return report(found.error());
  if (!*found) return print_answer(adm::no_cluster_version_answer(capital));
  return cluster->finish(act(*cluster, **found), **found);
}

std::optional<adm::CommandResult> refuse_unknown_flags(const CLI::App& command) {
  for (const std::string& word : command.remaining()) {
    if (word.size() < 2 || word.front() != '-') continue;
    adm::CommandResult answer;
    const std::string name = word.substr(0, word.find('='));
    answer.fail_usage(name.starts_with("--")
                          ? "unknown flag: " + name
                          : "unknown shorthand flag: " +
                                quote_character(static_cast<unsigned char>(name[1])) + " in " + name,
                      called_name(command));
    return answer;
  }
  return std::nullopt;
}

std::optional<adm::CommandResult> refuse_arguments(const CLI::App& command) {
  if (auto refused = refuse_unknown_flags(command)) return refused;
  const auto words = command.remaining();
  if (words.empty()) return std::nullopt;
  adm::CommandResult answer;
  answer.fail_usage("unknown command " + quote(join(words, " ")), called_name(command));
  return answer;
}

}  // namespace fairway::cli
