#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "command_line/model.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

/// Name of the command whose subcommands are about a cluster that has the names.
constexpr std::string_view cluster_command = "fairway adm upgrade";

/// Function that reads names from the cluster that the line names so far. The names are letters, digits and
/// `._+-`, so that it is safe that `compgen` expands them. It has a time limit of five seconds.
constexpr std::string_view names_function =
    "_fairway_names() {\n"
    "  local words flags=() limit=() i\n"
    "  read -ra words <<<\"${COMP_LINE:0:COMP_POINT}\"\n"
    "  for ((i = 1; i < ${#words[@]}; i++)); do\n"
    "    case \"${words[i]}\" in\n"
    "      --kubeconfig=* | --context=* | --server=* | --token=* | --mock-clusterversion=*)\n"
    "        flags+=(\"${words[i]/=\\~/=$HOME}\")\n"
    "        ;;\n"
    "      --kubeconfig | --context | --server | --token | --mock-clusterversion)\n"
    "        flags+=(\"${words[i]}\" \"${words[i + 1]/#\\~/$HOME}\")\n"
    "        i=$((i + 1))\n"
    "        ;;\n"
    "    esac\n"
    "  done\n"
    "  type -P timeout >/dev/null && limit=(timeout 5)\n"
    "  \"${limit[@]}\" fairway adm upgrade names \"$1\" \"${flags[@]}\" 2>/dev/null\n"
    "}\n";

/// Quotes a text in single quotes of the shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Returns the kind of names that the cluster has for an option or argument: "versions", "channels"; empty:
/// none.
std::string_view asked_of_cluster(const std::string& command, const CLI::Option& option) {
  if (command != cluster_command && !command.starts_with(std::string(cluster_command) + " ")) return {};
  const std::string name = value_name(option);
  if (name == "VERSION") return "versions";
  return name == "CHANNEL" ? "channels" : "";
}

/// Returns the shell's action to complete a value with one of these type names; "": there is none.
std::string path_action(const std::vector<std::string_view>& names) {
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  // With a slash behind a folder, where bash is asking and no test.
  constexpr const char* as_files = "; compopt -o filenames 2>/dev/null";
  if (has("FILE") || has("SRC"))
    return std::string("COMPREPLY=($(compgen -P \"$prefix\" -f -- \"$word\"))") + as_files;
  // The graph data of `graph changes`.
  if (has("DIR") || has("OLD") || has("NEW"))
    return std::string("COMPREPLY=($(compgen -P \"$prefix\" -d -- \"$word\"))") + as_files;
  return "";
}

/// Returns the shell's action to complete the value of an option.
std::string value_action(const std::string& command, const CLI::Option& option) {
  if (const std::string_view names = asked_of_cluster(command, option); !names.empty())
    return "COMPREPLY=($(compgen -P \"$prefix\" -W \"$(_fairway_names " + std::string(names) +
           ")\" -- \"$word\"))";
  const std::string name = value_name(option);
  if (const auto action = path_action(split(name, '|')); !action.empty()) return action;
  const auto values = choices(option);
  if (!values.empty()) {
    return "COMPREPLY=($(compgen -P \"$prefix\" -W " + quoted(join(values, " ")) + " -- \"$word\"))";
  }
  return "COMPREPLY=()";
}

/// Returns the shell's action to complete an argument, for a word that does not begin like a flag.
std::string positional_action(const CLI::App& command) {
  for (const CLI::Option* option : positionals_of(command)) {
    const std::string name = option->get_name(true);
    if (auto action = path_action({name}); !action.empty()) return action;
  }
  return "";
}

std::string bash_script(const CLI::App& root) {
  std::string commands, values, words, arguments, positionals;
  visit_commands(root, [&](const CLI::App& command) {
    const std::string name = full_name(command);
    std::vector<std::string> offered;
    for (const CLI::App* below : subcommands_of(command)) {
      offered.push_back(below->get_name());
      commands += (commands.empty() ? "" : " | ") + quoted(name + " " + below->get_name());
    }
    std::map<std::string, std::string> actions;  // action -> patterns
    for (const CLI::Option* option : flags_of(command)) {
      for (const std::string& spelling : spellings(*option)) {
        if (spelling.starts_with("--")) offered.push_back(spelling);
        if (value_name(*option).empty()) continue;
        std::string& patterns = actions[value_action(name, *option)];
        patterns += (patterns.empty() ? "" : " | ") + quoted(name + " " + spelling);
      }
    }
    for (const auto& [action, patterns] : actions)
      values += "    " + patterns + ")\n      " + action + "\n      return\n      ;;\n";
    for (const CLI::Option* argument : positionals_of(command)) {
      if (const std::string_view names = asked_of_cluster(name, *argument); !names.empty())
        arguments +=
            "      " + quoted(name) + ") offered+=\" $(_fairway_names " + std::string(names) + ")\" ;;\n";
    }
    if (const std::string action = positional_action(command); !action.empty())
      positionals += "      " + quoted(name) + ")\n        " + action + "\n        return\n        ;;\n";
    words += "    " + quoted(name) + ") offered=" + quoted(join(offered, " ")) + " ;;\n";
  });
  return "# Completion of fairway's commands and flags for bash. Made by `fairway completion bash`; load it "
         "with\n"
         "#   source <(fairway completion bash)\n" +
         std::string(names_function) +
         "_fairway() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD - 1]}\" "
         "command=fairway offered prefix= i\n"
         "  # bash takes --flag=value apart, unless COMP_WORDBREAKS lacks the sign.\n"
         "  if [[ $word == = ]]; then\n"
         "    word=\n"
         "  elif [[ $before == = ]]; then\n"
         "    before=\"${COMP_WORDS[COMP_CWORD - 2]}\"\n"
         "  elif [[ $word == --*=* ]]; then\n"
         "    before=\"${word%%=*}\" prefix=\"${word%%=*}=\" word=\"${word#*=}\"\n"
         "  fi\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"$command ${COMP_WORDS[i]}\" in\n"
         "      " +
         commands +
         ") command+=\" ${COMP_WORDS[i]}\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$command $before\" in\n" +
         values +
         "  esac\n"
         "  [[ -z $prefix ]] || return\n"
         "  if [[ $word != -* ]]; then\n"
         "    case \"$command\" in\n" +
         positionals +
         "    esac\n"
         "  fi\n"
         "  case \"$command\" in\n" +
         words +
         "  esac\n"
         "  if [[ $word != -* ]]; then\n"
         "    case \"$command\" in\n" +
         arguments +
         "    esac\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$offered\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _fairway fairway\n";
}

}  // namespace

void add_completion(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("completion", "Print completion of commands and flags for a shell");
  command->require_subcommand(1);
  command->footer("Example: source <(fairway completion bash)");
  add_command(*command, context, "bash", "Print it for bash", "source <(fairway completion bash)",
              [&context] {
                print(bash_script(*context.root));
                return exit_ok;
              });
}

}  // namespace fairway::cli
