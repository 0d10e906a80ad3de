// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/picture_text.h"

#include <string_view>

#include "base/json.h"
#include "base/text.h"

namespace fairway::graph {
namespace {

/// Most names beside one line; more would hide the picture.
constexpr std::size_t max_labels = 3;
constexpr std::size_t max_label_bytes = 60;

std::vector<std::string> cut(const std::vector<std::string>& labels) {
  std::vector<std::string> shown;
  for (const auto& label : labels) {
    if (shown.size() == max_labels && labels.size() > max_labels) {
      shown.push_back("and " + std::to_string(labels.size() - max_labels) + " more");
      break;
    }
    shown.push_back(printable(label, max_label_bytes));
  }
  return shown;
}

/// Returns a quoted label for Graphviz, which reads backslashes in labels as line ends and names: each
/// backslash is doubled, and the lines are joined by `separator`.
std::string dot_text(const std::vector<std::string>& lines, std::string_view separator = "\\n") {
  std::string out = "\"";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += separator;
    for (const char c : lines[i]) {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out + "\"";
}

/// Returns a quoted text for Mermaid, which knows `#name;` and `#number;` in quoted texts, and no
/// backslashes.
std::string mermaid_text(const std::vector<std::string>& lines, std::string_view separator = "<br/>") {
  std::string out = "\"";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += separator;
    for (const char c : lines[i]) {
      if (static_cast<unsigned char>(c) < 0x20) {
        out += ' ';
      } else if (std::string_view("\"#<>&`;").find(c) != std::string_view::npos) {
        out += '#' + std::to_string(static_cast<int>(c)) + ';';
      } else {
        out += c;
      }
    }
  }
  return out + "\"";
}

std::string node_name(std::uint32_t node) {
  return "n" + std::to_string(node);
}

std::string to_dot(const Picture& picture) {
  std::string out =
      "digraph fairway {\n"
      "  rankdir=LR;\n"
      "  ranksep=1.2;\n"
      "  nodesep=0.15;\n"
      "  labelloc=t;\n"
      "  fontname=\"Helvetica\";\n"
      "  fontsize=14;\n"
      "  node [shape=box, style=\"rounded,filled\", color=\"#5b6b7b\", fillcolor=\"#f4f6f8\", "
      "fontname=\"Helvetica\", "
      "fontsize=11, height=0.3];\n"
      "  edge [color=\"#2f6f4f\", fontcolor=\"#2f6f4f\", fontname=\"Helvetica\", fontsize=9, "
      "arrowsize=0.7];\n";
  if (!picture.title.empty()) out += "  label=" + dot_text({picture.title}) + ";\n";
  for (std::uint32_t i = 0; i < picture.nodes.size(); ++i) {
    out += "  " + node_name(i) + " [label=" + dot_text(picture.nodes[i].lines);
    if (picture.nodes[i].asked_for) out += ", fillcolor=\"#cfe3f5\", penwidth=2";
    out += "];\n";
  }
  for (const auto& edge : picture.edges) {
    out += "  " + node_name(edge.from) + " -> " + node_name(edge.to);
    std::vector<std::string> attributes;
    if (edge.conditional) attributes.emplace_back(R"(style=dashed, color="#b5542b", fontcolor="#8a3b1a")");
    if (!edge.labels.empty()) {
      attributes.push_back("label=" + dot_text(cut(edge.labels)));
      // The whole list, for those who point at the line in an SVG.
      attributes.push_back("tooltip=" + dot_text({join(edge.labels, ", ")}));
    }
    if (!attributes.empty()) out += " [" + join(attributes, ", ") + "]";
    out += ";\n";
  }
  return out + "}\n";
}

std::string to_mermaid(const Picture& picture) {
  std::string out;
  if (!picture.title.empty()) {
    // YAML's double-quoted texts take JSON's as they are.
    out += "---\ntitle: ";
    json::append_quoted(out, printable(picture.title));
    out += "\n---\n";
  }
  out += "flowchart LR\n";
  for (std::uint32_t i = 0; i < picture.nodes.size(); ++i) {
    out += "  " + node_name(i) + "[" + mermaid_text(picture.nodes[i].lines) + "]";
    if (picture.nodes[i].asked_for) out += ":::asked";
    out += "\n";
  }
  for (const auto& edge : picture.edges) {
    out += "  " + node_name(edge.from);
    const auto label = edge.labels.empty() ? "" : "|" + mermaid_text(cut(edge.labels)) + "|";
    out += (edge.conditional ? " -.->" : " -->") + label + " " + node_name(edge.to) + "\n";
  }
  return out + "  classDef asked stroke-width:3px\n";
}

}  // namespace

std::string to_text(const Picture& picture, PictureFormat format) {
  return format == PictureFormat::dot ? to_dot(picture) : to_mermaid(picture);
}

}  // namespace fairway::graph
