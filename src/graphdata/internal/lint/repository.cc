// SPDX-License-Identifier: Apache-2.0

// Lint: unused files, the schema's version, raw metadata, unknown keys.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "graphdata/internal/limits.h"
#include "graphdata/internal/lint/context.h"
#include "graphdata/internal/schema.h"
#include "graphdata/raw_metadata.h"

namespace fairway::graphdata {

namespace {

constexpr std::array<std::string_view, 8> blocked_edge_keys = {
    "to", "from", "url", "name", "message", "matchingRules", "fixedIn", "autoExtend"};
constexpr std::array<std::string_view, 5> channel_keys = {"name", "versions", "tombstones", "feeder",
                                                          "description"};
constexpr std::array<std::string_view, 4> feeder_keys = {"name", "filter", "delay", "errata"};

graph::Place top_of(const std::string& file) {
  return {.file = file, .line = 1, .column = 1};
}

std::string letters_of(std::string_view key) {
  std::string letters;
  for (const char c : to_lower(key)) {
    if (c != '-' && c != '_' && c != ' ') letters += c;
  }
  return letters;
}

template <std::size_t count>
void check_keys(LintContext& context, const std::string& file, const yaml::Node& mapping,
                const std::array<std::string_view, count>& known) {
  for (const yaml::Entry& entry : mapping.entries) {
    if (!entry.key.is_scalar() || std::ranges::find(known, entry.key.scalar) != known.end()) continue;
    const auto meant = std::ranges::find(known, letters_of(entry.key.scalar), letters_of);
    context.add(
        "unknown-key", place_at(file, entry.key.mark), entry.key.scalar, "this key means nothing here",
        meant != known.end() ? "write '" + std::string(*meant) + "'" : "remove it, or fix its spelling");
  }
}

void check_file(LintContext& context, const std::string& path) {
  if (!is_yaml(path)) return;
  if (!counts(path)) {
    if (path.starts_with("internal-channels/")) return;
    context.add("file-unread", top_of(path), "",
                "this file is not read: it is hidden, or in a folder of its own",
                "move it up beside the others, or remove it");
  } else if (path.starts_with("channels/") && !is_channel(path)) {
    context.add("channel-yml", top_of(path), "",
                "this channel file is not read: its name does not end in .yaml", "rename it to .yaml");
  } else if (is_blocked_edge(path) && !path.ends_with(".yaml")) {
    context.add(
        "yml-blocked-edge", top_of(path), "",
        "Fairway reads this file like a .yaml, but today's service does not: there its updates stay open",
        "rename it to .yaml");
  }
}

bool is_folder(std::string_view path) {
  return path == "channels" || path == "blocked-edges" || path == "raw" || path == "signatures";
}

/// Reports a link. A folder is read through its links, but a tree of Git is not: their targets are elsewhere.
void check_link(LintContext& context, const std::string& path) {
  if (!is_refused_as_link(path)) return;
  context.add(
      "file-link", top_of(path), "",
      "Git holds a link or a submodule here: sources that are Git repositories refuse all of the data for it",
      is_folder(path) ? "commit the folder itself" : "commit the file itself");
}

// The enhancement of docs/risks.md, section Enhanced graph-data schema for blocking edges:
// the properties came with 1.1.0.
void check_schema(LintContext& context) {
  const Result<Version> schema = read_schema_version(context.inputs.files);
  if (!schema) {
    context.add("schema-version", top_of("version"), "", schema.error().message,
                "write 1.2.0 into the file version");
    return;
  }
  const bool uses_risks = std::ranges::any_of(context.blocked_edges, [](const BlockedEdgeFile& file) {
    return file.faults.empty() && file.block.effect == graph::Block::Effect::conditional;
  });
  if (uses_risks && schema->minor() == 0) {
    context.add("schema-version", top_of("version"), schema->to_string(),
                "blocked edges have url, name, message or matchingRules, which schema 1.0 does not know",
                "write 1.1.0 or later");
  }
}

void check_metadata(LintContext& context) {
  for (const auto& [fault, edges] : read_raw_metadata(context.inputs.files, context.budget).misunderstood)
    context.add(fault.rule, fault.place, fault.text, fault.message, fault.fix);
}

}  // namespace

bool is_refused_as_link(std::string_view path) {
  return is_folder(path) || counts(path);
}

void lint_repository(LintContext& context) {
  for (const auto& [path, text] : context.inputs.files) check_file(context, path);
  for (const std::string& path : context.inputs.links) check_link(context, path);
  check_schema(context);
  check_metadata(context);
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    if (const yaml::Node* mapping = file.mapping())
      check_keys(context, file.file, *mapping, blocked_edge_keys);
  }
  for (const ChannelFile& file : context.channels) {
    if (file.parsed.documents.empty()) continue;
    const yaml::Node& mapping = file.parsed.documents.front();
    check_keys(context, file.file, mapping, channel_keys);
    if (const yaml::Node* feeder = mapping.find("feeder"))
      check_keys(context, file.file, *feeder, feeder_keys);
  }
}

}  // namespace fairway::graphdata
