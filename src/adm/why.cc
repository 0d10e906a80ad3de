// SPDX-License-Identifier: Apache-2.0

#include "adm/why.h"

#include <algorithm>
#include <array>
#include <optional>

#include "adm/internal/release_version.h"
#include "adm/internal/texts.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;
using openshift::ConditionalUpdate;
using openshift::ReleaseView;

/// Shows the operator's conditions of an update with risks, and the risks.
void explain_risks(const ConditionalUpdate& update, CommandResult& answer) {
  for (const k8s::Condition& condition : update.conditions())
    answer.out += "  " + std::string(condition.type()) + "=" + std::string(status_of(condition)) + " " +
                  std::string(condition.reason()) + ": " + indented(indented(condition.message())) + "\n";
  answer.out += "Its risks:\n";
  for (const k8s::View& risk : update.risks())
    answer.out += "  " + std::string(risk.text("name")) + ": " + indented(indented(risk.text("message"))) +
                  " " + std::string(risk.text("url")) + "\n";
}

/// Shows possible reasons why a release is not in the lists.
void explain_absence(std::string_view version, const ClusterVersion& cluster, CommandResult& answer) {
  const auto history = cluster.history();
  if (std::ranges::any_of(history, [&](const auto& entry) { return entry.version() == version; }))
    answer.out += "The cluster has run it, or was being updated to it: its history has it.\n";
  if (cluster.channel().empty()) answer.out += "The cluster has no channel, so it asks for no updates.\n";
  constexpr std::array<std::pair<std::string_view, bool>, 3> conditions{
      {{"RetrievedUpdates", false},
       {"fairway.dev/StaleUpdates", true},
       {"fairway.dev/IncompleteUpdates", true}}};
  for (const auto& [type, bad] : conditions) {
    const auto condition = cluster.condition(type);
    if (condition && (bad ? condition->is_true() : condition->is_false()))
      answer.out +=
          std::string(type) + "=" + std::string(status_of(*condition)) + ":" + explain(*condition) + "\n";
  }
}

/// Shows the operator's verdict, and returns it in one word for programs.
std::string_view explain_operator(std::string_view version, const ClusterVersion& cluster,
                                  CommandResult& answer) {
  const std::string name(version);
  if (cluster.desired().version() == version) {
    answer.out += name + " is what the cluster runs, or is being updated to.\n";
    return "current";
  }
  const auto conditional = cluster.conditional_updates();
  const auto update = std::ranges::find_if(
      conditional, [&](const ConditionalUpdate& one) { return one.release().version() == version; });
  const auto available = cluster.available_updates();
  const bool recommended = std::ranges::find(available, version, &ReleaseView::version) != available.end();
  if (recommended) {
    answer.out += name + " is recommended" +
                  (update == conditional.end() ? ".\n" : ": none of its risks concerns this cluster.\n");
  } else if (update != conditional.end()) {
    answer.out += name + " is supported, but not recommended for this cluster.\n";
  } else {
    answer.out += name + " is not offered to this cluster.\n";
    explain_absence(version, cluster, answer);
    return "not offered";
  }
  if (update != conditional.end()) explain_risks(*update, answer);
  return recommended ? "recommended" : "not recommended";
}

void explain_service(std::string_view version, const ClusterVersion& cluster,
                     const Result<std::string>& service, CommandResult& answer) {
  const std::string edge = std::string(cluster.desired().version()) + " to " + std::string(version) + " in " +
                           std::string(cluster.channel());
  const auto document = service ? json::parse(*service) : Result<json::Value>(fail(service.error()));
  if (!document || !document->is_object()) {
    answer.err += "warning: The update service does not say why: " +
                  (document ? "its answer is no JSON object" : document.error().message) + "\n";
    return;
  }
  const k8s::View said(document->get_object());
  answer.data["service"] = *document;
  answer.out += "The update service says of " + edge + ": " + std::string(said.text("verdict")) + "\n";
  for (const k8s::View& reason : said.items("reasons")) {
    answer.out += "  ";
    if (!reason.text("file").empty()) {
      answer.out += reason.text("file");
      if (const auto line = reason.find_integer("line")) answer.out += ":" + std::to_string(*line);
      answer.out += ": ";
    }
    answer.out += indented(reason.text("message")) + "\n";
  }
}

}  // namespace

CommandResult check_why(std::string_view version) {
  CommandResult answer;
  if (version.empty()) return answer;
  if (const auto read = read_version(version); !read)
    answer.fail("the version must be a semantic version (e.g. 4.0.1): " + read.error().message);
  return answer;
}

CommandResult why(std::string_view version, const ClusterVersion& cluster,
                  const Result<std::string>& service) {
  CommandResult answer;
  answer.data = {{"version", version}};
  answer.data["verdict"] = explain_operator(version, cluster, answer);
  if (answer.data["verdict"] != "current") explain_service(version, cluster, service, answer);
  return answer;
}

}  // namespace fairway::adm
