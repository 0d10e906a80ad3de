// SPDX-License-Identifier: Apache-2.0

#include "cli/convert_check_report.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

using conversion::FindingKind;

constexpr std::array all_kinds{FindingKind::fails, FindingKind::loses, FindingKind::changes,
                               FindingKind::refused};

std::string objects(std::int64_t number) {
  return command_line::count(static_cast<std::size_t>(number), "object");
}

/// Bytes of a list of versions that are shown.
constexpr std::size_t longest_list = 1'000;

/// "3 objects lose a field".
std::string headline(FindingKind kind, std::int64_t number) {
  const bool is_one = number == 1;
  switch (kind) {
    case FindingKind::fails:
      return objects(number) + (is_one ? " fails" : " fail");
    case FindingKind::loses:
      return objects(number) + (is_one ? " loses a field" : " lose a field");
    case FindingKind::changes:
      return objects(number) + (is_one ? " changes" : " change");
    case FindingKind::refused:
      return objects(number) + " would be refused";
  }
  return {};
}

std::string describe(const conversion::FindingExample& example) {
  std::string text = "  " + example.object;
  if (!example.path.empty()) text += "  " + example.path;
  if (!example.detail.empty()) text += (example.path.empty() ? "  " : ": ") + example.detail;
  return text + "\n";
}

}  // namespace

std::string text_report(const conversion::ConversionCheck& check, const CheckReport& report) {
  const conversion::Findings& findings = check.findings();
  const conversion::CheckRequest& request = check.request();
  std::string text =
      request.kind + "." + request.group + " to " + request.to + ": " + objects(findings.objects()) +
      (report.ended.empty() ? " checked, " : " checked before the check ended, ") +
      (findings.faulty_objects() == 0 ? "no findings"
                                      : std::to_string(findings.faulty_objects()) + " with findings") +
      "\n";
  for (const conversion::FindingCause& cause : findings.causes()) {
    text += "\n" + headline(cause.kind, cause.count) + ": " + cause.cause + "\n";
    for (const conversion::FindingExample& example : cause.examples) text += describe(example);
    const auto unnamed = cause.count - static_cast<std::int64_t>(cause.examples.size());
    if (unnamed > 0) text += "  and " + std::to_string(unnamed) + " more\n";
  }
  if (!report.dropped_versions.empty()) {
    text += "\nThe definition has no version " +
            printable(join(report.dropped_versions, ", "), longest_list) +
            ", in which objects may be stored (status.storedVersions): API servers refuse it. Migrate the "
            "objects first (fairway migrate)\n";
  }
  if (!report.definition_problems.empty()) {
    text += "\nThe definition has faults, for which API servers refuse it:\n";
    for (const std::string& problem : report.definition_problems) text += "  " + problem + "\n";
  }
  if (!report.notes.empty()) text += '\n';
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

std::string json_report(const conversion::ConversionCheck& check, const CheckReport& report) {
  const conversion::Findings& findings = check.findings();
  const conversion::CheckRequest& request = check.request();
  json::Object all{{"group", request.group},
                   {"kind", request.kind},
                   {"to", request.to},
                   {"complete", report.ended.empty()},
                   {"objects", findings.objects()},
                   {"notConverted", check.not_converted()},
                   {"withFindings", findings.faulty_objects()}};
  for (const FindingKind kind : all_kinds) all[conversion::to_string(kind)] = findings.count(kind);
  json::Array causes;
  for (const conversion::FindingCause& cause : findings.causes()) {
    json::Array examples;
    for (const conversion::FindingExample& example : cause.examples) {
      json::Object one{{"object", example.object}};
      if (!example.path.empty()) one["path"] = example.path;
      if (!example.detail.empty()) one["detail"] = example.detail;
      examples.emplace_back(std::move(one));
    }
    causes.emplace_back(json::Object{{"finding", conversion::to_string(cause.kind)},
                                     {"cause", cause.cause},
                                     {"count", cause.count},
                                     {"examples", std::move(examples)}});
  }
  all["causes"] = std::move(causes);
  json::Array dropped;
  for (const std::string& version : report.dropped_versions) dropped.emplace_back(version);
  all["droppedVersions"] = std::move(dropped);
  json::Array problems;
  for (const std::string& problem : report.definition_problems) problems.emplace_back(problem);
  all["definitionProblems"] = std::move(problems);
  if (!report.ended.empty()) all["error"] = report.ended;
  json::Array texts;
  for (const std::string& note : report.notes) texts.emplace_back(note);
  all["notes"] = std::move(texts);
  return json::to_text(all) + "\n";
}

}  // namespace fairway::cli
