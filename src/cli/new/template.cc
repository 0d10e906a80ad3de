// SPDX-License-Identifier: Apache-2.0

#include "cli/new/template.h"

#include <cstddef>
#include <string>
#include <utility>

#include "base/text.h"

namespace fairway::cli {

namespace {

/// Values from the outermost to the innermost list.
using TemplateScopes = std::vector<const TemplateValues*>;

template <class T>
const T* find_value(const TemplateScopes& scopes,
                    std::map<std::string, T, std::less<>> TemplateValues::* kind, std::string_view name) {
  for (std::size_t i = scopes.size(); i-- > 0;) {
    const auto& values = scopes[i]->*kind;
    if (const auto found = values.find(name); found != values.end()) return &found->second;
  }
  return nullptr;
}

class TemplateRenderer {
 public:
  explicit TemplateRenderer(std::string_view text) : lines_(split(text, '\n')) {
    if (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
  }

  Result<std::string> render(const TemplateValues& values) {
    if (auto done = render_block(0, {&values}, true); !done) return fail(done.error());
    return std::move(out_);
  }

 private:
  static bool is_directive(std::string_view line) { return line.starts_with('%') && !line.starts_with("%{"); }

  std::unexpected<Error> wrong(std::size_t line, const std::string& what) const {
    return fail(ErrorCode::internal, "template, line " + std::to_string(line + 1) + ": " + what);
  }

  /// Renders from `line` to the %else or %end of the block, and returns its line; at the outermost level, to
  /// the end of the text. Without `wanted` it only looks for the end.
  Result<std::size_t> render_block(std::size_t line, const TemplateScopes& scopes, bool wanted) {
    const bool outermost = scopes.size() == 1 && depth_ == 0;
    for (; line < lines_.size(); ++line) {
      const std::string_view text = lines_[line];
      if (!is_directive(text)) {
        if (!wanted) continue;
        if (auto done = render_line(line, scopes); !done) return fail(done.error());
      } else if (text == "%end" || text == "%else") {
        if (outermost) return wrong(line, std::string(text) + " without %if or %each");
        return line;
      } else {
        ++depth_;
        const auto end = render_inner(line, scopes, wanted);
        --depth_;
        if (!end) return end;
        line = *end;
      }
    }
    if (!outermost) return wrong(line, "%end is missing");
    return line;
  }

  /// Renders the block that begins in `line`, and returns the line of its %end.
  Result<std::size_t> render_inner(std::size_t line, const TemplateScopes& scopes, bool wanted) {
    if (lines_[line].starts_with("%if ")) return render_choice(line, scopes, wanted);
    if (lines_[line].starts_with("%each ")) return render_list(line, scopes, wanted);
    return wrong(line, "unknown: " + std::string(lines_[line]));
  }

  Result<std::size_t> render_choice(std::size_t line, const TemplateScopes& scopes, bool wanted) {
    const std::string_view name = lines_[line].substr(4);
    const bool* fact = find_value(scopes, &TemplateValues::facts, name);
    if (wanted && fact == nullptr) return wrong(line, "no fact " + std::string(name));
    auto end = render_block(line + 1, scopes, wanted && *fact);
    if (end && lines_[*end] == "%else") {
      end = render_block(*end + 1, scopes, wanted && !*fact);
      if (end && lines_[*end] == "%else") return wrong(*end, "a second %else");
    }
    return end;
  }

  Result<std::size_t> render_list(std::size_t line, const TemplateScopes& scopes, bool wanted) {
    const std::string_view name = lines_[line].substr(6);
    const auto* items = find_value(scopes, &TemplateValues::lists, name);
    if (wanted && items == nullptr) return wrong(line, "no list " + std::string(name));
    auto end = render_block(line + 1, scopes, false);
    if (end && lines_[*end] == "%else") return wrong(*end, "%else in %each");
    if (!end || !wanted) return end;
    for (const TemplateValues& item : *items) {
      TemplateScopes inner = scopes;
      inner.push_back(&item);
      end = render_block(line + 1, inner, true);
      if (!end) return end;
    }
    return end;
  }

  Result<void> render_line(std::size_t line, const TemplateScopes& scopes) {
    std::string_view rest = lines_[line];
    for (std::size_t begin = rest.find("%{"); begin != std::string_view::npos; begin = rest.find("%{")) {
      const std::size_t end = rest.find('}', begin);
      if (end == std::string_view::npos) return wrong(line, "} is missing");
      const std::string_view name = rest.substr(begin + 2, end - begin - 2);
      const std::string* text = find_value(scopes, &TemplateValues::texts, name);
      if (text == nullptr) return wrong(line, "no text " + std::string(name));
      out_ += rest.substr(0, begin);
      out_ += *text;
      rest.remove_prefix(end + 1);
    }
    out_ += rest;
    out_ += '\n';
    return {};
  }

  std::vector<std::string_view> lines_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

Result<std::string> render_template(std::string_view text, const TemplateValues& values) {
  return TemplateRenderer(text).render(values);
}

}  // namespace fairway::cli
