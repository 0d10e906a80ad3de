// SPDX-License-Identifier: Apache-2.0

#include "cli/risk/risk_status.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/graph/graph_inputs.h"
#include "command_line/terminal.h"
#include "http/access.h"
#include "http/client.h"
#include "k8s/view.h"

namespace fairway::cli {
namespace {

constexpr std::chrono::seconds time_limit{10};
constexpr std::size_t max_shown_versions = 3;

struct RiskStatusOptions {
  std::string address = "http://127.0.0.1:8081", output = "table";
};

/// Reads /risks of the operator's status port.
Result<json::Value> ask(const std::string& address) {
  std::string url = address.contains("://") ? address : "http://" + address;
  while (url.ends_with('/')) url.pop_back();
  auto access = http::read_access(url + "/risks");
  if (!access) return fail(access.error().within("reading --operator"));
  auto client = http::Client::create({.user_agent = "fairway/" FAIRWAY_VERSION});
  if (!client) return fail(client.error());
  http::Call call;
  call.url = access->url;
  if (!access->authorization.empty()) call.headers.add("Authorization", access->authorization);
  call.limits = Limits::within(Clock::system(), time_limit);
  call.max_body_bytes = std::size_t{256} << 20;
  const auto reply = (*client)->send(call);
  if (!reply) {
    return fail(reply.error().within(
        "asking the operator for its risks (--operator is its status port, which a forwarded port reaches: "
        "kubectl port-forward)"));
  }
  if (reply->status != 200) return fail(http::refused(call, *reply));
  auto document = json::parse(reply->body);
  if (!document) return fail(document.error().within("reading " + call.url.to_string()));
  if (!document->is_object())
    return fail(ErrorCode::invalid, "reading " + call.url.to_string() + ": the answer is no JSON object");
  if (k8s::View(document->get_object()).text("time").empty()) {
    return fail(ErrorCode::unavailable,
                "asking the operator at " + call.url.to_string() +
                    ": it has evaluated nothing. It has just started, there is no ClusterVersion, or another "
                    "replica leads: ask that one");
  }
  return document;
}

std::string versions_of(const k8s::View& risk) {
  const std::vector<std::string_view> versions = risk.texts("versions");
  std::string text;
  for (std::size_t i = 0; i < versions.size() && i < max_shown_versions; ++i)
    text += (i == 0 ? "" : ",") + printable(versions[i], 40);
  if (versions.size() > max_shown_versions)
    text += ",+" + std::to_string(versions.size() - max_shown_versions);
  return text;
}

std::string painted(const Style& style, std::string_view verdict) {
  std::string text = printable(verdict, 40);
  if (verdict == "does not match") return style.green(text);
  return verdict == "matches" ? style.red(text) : style.yellow(text);
}

std::string as_table(const k8s::View& status) {
  const Style style;
  std::string out = "At " + printable(status.text("time"), 40) + ", updates of " +
                    style.bold(printable(status.text("version", "an unknown version"), 80));
  const std::vector<k8s::View> risks = status.items("risks");
  if (risks.empty()) {
    out += ": no risks\n";
  } else {
    std::vector<std::vector<std::string>> rows{{"RISK", "UPDATES", "EVALUATED", "NEXT", "PLACE", "VERDICT"}};
    for (const k8s::View& risk : risks) {
      const auto place = risk.find_integer("place");
      const auto or_dash = [&](std::string_view key) {
        return risk.text(key).empty() ? "-" : printable(risk.text(key), 40);
      };
      rows.push_back({printable(risk.text("name"), 80), versions_of(risk), or_dash("last"), or_dash("next"),
                      place ? std::to_string(*place) : "-", painted(style, risk.text("verdict"))});
    }
    out += "\n\n" + table(rows);
  }
  for (const k8s::View& risk : risks) {
    if (!risk.text("error").empty())
      out += "\n" + style.bold(printable(risk.text("name"), 80)) + "\n" + paragraph(risk.text("error"), 2);
    for (const std::string_view warning : risk.texts("warnings"))
      out += paragraph("The monitoring stack warns: " + std::string(warning), 2);
  }
  for (const std::string_view left_out : status.texts("leftOut"))
    out += paragraph("Left out of the answer of the update service: " + std::string(left_out), 0);
  return out;
}

int show(const RiskStatusOptions& options) {
  const auto document = ask(options.address);
  if (!document) return report(document.error());
  print(options.output == "json" ? json::to_text(*document) + "\n"
                                 : as_table(k8s::View(document->get_object())));
  return exit_ok;
}

}  // namespace

void add_risk_status(CLI::App& risk, Context& context) {
  auto options = std::make_shared<RiskStatusOptions>();
  CLI::App* command =
      add_command(risk, context, "status", "Show what an operator knows of each risk, and when it asks again",
                  "fairway risk status --operator 127.0.0.1:8081", [options] { return show(*options); });
  command
      ->add_option("--operator", options->address,
                   "The status port of `fairway operator`, of the replica that leads")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  add_output_option(*command, options->output, {"table", "json"});
}

}  // namespace fairway::cli
