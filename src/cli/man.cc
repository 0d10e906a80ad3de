#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/commands.h"
#include "command_line/help.h"
#include "command_line/model.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

/// Escapes a text for roff: backslashes, dashes, and lines that begin like a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string entry(const std::string& term, const std::string& value, const std::string& text) {
  return ".TP\n\\fB" + roff(term) + "\\fR" + (value.empty() ? "" : " \\fI" + roff(value) + "\\fR") + "\n" +
         roff(text) + "\n";
}

std::string entries(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : positionals_of(command)) {
    out += entry(option->get_name(true), "", full_description(*option));
  }
  for (const CLI::Option* option : flags_of(command)) {
    out += entry(join(spellings(*option), ", "), value_name(*option), full_description(*option));
  }
  return out;
}

std::string synopsis(const CLI::App& command) {
  std::string out = ".B " + roff(full_name(command)) + "\n";
  for (const CLI::Option* option : flags_of(command)) {
    if (option->get_required()) {
      out += "\\fB" + roff(spellings(*option).back()) + "\\fR \\fI" + roff(value_name(*option)) + "\\fR\n";
    }
  }
  out += "[\\fIflags\\fR]\n";
  for (const CLI::Option* option : positionals_of(command))
    out += "\\fI" + roff(option->get_name(true)) + "\\fR\n";
  return out;
}

std::string manual(const CLI::App& root) {
  std::string usages, commands;
  visit_commands(root, [&](const CLI::App& command) {
    if (!subcommands_of(command).empty()) return;
    usages += (usages.empty() ? "" : ".br\n") + synopsis(command);
    commands +=
        ".SS " + roff(full_name(command)) + "\n" + roff(command.get_description()) + ".\n" + entries(command);
    const std::string example = example_of(command);
    if (!example.empty()) commands += ".PP\nExample:\n.PP\n.nf\n.RS\n" + roff(example) + "\n.RE\n.fi\n";
  });
  return ".\\\" Made by `fairway man` from the program's own flags.\n"
         ".TH FAIRWAY 1 \"\" \"fairway " +
         roff(FAIRWAY_VERSION) +
         "\" \"Fairway\"\n"
         ".SH NAME\nfairway \\- update service for clusters, and its tools\n"
         ".SH SYNOPSIS\n" +
         usages + ".SH DESCRIPTION\n" + roff(root.get_description()) +
         "\n.PP\nRelease images say which releases lead to which. Graph data says which channels there are, "
         "and which\n"
         "updates are blocked or have known risks. Fairway puts both together, serves the graph that each "
         "cluster asks\n"
         "for, and explains it.\n"
         ".SH OPTIONS\n" +
         entries(root) + ".SH COMMANDS\n" + commands +
         ".SH ENVIRONMENT\nEach flag can be set by a variable of its name: \\fB\\-\\-graph\\-data\\fR by "
         "\\fBFAIRWAY_GRAPH_DATA\\fR. A flag on the command line wins.\n"
         ".TP\n\\fBNO_COLOR\\fR\nWhere it is set and not empty, nothing is coloured.\n"
         ".SH FILES\nThe file of \\fB\\-\\-config\\fR is TOML with a section a command, for example "
         "\\fB[serve]\\fR; keys "
         "are flags without dashes in front. An unknown key is an error. Flags and variables win.\n"
         ".SH EXIT STATUS\n"
         ".TP\n\\fB0\\fR\nIt went well.\n"
         ".TP\n\\fB1\\fR\nIt did not, or found what it looks for.\n"
         ".TP\n\\fB2\\fR\nThe command line or a setting is wrong.\n";
}

}  // namespace

void add_man(CLI::App& app, Context& context) {
  add_command(app, context, "man", "Print the manual page", "fairway man > fairway.1 && man ./fairway.1",
              [&context] {
                print(manual(*context.root));
                return exit_ok;
              });
}

}  // namespace fairway::cli
