// The parser's inside: a reader of tokens that remembers the first error, and one method a rule of the
// grammar.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "promql/internal/parser/lexer.h"
#include "promql/parser/parser.h"

namespace fairway::promql {

/// Recursive descent. A method that fails returns nullptr, false or nothing after setting the error; nothing
/// is read after that.
///
/// Prometheus's own parser is made by yacc: where a token does not fit, it names the innermost rule under way
/// that has a rule for errors. `Rule` is that stack.
class ParserState {
 public:
  ParserState(std::string_view query, Dialect dialect)
      : query_(query), dialect_(dialect), lexer_(query, dialect) {}

  ExpressionPtr whole_query();
  ParseError take_error() { return std::move(*error_); }

 private:
  /// Where an unexpected token is reported to stand, and what would have fitted.
  struct Place {
    std::string_view context;
    std::string_view expected;
  };
  class Rule;
  struct Signs {
    double product = 1;
    int count = 0;
  };

  // Tokens.
  const Token& peek();
  Token take();
  bool next_is(TokenKind kind) { return peek().kind == kind; }
  bool accept(TokenKind kind);
  bool begins_operand(TokenKind kind);

  // Errors: all return false or nullptr through the caller.
  std::nullptr_t wrong(Span span, std::string message, std::string feature = {});
  std::nullptr_t unexpected();
  std::nullptr_t unexpected(Place place);
  Signs take_signs();
  std::nullptr_t refuse_duration_expression(Span span);
  std::nullptr_t duration_expression(Span first, Place place);

  // Expressions (parser.cc).
  ExpressionPtr expression(int lowest_precedence);
  ExpressionPtr operand(int lowest_precedence);
  ExpressionPtr operand_without_suffix();
  ExpressionPtr parenthesised();
  ExpressionPtr number();
  ExpressionPtr string();
  ExpressionPtr make(Expression::Node node, Span span, ValueType type);

  // Operators and calls (parser_operators.cc).
  ExpressionPtr binary(ExpressionPtr lhs, int precedence);
  bool matching(Binary& node);
  bool fill_modifiers(bool& present);
  std::optional<std::vector<std::string>> grouping_labels();
  bool grouping_label(std::vector<std::string>& labels);
  std::optional<std::vector<ExpressionPtr>> arguments();
  ExpressionPtr aggregation(const Token& op);
  ExpressionPtr call(const Token& name);

  // Selectors and what follows them (parser_selectors.cc).
  ExpressionPtr selector(std::optional<Token> name);
  bool label_matchers(VectorSelector& selector, Span& span);
  std::optional<Matcher> label_matcher();
  ExpressionPtr suffixes(ExpressionPtr expression);
  ExpressionPtr offset(ExpressionPtr expression);
  ExpressionPtr at(ExpressionPtr expression);
  bool at_word(TimeShift& time);
  ExpressionPtr range_or_subquery(ExpressionPtr expression);
  std::optional<Nanoseconds> positive_duration(Place place);
  std::optional<double> seconds(const Token& token);
  TimeShift* shift_of(Expression& expression, const char* what);

  std::string_view query_;
  Dialect dialect_;
  Lexer lexer_;
  std::optional<Token> ahead_;
  std::size_t last_end_ = 0;
  std::optional<ParseError> error_;
  Place place_;
  int nesting_ = 0;
};

/// Makes a place the one that errors name, as long as the object lives.
class ParserState::Rule {
 public:
  Rule(ParserState& parser, Place place) : parser_(parser), before_(parser.place_) { parser.place_ = place; }
  ~Rule() { parser_.place_ = before_; }
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

 private:
  ParserState& parser_;
  Place before_;
};

}  // namespace fairway::promql
