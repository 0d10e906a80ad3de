// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/status/insight.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "adm/internal/columns.h"
#include "adm/internal/status/durations.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

std::string_view to_string(Level level) {
  switch (level) {
    case Level::info:
      return "Info";
    case Level::warning:
      return "Warning";
    case Level::error:
      return "Error";
    case Level::critical:
      return "Critical";
  }
  return "Unknown";
}

std::string since_text(const Insight& insight, WallTime now) {
  return insight.since ? short_duration(elapsed(*insight.since, now)) : "-";
}

bool is_complete(const Insight& insight) {
  return !insight.summary.empty() && !insight.description.empty() && !insight.reference.empty();
}

std::string table(const std::vector<Insight>& insights, WallTime now) {
  std::string rows = "SINCE\tLEVEL\tIMPACT\tMESSAGE\n";
  for (const Insight& one : insights)
    rows += since_text(one, now) + "\t" + std::string(to_string(one.level)) + "\t" + one.impact + "\t" +
            one.summary + "\n";
  std::string out = lay_out_columns(rows);
  if (insights.size() > 1 || insights.front().level != Level::info)
    out +=
        "\nRun with --details=health for additional description and links to related online documentation\n";
  return out;
}

std::string resource_lines(const Insight& insight) {
  if (insight.resources.empty()) return {};
  std::map<std::string, std::vector<std::string>> names;
  std::size_t width = 0;
  for (const auto& [kind, name] : insight.resources) {
    names[kind].push_back(name);
    width = std::max(width, kind.size());
  }
  std::string out = "  Resources:\n";
  for (auto& [kind, list] : names) {
    std::ranges::sort(list);
    out += "    " + kind + ": " + std::string(width - kind.size(), ' ') + join(list, ", ") + "\n";
  }
  return out;
}

std::string paragraph(const Insight& insight, WallTime now) {
  // Further lines of a description begin below it, each with a comma: the form that people's scripts read.
  std::string description;
  for (const char c : insight.description)
    description += c == '\n' ? "\n" + std::string(15, ' ') + ", " : std::string(1, c);
  return "Message: " + insight.summary + "\n  Since:       " + since_text(insight, now) +
         "\n  Level:       " + std::string(to_string(insight.level)) + "\n  Impact:      " + insight.impact +
         "\n  Reference:   " + insight.reference + "\n" + resource_lines(insight) +
         "  Description: " + description + "\n";
}

}  // namespace

std::string show_health(std::vector<Insight> insights, std::chrono::nanoseconds updating_for, WallTime now,
                        bool detailed) {
  std::string out = "= Update Health =\n";
  std::erase_if(insights, [](const Insight& one) { return !is_complete(one); });
  if (insights.empty()) {
    const Insight well{.since = now - std::chrono::duration_cast<WallTime::duration>(updating_for),
                       .level = Level::info,
                       .impact = "None",
                       .summary = "Update is proceeding well"};
    return out + table({well}, now);
  }
  std::ranges::stable_sort(insights, [](const Insight& a, const Insight& b) {
    return a.level != b.level ? a.level > b.level : a.since > b.since;
  });
  if (!detailed) return out + table(insights, now);
  std::vector<std::string> paragraphs;
  for (const Insight& one : insights) paragraphs.push_back(paragraph(one, now));
  return out + join(paragraphs, "\n");
}

json::Array health_data(const std::vector<Insight>& insights) {
  json::Array list;
  for (const Insight& one : insights) {
    if (!is_complete(one)) continue;
    json::Object data{{"level", to_string(one.level)},
                      {"impact", one.impact},
                      {"message", one.summary},
                      {"description", one.description},
                      {"reference", one.reference}};
    if (one.since) data["since"] = format_time(*one.since);
    json::Array resources;
    for (const auto& [kind, name] : one.resources)
      resources.push_back(json::Object{{"kind", kind}, {"name", name}});
    data["resources"] = std::move(resources);
    list.emplace_back(std::move(data));
  }
  return list;
}

}  // namespace fairway::adm
