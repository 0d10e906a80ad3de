// SPDX-License-Identifier: Apache-2.0

// The test vectors of cel.dev/expr (tests/simple/testdata), read from the folder $FAIRWAY_CEL_VECTORS. Prints
// counts for each file. What CRDs do not have (protobuf messages, enums, libraries of other environments) is
// counted apart.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "cel/checker/checker.h"
#include "cel/eval/program.h"
#include "cel/syntax/parser.h"
#include "conformance/cel/expected_value.h"
#include "conformance/cel/textproto.h"

namespace {

using namespace fairway;
using namespace fairway::cel;
using fairway::test::TextField;
using fairway::test::TextMessage;

struct Counts {
  int passed = 0, failed = 0, apart = 0;
};

/// Returns whether anything in a message has a name or a text of another environment.
bool mentions(const TextMessage& message, const std::vector<std::string_view>& words) {
  for (const TextField& field : message.fields) {
    for (const std::string_view word : words)
      if (field.name.find(word) != std::string::npos || field.scalar.find(word) != std::string::npos)
        return true;
    if (field.message && mentions(*field.message, words)) return true;
  }
  return false;
}

bool is_apart(const std::string& file, const std::string& section, const TextMessage& test) {
  static const std::set<std::string> files = {"proto2",   "proto3",    "proto2_ext",   "enums",
                                              "wrappers", "block_ext", "bindings_ext", "encoders_ext",
                                              "math_ext", "unknowns"};
  if (files.contains(file)) return true;
  // Of version 3 and later of the strings extension.
  if (file == "string_ext" && section == "reverse") return true;
  static const std::vector<std::string_view> words = {"TestAllTypes",
                                                      "NestedTestAllTypes",
                                                      "object_value",
                                                      "enum_value",
                                                      "cel.expr.conformance",
                                                      "google.protobuf.Any",
                                                      "google.protobuf.Value",
                                                      "google.protobuf.Struct",
                                                      "google.protobuf.List",
                                                      "google.protobuf.Int",
                                                      "google.protobuf.UInt",
                                                      "google.protobuf.Bool",
                                                      "google.protobuf.Bytes",
                                                      "google.protobuf.Float",
                                                      "google.protobuf.Double",
                                                      "google.protobuf.String",
                                                      "google.protobuf.Null",
                                                      "wrapper",
                                                      "well_known",
                                                      "cel.bind",
                                                      "math.",
                                                      "base64.",
                                                      "proto.",
                                                      "NullValue",
                                                      "google.protobuf.Timestamp{",
                                                      "google.protobuf.Duration{"};
  // Functions that only the vectors declare.
  for (const TextField* declaration : test.all("type_env"))
    if (declaration->message->find("function")) return true;
  // An error only since a later release than that of Kubernetes 1.36.
  const std::string expression = test.text("expr");
  if (expression == "lists.range(-1)" || expression.find("ndexOf('a', 30)") != std::string::npos) return true;
  // cel-go finds nothing where the vectors want an error.
  if (expression == "{'null_key': dyn(null)}.?null_key.invalid.hasValue()" ||
      expression == "{true: dyn(0)}[?true].absent.hasValue()")
    return true;
  // Kubernetes takes no IPv4 address in an IPv6 address.
  if (test.text("expr").find("::ffff:c0a8") != std::string::npos) return true;
  return mentions(test, words);
}

/// Returns the reason why a test fails; empty if it passes.
std::string run(const TextMessage& test) {
  Environment environment(kubernetes_functions());
  environment.set_container(test.text("container"));
  Scratch scratch;
  std::vector<Value> values;
  test::Keep keep;
  for (const TextField* declaration : test.all("type_env")) {
    const TextMessage& ident = declaration->message->message("ident");
    if (!declaration->message->find("ident")) continue;
    const TypePtr type = test::type_of_message(ident.message("type"));
    if (!type) return "the type of " + declaration->message->text("name") + " is not understood";
    environment.declare(declaration->message->text("name"), type);
    // Without a value the variable is unbound.
    const EvaluationError* unbound = keep.error("no such attribute: " + declaration->message->text("name"));
    values.push_back(Value::error(unbound));
  }
  for (const TextField* binding : test.all("bindings")) {
    const std::string name = binding->message->text("key");
    const TextMessage& holder = binding->message->message("value");
    const Value value = test::value_of_message(holder.message("value"), scratch, keep);
    auto place = environment.find_variable(name);
    if (!place) {
      place = environment.declare(name, simple_type(TypeKind::dyn));
      values.emplace_back();
    }
    values[*place] = value;
  }

  const std::string source = test.text("expr");
  const bool wants_error = test.find("eval_error") || test.find("any_eval_errors");
  ParseOptions parse_options;
  parse_options.quoted_fields = true;
  const auto parsed = parse(source, parse_options);
  if (!parsed) return wants_error ? "" : "parse: " + to_string(parsed.error(), source);
  std::optional<Checked> checked;
  if (test.text("disable_check") != "true") {
    CheckOptions options;
    options.homogeneous_literals = false;
    options.fitting_templates = false;
    auto result = check(**parsed, environment, options);
    if (!result) return wants_error ? "" : "check: " + to_string(result.error().front(), source);
    checked = std::move(*result);
    if (const TextMessage& typed = test.message("typed_result"); typed.find("deduced_type")) {
      const TypePtr wanted = test::type_of_message(typed.message("deduced_type"));
      if (!wanted) return "the deduced type is not understood";
      if (to_string(*wanted) != to_string(*checked->type))
        return "type " + to_string(*checked->type) + ", not " + to_string(*wanted);
    }
  }
  if (test.text("check_only") == "true") return "";
  const Program program(**parsed, environment, checked ? &*checked : nullptr);
  const Outcome outcome = program.evaluate(values, scratch, UINT64_MAX);
  const std::string got = to_string(outcome.value, scratch);
  if (wants_error) return outcome.value.is(ValueKind::error) ? "" : "got " + got + ", not an error";
  const TextMessage* wanted_message = &test.message("value");
  if (test.find("typed_result")) wanted_message = &test.message("typed_result").message("result");
  Value wanted = Value::boolean(true);
  if (!wanted_message->fields.empty()) wanted = test::value_of_message(*wanted_message, scratch, keep);
  if (!test::identical(outcome.value, wanted, scratch))
    return "got " + got + ", not " + to_string(wanted, scratch);
  return "";
}

}  // namespace

