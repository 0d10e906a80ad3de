// SPDX-License-Identifier: Apache-2.0

// Evaluates each rule of a file on an object, again and again. Prints the nanoseconds of one evaluation and
// what all rules cost together, which must be what the rival counts.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cel/checker/checker.h"
#include "cel/eval/program.h"
#include "cel/syntax/parser.h"

int main(int argc, char** argv) {
  using namespace fairway;
  using namespace fairway::cel;
  if (argc != 4) {
    std::cerr << "usage: bench_cel RULES OBJECT TIMES\n";
    return 2;
  }
  const auto rules = read_file(argv[1]);
  const auto object = read_file(argv[2]);
  if (!rules || !object) {
    std::cerr << (rules ? object.error().message : rules.error().message) << '\n';
    return 1;
  }
  const auto document = json::parse(*object);
  if (!document) {
    std::cerr << document.error().message << '\n';
    return 1;
  }
  Environment environment(kubernetes_functions());
  const TypePtr type = map_of(simple_type(TypeKind::string), simple_type(TypeKind::dyn));
  environment.declare("self", type);
  std::vector<Program> programs;
  for (const std::string_view rule : split(*rules, '\n')) {
    if (rule.empty()) continue;
    const auto parsed = parse(rule);
    if (!parsed) {
      std::cerr << to_string(parsed.error(), rule) << '\n';
      return 1;
    }
    const auto checked = check(**parsed, environment);
    if (!checked) {
      std::cerr << to_string(checked.error().front(), rule) << '\n';
      return 1;
    }
    programs.emplace_back(**parsed, environment, &*checked);
  }
  Scratch scratch;
  std::uint64_t cost = 0;
  const auto once = [&] {
    for (const Program& program : programs) {
      const Value self = Value::of_json(*document, *type, scratch);
      const Outcome outcome = program.evaluate({&self, 1}, scratch);
      if (!outcome.value.is_true()) return false;
      cost += outcome.cost;
      scratch.reset();
    }
    return true;
  };
  if (!once()) {
    std::cerr << "a rule is not true\n";
    return 1;
  }
  const std::uint64_t cost_of_all = cost;
  const int times = std::stoi(argv[3]);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) once();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.0f %llu\n",
              took.count() / (static_cast<double>(times) * static_cast<double>(programs.size())),
              static_cast<unsigned long long>(cost_of_all));
  return 0;
}
