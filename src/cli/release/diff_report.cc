// SPDX-License-Identifier: Apache-2.0

#include "cli/release/diff_report.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/markdown.h"
#include "command_line/terminal.h"
#include "payload/rights_text.h"

namespace fairway::cli {

namespace {

using command_line::count;

constexpr std::size_t max_entries = 20, max_details = 5, max_texts = 8;
constexpr std::string_view all_is_shown_by = "`fairway release diff -o json` shows all";

/// Makes a foreign text safe where it is shown.
using Mark = std::string (*)(std::string_view text);

std::string plain(std::string_view text) {
  return printable(text, 400);
}

/// An entry of a group, and the lines below it.
struct Entry {
  std::string text;
  std::vector<std::string> details = {};
  std::size_t detail_count = details.size();
  bool is_cut = false;  ///< a line does not show all that it is about
};

struct Group {
  std::string title;
  std::vector<Entry> entries;
};

std::string more(std::size_t all, std::size_t shown) {
  return "and " + std::to_string(all - shown) + " more";
}

/// Returns the first of many texts, and the number of the others, which `entry` then says it lacks.
std::string marked(const std::vector<std::string>& texts, Mark mark, Entry& entry) {
  std::vector<std::string> first;
  for (const std::string& text : texts) {
    if (first.size() < max_texts) first.push_back(mark(text));
  }
  if (first.size() == texts.size()) return join(first, ", ");
  entry.is_cut = true;
  return join(first, ", ") + " " + more(texts.size(), first.size());
}

std::string value(const std::optional<std::string>& text, Mark mark) {
  return text ? mark(*text) : "none";
}

/// Returns the version that a definition stores; one that no API server accepts has none.
std::string stored(const std::string& version, Mark mark) {
  return version.empty() ? "no version" : mark(version);
}

Entry entry_of(const payload::DefinitionChange& change, Mark mark) {
  Entry entry{.text = mark(change.name)};
  auto& lines = entry.details;
  if (change.removed) {
    lines.push_back("removed, and with it all objects of its kind");
  } else {
    if (change.moves_storage())
      lines.push_back("stores " + stored(change.storage_after, mark) + " in place of " +
                      stored(change.storage_before, mark));
    if (!change.served_gone.empty())
      lines.push_back("no longer served: " + marked(change.served_gone, mark, entry));
    if (!change.served_added.empty())
      lines.push_back("now served: " + marked(change.served_added, mark, entry));
    if (!change.versions_gone.empty()) {
      lines.push_back("given up: " + marked(change.versions_gone, mark, entry) +
                      "; an API server refuses that while status.storedVersions has it");
    }
  }
  entry.detail_count = lines.size();
  return entry;
}

Entry entry_of(const payload::GrownRights& grown, Mark mark) {
  Entry entry{.text = mark(grown.object.to_string())};
  auto& lines = entry.details;
  const payload::RightsText not_compared = payload::describe(grown.not_compared),
                            rules = payload::describe(grown.rules);
  for (const std::string& line : not_compared.lines)
    lines.push_back("too large to be compared, all of it may be new: " + mark(line));
  for (const std::string& line : rules.lines) lines.push_back(mark(line));
  entry.is_cut = !not_compared.is_whole || !rules.is_whole;
  if (!grown.aggregated_to.empty())
    lines.push_back("its rules become part of " + marked(grown.aggregated_to, mark, entry));
  if (!grown.aggregates.empty())
    lines.push_back("takes in the rules of the roles " + marked(grown.aggregates, mark, entry));
  for (const payload::BoundSubject& subject : grown.subjects)
    lines.push_back(mark(grown.role) + " for " + mark(subject.to_string()));
  entry.detail_count = lines.size();
  return entry;
}

Entry entry_of(const payload::ChangedObject& changed, Mark mark) {
  Entry entry{.text = mark(changed.object.to_string()) +
                      (changed.create_only ? ", only where it is not there yet" : "")};
  for (const payload::FieldChange& field : changed.changes.fields) {
    entry.details.push_back(mark(field.path) + (field.order_only ? ": another order"
                                                                 : ": " + value(field.before, mark) + " -> " +
                                                                       value(field.after, mark)));
  }
  entry.detail_count = changed.changes.count;
  return entry;
}

std::vector<Group> groups_of(const payload::ReleaseDiff& diff, Mark mark) {
  std::vector<Group> groups;
  const auto add = [&](const char* title, const auto& items, const auto& convert) {
    if (items.empty()) return;
    Group group{.title = title};
    for (const auto& item : items) group.entries.push_back(convert(item));
    groups.push_back(std::move(group));
  };
  const auto whole = [&](const auto& item) { return entry_of(item, mark); };
  const auto named = [&](const payload::ObjectId& id) { return Entry{.text = mark(id.to_string())}; };
  const auto text = [&](const std::string& name) { return Entry{.text = mark(name)}; };
  const auto moved = [&](const payload::TextChange& change) {
    return Entry{.text = mark(change.key) + ": " + value(change.before, mark) + " -> " +
                         value(change.after, mark)};
  };
  add("Definitions", diff.definitions, whole);
  add("Rights that grow", diff.rights, whole);
  add("Removed", diff.removed, named);
  add("Left behind: applied no more, and not removed", diff.left, [&](const payload::LeftObject& left) {
    return Entry{.text = mark(left.object.to_string()) + (left.why.empty() ? "" : ": " + mark(left.why))};
  });
  add("Added", diff.added, named);
  add("Changed", diff.changed, whole);
  add("Capabilities added", diff.capabilities_added, text);
  add("Capabilities gone", diff.capabilities_gone, text);
  add("Images", diff.images, moved);
  add("Metadata", diff.metadata, moved);
  return groups;
}

/// Returns the first lines of a text, as many as `limit` bytes have room for, and a line that says so.
std::string cut_at_line(const std::string& text, std::size_t limit) {
  constexpr std::string_view ending = "- and more, which is too long to be shown\n";
  if (text.size() <= limit) return text;
  if (limit <= ending.size()) return "";
  const std::size_t end = text.rfind('\n', limit - ending.size() - 1);
  return end == std::string::npos ? "" : text.substr(0, end + 1) + std::string(ending);
}

std::string update_text(const DiffReport& report) {
  if (report.from.digest == report.to.digest) return "none, it is the same image";
  return report.diff.listed ? "listed by the releases" : "not listed by the releases";
}

std::string definitions_text(const std::vector<payload::DefinitionChange>& definitions) {
  std::size_t moves = 0, give_up = 0, removed = 0;
  for (const payload::DefinitionChange& one : definitions) {
    moves += one.moves_storage() ? 1 : 0;
    removed += one.removed ? 1 : 0;
    give_up += !one.removed && !(one.served_gone.empty() && one.versions_gone.empty()) ? 1 : 0;
  }
  std::vector<std::string> parts;
  const auto add = [&](std::size_t number, const char* what) {
    if (number > 0) parts.push_back(std::to_string(number) + what);
  };
  add(moves, " with another storage version");
  add(give_up, " with fewer versions");
  add(removed, " removed");
  return join(parts, ", ");
}

/// Returns the counts, each with a word before it.
std::vector<std::vector<std::string>> summary_of(const DiffReport& report, Mark mark) {
  const payload::ReleaseDiff& diff = report.diff;
  const std::string from = mark(report.from.version.to_string()), to = mark(report.to.version.to_string());
  const auto number = [](std::size_t n, const char* what) { return std::to_string(n) + " " + what; };
  std::vector<std::vector<std::string>> rows{{"From:", from + ", " + mark(report.from.image)},
                                             {"To:", to + ", " + mark(report.to.image)},
                                             {"Update:", update_text(report)}};
  if (report.from.arch != report.to.arch)
    rows.push_back({"Architecture:", mark(report.from.arch) + " -> " + mark(report.to.arch)});
  rows.push_back(
      {"Objects:", number(diff.added.size(), "added, ") + number(diff.changed.size(), "changed, ") +
                       number(diff.removed.size(), "removed, ") + number(diff.left.size(), "left behind")});
  if (!diff.definitions.empty()) rows.push_back({"Definitions:", definitions_text(diff.definitions)});
  if (!diff.rights.empty())
    rows.push_back({"Rights:", "more by " + std::to_string(diff.rights.size()) + " roles and bindings"});
  if (!diff.images.empty()) rows.push_back({"Images:", number(diff.images.size(), "changed")});
  if (diff.left_out_before + diff.left_out_after > 0) {
    const std::string& set = report.selection.feature_set;
    rows.push_back({"Left out:", count(diff.left_out_before, "manifest") + " of " + from + " and " +
                                     std::to_string(diff.left_out_after) + " of " + to +
                                     ", not for the profile " + mark(report.selection.profile) +
                                     " with the feature set " + mark(set.empty() ? "Default" : set)});
  }
  return rows;
}

/// Returns the first entries of a group, those and their details behind a mark each. Sets `shortened` if it
/// does not show all.
std::string entries_text(const Group& group, const std::string& mark, const std::string& detail_mark,
                         bool& shortened) {
  std::string text;
  const std::size_t entries = std::min(max_entries, group.entries.size());
  for (std::size_t i = 0; i < entries; ++i) {
    const Entry& entry = group.entries[i];
    text += mark + entry.text + "\n";
    const std::size_t lines = std::min(max_details, entry.details.size());
    for (std::size_t j = 0; j < lines; ++j) text += detail_mark + entry.details[j] + "\n";
    if (entry.detail_count > lines) text += detail_mark + more(entry.detail_count, lines) + "\n";
    shortened |= entry.is_cut || entry.detail_count > lines;
  }
  if (group.entries.size() > entries) text += mark + more(group.entries.size(), entries) + "\n";
  shortened |= group.entries.size() > entries;
  return text;
}

}  // namespace

std::string to_diff_text(const DiffReport& report) {
  const command_line::Style style;
  std::string out = command_line::table(summary_of(report, plain));
  bool shortened = false;
  for (const Group& group : groups_of(report.diff, plain)) {
    out += "\n" + style.bold(group.title) + "\n" + entries_text(group, "  ", "    ", shortened);
  }
  if (report.diff.is_empty()) out += "\nNothing changes but the release's version and metadata.\n";
  if (shortened) out += "\n" + std::string(all_is_shown_by) + ".\n";
  return out;
}

std::string to_diff_markdown(const DiffReport& report) {
  std::string out = "### What the update from " + markdown_code(report.from.version.to_string()) + " to " +
                    markdown_code(report.to.version.to_string()) + " changes\n\n";
  for (const auto& row : summary_of(report, markdown_code)) out += "- " + row[0] + " " + row[1] + "\n";
  bool shortened = false;
  const std::vector<Group> groups = groups_of(report.diff, markdown_code);
  std::size_t left = groups.size();
  for (const Group& group : groups) {
    const std::string section =
        "\n#### " + group.title + "\n\n" + entries_text(group, "- ", "  - ", shortened);
    // A long group leaves room for those after it.
    const std::size_t room = (max_markdown_comment - std::min(max_markdown_comment, out.size())) / left--;
    shortened |= section.size() > room;
    out += cut_at_line(section, room);
  }
  if (report.diff.is_empty()) out += "\nNothing changes but the release's version and metadata.\n";
  if (shortened) out += "\nThere is more; " + std::string(all_is_shown_by) + " of it.\n";
  return out;
}

}  // namespace fairway::cli