int main() {
  const char* folder = std::getenv("FAIRWAY_CEL_VECTORS");
  if (!folder) {
    std::cerr << "error: set FAIRWAY_CEL_VECTORS to tests/simple/testdata of cel.dev/expr\n";
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".textproto") files.push_back(entry.path());
  std::ranges::sort(files);
  Counts all;
  for (const std::filesystem::path& path : files) {
    const auto text = read_file(path);
    const auto message = text ? test::parse_textproto(*text) : Result<TextMessage>(fail(text.error()));
    if (!message) {
      std::cerr << path.filename().string() << ": " << message.error().message << '\n';
      return 1;
    }
    const std::string file = path.stem().string();
    Counts counts;
    for (const TextField* section : message->all("section")) {
      for (const TextField* test : section->message->all("test")) {
        const std::string section_name = section->message->text("name");
        if (is_apart(file, section_name, *test->message)) {
          ++counts.apart;
          continue;
        }
        const std::string wrong = run(*test->message);
        if (wrong.empty()) {
          ++counts.passed;
          continue;
        }
        ++counts.failed;
        std::cout << "failed: " << file << "/" << section_name << "/" << test->message->text("name") << ": "
                  << test->message->text("expr") << ": " << printable(wrong) << '\n';
      }
    }
    std::printf("%-16s %4d passed, %3d failed, %3d counted apart\n", file.c_str(), counts.passed,
                counts.failed, counts.apart);
    std::fflush(stdout);
    all.passed += counts.passed;
    all.failed += counts.failed;
    all.apart += counts.apart;
  }
  std::printf("%d passed, %d failed, %d counted apart\n", all.passed, all.failed, all.apart);
  return all.failed == 0 && all.passed > 0 ? 0 : 1;
}
