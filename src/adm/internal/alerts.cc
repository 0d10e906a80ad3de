// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/alerts.h"

#include <chrono>
#include <utility>

#include "k8s/view.h"

namespace fairway::adm {

namespace {

/// Parses a time with its fraction of a second, which `parse_time` drops.
std::optional<WallTime> precise_time(std::string_view text) {
  const auto whole = parse_time(text);
  if (!whole) return std::nullopt;
  std::chrono::nanoseconds fraction{};
  const std::size_t point = text.find('.');
  std::chrono::nanoseconds unit = std::chrono::milliseconds(100);
  for (std::size_t i = point + 1; point != text.npos && i < text.size() && text[i] >= '0' && text[i] <= '9';
       ++i) {
    fraction += unit * (text[i] - '0');
    unit /= 10;
  }
  return *whole < WallTime::max() - std::chrono::seconds(1) ? *whole + fraction : *whole;
}

}  // namespace

std::string Alert::description_text() const {
  if (description.empty() && message.empty()) return " The alert has no description.";
  const std::string separator = description.empty() || message.empty() ? "" : " | ";
  return " The alert description is: " + description + separator + message;
}

std::string Alert::runbook_text() const {
  return runbook.empty() ? "<alert does not have a runbook_url annotation>" : runbook;
}

Result<std::vector<Alert>> read_alerts(std::string_view text) {
  const auto document = json::parse(text);
  if (!document) return fail(document.error().within("parsing alerts"));
  if (!document->is_object()) return fail(ErrorCode::invalid, "parsing alerts: the answer is no JSON object");
  std::vector<Alert> alerts;
  for (const k8s::View& item : k8s::View(document->get_object()).items("data.alerts")) {
    const auto label = [&](std::string_view name) { return std::string(item.at("labels").text(name)); };
    const auto annotation = [&](std::string_view name) {
      return std::string(item.at("annotations").text(name));
    };
    if (label("alertname").empty()) continue;
    alerts.push_back({.name = label("alertname"),
                      .severity = label("severity"),
                      .state = std::string(item.text("state")),
                      .namespace_name = label("namespace"),
                      .pod_disruption_budget = label("poddisruptionbudget"),
                      .update_precheck = label("openShiftUpdatePrecheck") == "true",
                      .summary = annotation("summary"),
                      .description = annotation("description"),
                      .message = annotation("message"),
                      .runbook = annotation("runbook_url"),
                      .active_at = precise_time(item.text("activeAt"))});
  }
  return alerts;
}

}  // namespace fairway::adm
