#include "promql/regex.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace fairway::promql {

namespace {

/// What Go's regexp/syntax package calls each kind of error.
std::string_view go_error(const re2::RE2& expression) {
  switch (expression.error_code()) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "expression too large";
  }
}

std::string message_of(std::string_view kind, std::string_view part) {
  return "error parsing regexp: " + std::string(kind) + ": `" + printable(part, 1000) + "`";
}

/// The length of a character class that begins at the front of `text`; all of it where the class does not
/// end.
std::size_t class_length(std::string_view text) {
  std::size_t at = text.starts_with("[^") ? 2 : 1;
  for (bool first = true; at < text.size(); first = false) {
    if (text[at] == ']' && !first) return at + 1;
    if (text.substr(at).starts_with("[:")) {
      const std::size_t end = text.find(":]", at + 2);
      at = end == std::string_view::npos ? at + 1 : end + 2;
    } else {
      at += text[at] == '\\' ? 2 : 1;
    }
  }
  return text.size();
}

/// The expression as RE2 reads what Go means by it, where the two languages differ. Go 1.22 (Prometheus 3)
/// knows
/// `(?<name>...)`, which RE2 got later than Debian 12; no Go knows `\C`, and names of groups are ASCII.
std::expected<std::string, std::string> as_go_reads(std::string_view regex, Dialect dialect) {
  std::string out;
  for (std::size_t at = 0; at < regex.size();) {
    const std::string_view rest = regex.substr(at);
    std::size_t length = 1;
    std::size_t name = 0;
    if (rest.starts_with("\\Q")) {
      const std::size_t end = rest.find("\\E");
      length = end == std::string_view::npos ? rest.size() : end + 2;
    } else if (rest.starts_with("\\C")) {
      return std::unexpected(message_of("invalid escape sequence", "\\C"));
    } else if (rest.front() == '\\') {
      length = std::min<std::size_t>(2, rest.size());
    } else if (rest.front() == '[') {
      length = class_length(rest);
    } else if (rest.starts_with("(?<")) {
      if (dialect == Dialect::prometheus2)
        return std::unexpected(message_of("invalid or unsupported Perl syntax", "(?<"));
      name = 3;
    } else if (rest.starts_with("(?P<")) {
      name = 4;
    }
    if (name == 0) {
      out += rest.substr(0, length);
      at += length;
      continue;
    }
    const std::size_t end = rest.find('>');
    // A name without an end has an error of its own.
    if (end == std::string_view::npos) return out + "(?P<" + std::string(rest.substr(name));
    const std::string_view text = rest.substr(name, end - name);
    const bool plain = std::ranges::all_of(
        text, [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_'); });
    if (text.empty() || !plain)
      return std::unexpected(message_of("invalid named capture", rest.substr(0, end + 1)));
    out += "(?P<" + std::string(text) + ">";
    at += end + 1;
  }
  return out;
}

}  // namespace

std::string anchored_regex(std::string_view regex, Dialect dialect) {
  return (dialect == Dialect::prometheus3 ? "^(?s:" : "^(?:") + std::string(regex) + ")$";
}

std::expected<std::unique_ptr<const re2::RE2>, std::string> compile_regex(std::string_view text,
                                                                          Dialect dialect) {
  if (!is_utf8(text)) return std::unexpected(message_of("invalid UTF-8", text));
  const auto read = as_go_reads(text, dialect);
  if (!read) return std::unexpected(read.error());
  const std::string& regex = *read;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  const std::string anchored = anchored_regex(regex, dialect);
  // Both read the expression by itself too, to which `a)|(b` is wrong; 3 does so first, so that its errors
  // show no wrapping.
  std::string shown = dialect == Dialect::prometheus3 ? std::string(regex) : anchored;
  std::string other = dialect == Dialect::prometheus3 ? anchored : std::string(regex);
  auto compiled = std::make_unique<const re2::RE2>(shown, options);
  if (compiled->ok()) {
    auto second = std::make_unique<const re2::RE2>(other, options);
    if (second->ok()) return dialect == Dialect::prometheus3 ? std::move(second) : std::move(compiled);
    compiled = std::move(second);
    shown = std::move(other);
  }
  const re2::RE2::ErrorCode code = compiled->error_code();
  std::string_view part = compiled->error_arg();
  if (code == re2::RE2::ErrorMissingParen || code == re2::RE2::ErrorUnexpectedParen ||
      code == re2::RE2::ErrorPatternTooLarge)
    part = shown;
  if (code == re2::RE2::ErrorTrailingBackslash) part = "";
  return std::unexpected(message_of(go_error(*compiled), part));
}

}  // namespace fairway::promql
