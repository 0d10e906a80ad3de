#include "promql/regex.h"

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

}  // namespace

std::string anchored_regex(std::string_view regex, Dialect dialect) {
  return (dialect == Dialect::prometheus3 ? "^(?s:" : "^(?:") + std::string(regex) + ")$";
}

std::expected<std::unique_ptr<const re2::RE2>, std::string> compile_regex(std::string_view regex,
                                                                          Dialect dialect) {
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
  return std::unexpected("error parsing regexp: " + std::string(go_error(*compiled)) + ": `" +
                         printable(part, 1000) + "`");
}

}  // namespace fairway::promql
