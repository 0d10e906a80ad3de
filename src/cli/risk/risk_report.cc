// SPDX-License-Identifier: Apache-2.0

#include "cli/risk/risk_report.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/go_text.h"
#include "base/json.h"
#include "base/semver.h"
#include "base/text.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

constexpr std::size_t longest_line = 1'000;

/// An update of either kind; conditional ones have an index into the verdicts.
struct Line {
  const graph::Node* node;
  std::ptrdiff_t conditional = -1;
};

/// Returns all updates, the highest version first.
std::vector<Line> lines_of(const RiskReport& report) {
  std::vector<Line> lines;
  for (const graph::Node& node : report.available.unconditional) lines.push_back({&node});
  for (std::size_t i = 0; i < report.available.targets.size(); ++i)
    lines.push_back({&report.available.targets[i], static_cast<std::ptrdiff_t>(i)});
  const auto version = [](const Line& line) {
    return Version::parse(line.node->version).value_or(Version());
  };
  std::ranges::stable_sort(lines, [&](const Line& a, const Line& b) { return version(a) > version(b); });
  return lines;
}

std::string painted(const command_line::Style& style, risk::Status status) {
  const std::string_view text = to_string(status);
  if (status == risk::Status::is_true) return style.green(text);
  return status == risk::Status::is_false ? style.red(text) : style.yellow(text);
}

json::Value condition_json(const risk::UpdateCondition& condition) {
  return json::Object{
      {"status", to_string(condition.status)}, {"reason", condition.reason}, {"message", condition.message}};
}

json::Value risk_json(const graph::Risk& risk, const risk::RiskVerdict& verdict) {
  json::Object object{{"name", risk.name},
                      {"url", risk.url},
                      {"message", risk.message},
                      {"verdict", to_string(verdict.outcome)}};
  // JSON has no infinity, and not every reader takes 1 for 1.0.
  if (verdict.value) object["value"] = go_plain_number(*verdict.value);
  if (!verdict.error.empty()) object["error"] = verdict.error;
  if (!verdict.warnings.empty())
    object["warnings"] = json::Array(verdict.warnings.begin(), verdict.warnings.end());
  if (!verdict.evaluator.empty()) object["evaluator"] = verdict.evaluator;
  if (verdict.last) object["last"] = format_time(*verdict.last);
  if (verdict.next) object["next"] = format_time(*verdict.next);
  return object;
}

std::string risks_text(const risk::ConditionalUpdate& update, const risk::UpdateVerdict& verdict) {
  std::string out;
  for (std::size_t i = 0; i < update.risks.size(); ++i) {
    const graph::Risk& risk = update.risks[i];
    const risk::RiskVerdict& one = verdict.risks[i];
    out += "  " + printable(risk.name) + ": " + std::string(to_string(one.outcome)) + "  " +
           printable(risk.url, longest_line) + "\n";
    if (one.outcome == risk::Outcome::matches) out += command_line::paragraph(risk.message, 4);
    if (one.outcome == risk::Outcome::failed) out += command_line::paragraph(one.error, 4);
    for (const std::string& warning : one.warnings)
      out += command_line::paragraph("The monitoring stack warns: " + warning, 4);
  }
  return out;
}

}  // namespace

std::string as_table(const RiskReport& report) {
  const command_line::Style style;
  std::string head = "Updates of " + style.bold(printable(report.from));
  if (!report.channel.empty())
    head += " in " + printable(report.channel) + " (" + printable(report.arch) + ")";
  const std::vector<Line> lines = lines_of(report);
  if (!report.gone.empty()) return head + ": none any more\n" + command_line::paragraph(report.gone, 2);
  if (lines.empty()) return head + ": none\n";
  // Colours would count as width: only the last column has them.
  std::vector<std::vector<std::string>> rows{{"VERSION", "REASON", "RECOMMENDED"}};
  std::string risks;
  for (const Line& line : lines) {
    if (line.conditional < 0) {
      rows.push_back({line.node->version, "no known risks", painted(style, risk::Status::is_true)});
      continue;
    }
    const auto i = static_cast<std::size_t>(line.conditional);
    const risk::UpdateVerdict& verdict = report.verdicts[i];
    rows.push_back(
        {line.node->version, verdict.recommended.reason, painted(style, verdict.recommended.status)});
    risks += "\n" + style.bold(line.node->version) + "\n" + risks_text(report.available.updates[i], verdict);
  }
  return head + "\n\n" + command_line::table(rows) + risks;
}

std::string as_json(const RiskReport& report) {
  json::Array updates;
  for (const Line& line : lines_of(report)) {
    json::Object update{{"version", line.node->version},
                        {"image", line.node->payload},
                        {"conditional", line.conditional >= 0}};
    json::Array risks;
    if (line.conditional < 0) {
      update["recommended"] = condition_json({risk::Status::is_true, "", ""});
    } else {
      const auto i = static_cast<std::size_t>(line.conditional);
      const risk::UpdateVerdict& verdict = report.verdicts[i];
      update["recommended"] = condition_json(verdict.recommended);
      update["evaluating"] = condition_json(verdict.evaluating);
      const auto& known = report.available.updates[i].risks;
      for (std::size_t r = 0; r < known.size(); ++r) risks.push_back(risk_json(known[r], verdict.risks[r]));
    }
    update["risks"] = std::move(risks);
    updates.push_back(std::move(update));
  }
  json::Object document{{"from", report.from}};
  if (!report.channel.empty()) document["channel"] = report.channel;
  if (!report.arch.empty()) document["arch"] = report.arch;
  document["evaluator"] = report.evaluator;
  document["updates"] = std::move(updates);
  if (!report.gone.empty()) document["gone"] = report.gone;
  return json::to_text(document) + "\n";
}

}  // namespace fairway::cli
