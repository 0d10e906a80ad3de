// SPDX-License-Identifier: Apache-2.0

#include "promql/engine/exposition_text.h"

#include <string_view>

#include "base/go_text.h"
#include "promql/engine/series_ends.h"
#include "promql/parser/matcher.h"

namespace fairway::promql {

namespace {

void append_escaped(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

std::string series_text(const LabelSet& labels) {
  std::string name, inner;
  for (const auto& [label, value] : labels.labels()) {
    if (label == metric_name_label && is_plain_metric_name(value)) {
      name = value;
      continue;
    }
    if (!inner.empty()) inner += ',';
    if (label == metric_name_label) {
      append_escaped(inner, value);
      continue;
    }
    if (is_plain_label_name(label)) {
      inner += label;
    } else {
      append_escaped(inner, label);
    }
    inner += '=';
    append_escaped(inner, value);
  }
  return name + (inner.empty() ? "" : "{" + inner + "}");
}

void append_sample(std::string& out, const std::string& series, double value, Timestamp time) {
  out += series + " " + go_plain_number(value) + " " + std::to_string(time) + "\n";
}

void append_series_end(std::string& out, const std::string& series, Timestamp time) {
  out += std::string(series_end_mark) + series + " " + std::to_string(time) + "\n";
}

}  // namespace fairway::promql
