// SPDX-License-Identifier: Apache-2.0

#include "rival.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "base/go_text.h"
#include "promql/random_series.h"
#include "support/temp_directory.h"

namespace fairway::bench {

namespace {

/// Writes one series a line, in the format of rival/main.go.
void write_series(const promql::SeriesStore& store, const std::filesystem::path& path) {
  std::ofstream file(path);
  for (const promql::Series& series : promql::testing::all_series(store)) {
    json::Object metric;
    for (const auto& [name, value] : series.labels->labels()) metric[name] = value;
    file << "{\"metric\":" << json::to_text(metric) << ",\"points\":[";
    const char* separator = "";
    for (const promql::Point& point : series.points) {
      file << separator << '[' << point.time << ",\""
           << (promql::is_stale(point.value) ? "stale" : go_plain_number(point.value)) << "\"]";
      separator = ",";
    }
    file << "]}\n";
  }
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

json::Object request_of(const promql::testing::When& when) {
  return {{"start", when.start}, {"end", when.end}, {"step", when.step}};
}

}  // namespace

Rival::Rival(const std::string& program, const promql::SeriesStore& store) {
  const fairway::testing::TempDirectory folder;
  const std::string file = (folder / "series").string();
  write_series(store, file);
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) throw std::runtime_error("cannot make pipes");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
    setenv("GOMAXPROCS", "1", 1);
    execl(program.c_str(), program.c_str(), file.c_str(), nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
  // It has read the file when it answers.
  ask("1", {});
}

Rival::~Rival() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(pid_, nullptr, 0);
}

json::Value Rival::exchange(const json::Object& request) {
  const std::string line = json::to_text(request) + "\n";
  std::fwrite(line.data(), 1, line.size(), to_);
  std::fflush(to_);
  char* reply = nullptr;
  std::size_t size = 0;
  const auto length = getline(&reply, &size, from_);
  const std::string text(reply, length > 0 ? static_cast<std::size_t>(length) : 0);
  std::free(reply);
  const auto parsed = json::parse(text);
  if (!parsed) throw std::runtime_error("the rival ended at " + line);
  return *parsed;
}

promql::testing::Answer Rival::ask(const std::string& query, const promql::testing::When& when) {
  json::Object request = request_of(when);
  request["query"] = query;
  return promql::testing::read_answer(exchange(request));
}

double Rival::measure(const std::vector<std::string>& queries, const promql::testing::When& when,
                      int rounds) {
  json::Object request = request_of(when);
  json::Array all;
  for (const std::string& query : queries) all.emplace_back(query);
  request["queries"] = std::move(all);
  request["rounds"] = rounds;
  const json::Value reply = exchange(request);
  const json::Value* took = json::find(reply, "nanoseconds");
  if (took == nullptr) throw std::runtime_error("the rival cannot: " + json::to_text(reply));
  return took->to_number<double>();
}

}  // namespace fairway::bench
