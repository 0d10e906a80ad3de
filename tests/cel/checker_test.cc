// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "cel/fixture.h"
#include "cel/syntax/parser.h"

namespace fairway::test {
namespace {

TEST(CelChecker, FindsTheTypesOfTheTable) {
  CelFixture fixture;
  std::ifstream in(FAIRWAY_SOURCE_DIR "/tests/cel/types.txt");
  std::string line;
  int count = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t arrow = line.rfind(" => ");
    ASSERT_NE(arrow, std::string::npos) << line;
    const std::string expression = line.substr(0, arrow);
    const auto parsed = cel::parse(expression);
    ASSERT_TRUE(parsed) << line;
    const auto checked = cel::check(**parsed, fixture.environment);
    ASSERT_TRUE(checked) << expression << ": " << cel::to_string(checked.error().front(), expression);
    EXPECT_EQ(to_string(*checked->type), line.substr(arrow + 4)) << expression;
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST(CelChecker, ReportsEveryErrorWithItsPlace) {
  CelFixture fixture;
  const std::string source = "nothing &&\n self.nothing == 1 &&\n  'é' + 1 == 2";
  const auto parsed = cel::parse(source);
  ASSERT_TRUE(parsed);
  const auto checked = cel::check(**parsed, fixture.environment);
  ASSERT_FALSE(checked);
  ASSERT_EQ(checked.error().size(), 3u);
  EXPECT_EQ(cel::to_string(checked.error()[0], source), "1:1: undeclared reference to 'nothing'");
  EXPECT_EQ(cel::to_string(checked.error()[1], source), "2:6: undefined field 'nothing'");
  EXPECT_EQ(cel::to_string(checked.error()[2], source),
            "3:3: found no matching overload for '_+_' applied to '(string, int)'");
}

TEST(CelChecker, RefusesLiteralsOfSeveralTypesOnceAllTypesAreKnown) {
  const std::pair<const char*, const char*> cases[] = {
      {"[dyn(i), 1]", "1:10: expected type 'dyn' but found 'int'"},
      {"[1, d, 'a']", "1:5: expected type 'int' but found 'dyn'"},
      {"{'a': s, d: s}", "1:10: expected type 'string' but found 'dyn'"},
      {"{'a': s, 'b': d}", "1:15: expected type 'string' but found 'dyn'"},
      {"optional.of('a').optMap(v, [v, d])", "1:32: expected type 'string' but found 'dyn'"},
      {"'%s %s'.format([d, 1])", ""},
      {"[dyn(i), dyn('a')]", ""},
  };
  for (const auto& [expression, wanted] : cases) {
    CelFixture fixture;
    const auto parsed = cel::parse(expression);
    ASSERT_TRUE(parsed) << expression;
    const auto checked = cel::check(**parsed, fixture.environment);
    EXPECT_EQ(checked ? "" : cel::to_string(checked.error().front(), expression), wanted) << expression;
  }
}

TEST(CelChecker, RefusesTemplatesThatDoNotFitTheirItems) {
  const std::pair<const char*, const char*> cases[] = {
      {"'%s %%'.format([s])", ""},
      {"'%s'.format([dyn(i), 1])", "1:12: too many arguments supplied to string.format (expected 1, got 2)"},
      {"'%s %s'.format([s])", "1:15: index 1 out of range"},
      {"'%'.format([s])", "1:11: unexpected end of string"},
      {"'%y'.format([s])", "1:12: could not parse formatting clause: unrecognized formatting clause \"y\""},
      {"'%d'.format([s])",
       "1:14: error during formatting: decimal clause can only be used on integers, was given string"},
      {"'%.2f'.format([i])",
       "1:16: error during formatting: fixed-point clause can only be used on doubles, was given int"},
      {"'%.2f %x %b %o %e %X'.format([1.5, s, b, i, 2.0, b'a'])", ""},
      {"'%b'.format([s])",
       "1:14: error during formatting: only integers and bools can be formatted as binary, was given string"},
      {"'%x'.format([b])",
       "1:14: error during formatting: only integers, byte buffers, and strings can be "
       "formatted as hex, was given bool"},
      {"'%s'.format([self])",
       "1:14: error during formatting: string clause can only be used on strings, "
       "bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, "
       "was given widget"},
      {"'%s'.format([[s, self]])",
       "1:18: error during formatting: string clause can only be used on strings, "
       "bools, bytes, ints, doubles, maps, lists, types, durations, and "
       "timestamps, was given widget"},
      {"'%d'.format([d])", ""},
      {"'%d'.format(ls)", ""},
      {"s.format([i])", ""},
  };
  for (const auto& [expression, wanted] : cases) {
    CelFixture fixture;
    const auto parsed = cel::parse(expression);
    ASSERT_TRUE(parsed) << expression;
    const auto checked = cel::check(**parsed, fixture.environment);
    EXPECT_EQ(checked ? "" : cel::to_string(checked.error().front(), expression), wanted) << expression;
  }
}

TEST(CelParser, LimitsDepthAndLength) {
  EXPECT_TRUE(cel::parse(std::string(200, '(') + "1" + std::string(200, ')')));
  const auto deep = cel::parse(std::string(300, '(') + "1" + std::string(300, ')'));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().message, "expression is nested deeper than 250");
  std::string sum = "1", choice = "true";
  for (int i = 0; i < 300; ++i) {
    sum += " + 1";
    choice += " || true";
  }
  EXPECT_FALSE(cel::parse(sum));
  // A chain of && or || is one node.
  EXPECT_TRUE(cel::parse(choice));
  EXPECT_FALSE(cel::parse("'" + std::string(100'000, 'x') + "'"));
}

TEST(CelProgram, NeedsNeitherTreeNorEnvironment) {
  CelFixture fixture;
  std::optional<cel::Program> program;
  {
    const std::string source = "self.ports.filter(p, p.name.matches('^http')).map(p, p.port + 1)";
    const auto parsed = cel::parse(source);
    const auto checked = cel::check(**parsed, fixture.environment);
    ASSERT_TRUE(checked);
    program.emplace(**parsed, fixture.environment, &*checked);
  }
  for (int i = 0; i < 3; ++i) {
    cel::Scratch scratch;
    const cel::Outcome outcome = program->evaluate(fixture.values, scratch);
    EXPECT_EQ(to_string(outcome.value, scratch), "[81, 444]");
  }
}

TEST(CelProgram, ScratchIsReusedAfterReset) {
  CelFixture fixture;
  const auto parsed = cel::parse("ls.map(x, x + x)");
  const cel::Program program(**parsed, fixture.environment);
  cel::Scratch scratch(std::size_t{64} << 10);
  for (int i = 0; i < 10'000; ++i) {
    const cel::Outcome outcome = program.evaluate(fixture.values, scratch);
    ASSERT_TRUE(outcome.value.is(cel::ValueKind::list)) << i;
    scratch.reset();
  }
}

TEST(CelProgram, ErrorNamesItsPlace) {
  CelFixture fixture;
  const auto parsed = cel::parse("1 + 2 +\n m['x'].y.size()");
  const cel::Program program(**parsed, fixture.environment);
  cel::Scratch scratch;
  const cel::Outcome outcome = program.evaluate(fixture.values, scratch);
  ASSERT_TRUE(outcome.value.is(cel::ValueKind::error));
  EXPECT_EQ(outcome.value.error().message, "no such key: x");
  EXPECT_EQ(outcome.value.error().offset, 9u);
}

}  // namespace
}  // namespace fairway::test
