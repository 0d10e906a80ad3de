// SPDX-License-Identifier: Apache-2.0

#include <malloc.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/duration_option.h"
#include "cli/server_limits.h"
#include "cli/source_options.h"
#include "command_line/log_options.h"
#include "command_line/own_health.h"
#include "command_line/run.h"
#include "command_line/service_notifier.h"
#include "console/console.h"
#include "http/url.h"
#include "updateservice/service.h"

namespace fairway::cli {
namespace {

/// The values of the command line, not yet checked.
struct ServeFlags {
  std::vector<std::string> releases;
  std::string graph_data;
  sources::Options sources;
  updateservice::ServiceOptions service;
  std::string path_prefix, public_url;
  std::string interval = "5m", max_age = "1m", drain = "25s";
  ServerTimes times;
  std::string tls_cert, tls_key;
  bool console = false, no_console = false;
  std::string max_widening = "10,5%";
  LogFlags log;
};

/// Returns a path with a slash in front and none at the end; empty for the root.
std::string path_prefix_of(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  if (!text.empty() && !text.starts_with('/')) text.insert(0, "/");
  return text;
}

/// Returns the page that the service's own risks link to: its /problems, unless another page is set.
std::string problem_url_of(const ServeFlags& flags) {
  if (flags.public_url.empty() || flags.service.problem_url != graph::not_understood_url)
    return flags.service.problem_url;
  std::string url = flags.public_url;
  while (url.ends_with('/')) url.pop_back();
  return url + path_prefix_of(flags.path_prefix) + "/problems";
}

/// Reads --console and --no-console into the options.
Result<void> read_console(const ServeFlags& flags, updateservice::ServiceOptions& options) {
  using enum updateservice::ConsoleSetting;
  if (flags.console && flags.no_console)
    return fail(ErrorCode::invalid, "--console and --no-console exclude each other: leave one out");
  if (flags.console && !console::is_built_in()) {
    return fail(ErrorCode::invalid,
                "--console: this fairway was built without the console, because Node.js or npm was missing; "
                "docs/console.md says how to build it");
  }
  options.console = flags.console ? on : flags.no_console ? off : automatic;
  if (!flags.no_console && console::owns(options.path_prefix + "/"))
    return fail(ErrorCode::invalid, "--path-prefix " + options.path_prefix +
                                        " is where the console is: choose another, or give --no-console");
  if (!flags.public_url.empty()) {
    const auto url = http::Url::parse(flags.public_url);
    if (!url) return fail(url.error().within("reading --public-url"));
    options.console_hosts = {url->host};
    options.public_host = url->host;
  }
  return {};
}

Result<updateservice::ServiceOptions> service_options(const ServeFlags& flags) {
  updateservice::ServiceOptions options = flags.service;
  const auto interval = duration_of<std::chrono::milliseconds>("interval", flags.interval);
  if (!interval) return fail(interval.error());
  options.reloadable.interval = *interval;
  const auto max_age = duration_of<std::chrono::seconds>("max-age", flags.max_age);
  if (!max_age) return fail(max_age.error());
  options.max_age = *max_age;
  const auto drain = duration_of<std::chrono::milliseconds>("drain", flags.drain);
  if (!drain) return fail(drain.error());
  options.drain_limit = *drain;
  if (auto read = read_times(flags.times, options.server); !read) return fail(read.error());
  if (flags.tls_cert.empty() != flags.tls_key.empty()) {
    return fail(ErrorCode::invalid, "--tls-cert and --tls-key go together: one of them is missing");
  }
  if (!flags.tls_cert.empty()) {
    options.server.tls =
        // The service watches the files itself.
        http::TlsServerOptions{.certificate_file = flags.tls_cert,
                               .key_file = flags.tls_key,
                               .reload_every = std::chrono::seconds(0)};
  }
  const auto widening = updateservice::WideningLimit::parse(flags.max_widening);
  if (!widening) return fail(widening.error().within("reading --max-widening"));
  const updateservice::PeerOptions& peers = options.peers;
  if ((!peers.peers.empty() || !peers.listen.empty()) && peers.token_file.empty())
    return fail(ErrorCode::invalid, "--peers and --peer-listen need --peer-token-file");
  if (peers.first_start && peers.peers.empty())
    return fail(ErrorCode::invalid,
                "--first-start is for replicas with --peers: without them nothing is waited for");
  options.guards = {
      .widening = *widening, .data_directory = options.data_directory, .has_peers = !peers.peers.empty()};
  options.path_prefix = path_prefix_of(flags.path_prefix);
  options.problem_url = problem_url_of(flags);
  options.settings = join(flags.releases, "\n") + "\n\n" + flags.graph_data + "\n" +
                     flags.sources.access.public_keys_directory + "\n" + flags.sources.access.signature_store;
  options.version = FAIRWAY_VERSION;
  if (auto read = read_console(flags, options); !read) return fail(read.error());
  return options;
}

Result<std::unique_ptr<updateservice::Builder>> make_builder(const ServeFlags& flags,
                                                             const updateservice::Guards& guards) {
  sources::Options options = flags.sources;
  options.data_directory = flags.service.data_directory;
  std::vector<std::unique_ptr<sources::ReleaseSource>> releases;
  for (const std::string& spec : flags.releases) {
    auto source = sources::make_release_source(spec, options);
    if (!source) return fail(source.error());
    releases.push_back(std::move(*source));
  }
  auto graph_data = sources::make_graph_data_source(flags.graph_data, options);
  if (!graph_data) return fail(graph_data.error());
  return std::make_unique<updateservice::Builder>(std::move(releases), std::move(*graph_data),
                                                  problem_url_of(flags), Clock::system(), graphdata::load,
                                                  guards);
}

/// The settings of the sources: replaced by SIGHUP, read by the thread that makes builders.
class SourceSettings {
 public:
  SourceSettings(ServeFlags flags, updateservice::Guards guards) { set(std::move(flags), std::move(guards)); }
  void set(ServeFlags flags, updateservice::Guards guards) {
    const std::lock_guard lock(mutex_);
    flags_ = std::move(flags);
    guards_ = std::move(guards);
  }
  Result<std::unique_ptr<updateservice::Builder>> make_builder() const {
    const std::lock_guard lock(mutex_);
    return cli::make_builder(flags_, guards_);
  }

 private:
  mutable std::mutex mutex_;
  ServeFlags flags_;
  updateservice::Guards guards_;
};

/// Returns the arguments of this process.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

/// Returns the names of the settings that differ and need a restart.
std::vector<std::string> need_restart(const ServeFlags& a, const ServeFlags& b) {
  std::vector<std::string> names;
  const auto compare = [&](const char* name, const auto& before, const auto& now) {
    if (before != now) names.emplace_back(name);
  };
  const updateservice::ServiceOptions &x = a.service, &y = b.service;
  compare("--data", x.data_directory, y.data_directory);
  compare("--listen", x.server.listen, y.server.listen);
  compare("--status-listen", x.status_listen, y.status_listen);
  compare("--peers", x.peers.peers, y.peers.peers);
  compare("--peer-listen", x.peers.listen, y.peers.listen);
  compare("--peer-token-file", x.peers.token_file, y.peers.token_file);
  compare("--first-start", x.peers.first_start, y.peers.first_start);
  compare("--path-prefix", a.path_prefix, b.path_prefix);
  compare("--tls-cert", a.tls_cert, b.tls_cert);
  compare("--tls-key", a.tls_key, b.tls_key);
  compare("--signatures", x.signatures_directory, y.signatures_directory);
  compare("--problem-url", x.problem_url, y.problem_url);
  compare("--public-url", a.public_url, b.public_url);
  compare("--max-age", a.max_age, b.max_age);
  compare("--show-sources", x.show_sources, y.show_sources);
  compare("--console", a.console, b.console);
  compare("--no-console", a.no_console, b.no_console);
  compare("--drain", a.drain, b.drain);
  for (std::string& flag : changed_limits(x.server, a.times, y.server, b.times))
    names.push_back(std::move(flag));
  return names;
}

/// The flags of `serve`, and the data to read them again.
struct Settings {
  std::shared_ptr<ServeFlags> flags;           ///< target of parsing
  std::shared_ptr<const ServeFlags> defaults;  ///< values before parsing
  CLI::App* root = nullptr;
};

/// Reads the settings file again (SIGHUP). Settings that need a restart are named in the log.
Result<updateservice::ReloadableOptions> read_again(const Settings& settings, const ServeFlags& started,
                                                    SourceSettings& sources) {
  const ServeFlags before = *settings.flags;
  *settings.flags = *settings.defaults;
  auto read = [&]() -> Result<updateservice::ServiceOptions> {
    if (auto parsed = reparse(*settings.root, own_arguments()); !parsed) return fail(parsed.error());
    if (auto logs = configure_log(settings.flags->log); !logs) return fail(logs.error());
    return service_options(*settings.flags);
  }();
  if (!read) {
    *settings.flags = before;
    return fail(read.error().within("reading the settings again"));
  }
  if (const auto names = need_restart(started, *settings.flags); !names.empty())
    log::warning("some changed settings need a restart; the old ones stay until then",
                 {{"settings", join(names, " ")}});
  ServeFlags flags = *settings.flags;
  flags.service.data_directory = started.service.data_directory;
  flags.service.problem_url = started.service.problem_url;
  flags.public_url = started.public_url;
  flags.path_prefix = started.path_prefix;
  read->guards.data_directory = started.service.data_directory;
  read->guards.has_peers = !started.service.peers.peers.empty();
  sources.set(std::move(flags), read->guards);
  return read->reloadable;
}

/// Ends the process if stopping takes too long: a refresh may be processing the data of a hostile source,
/// without checking a stop token. Files are written in a way that survives this.
class EndInTime {
 public:
  explicit EndInTime(std::chrono::milliseconds limit)
      : thread_([limit](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any changed;
          std::unique_lock lock(mutex);
          changed.wait_for(lock, stop, limit, [] { return false; });
          if (stop.stop_requested()) return;
          log::error("stopping took longer than --drain; what was still at work is given up");
          std::_Exit(exit_failed);
        }) {}

 private:
  std::jthread thread_;
};

/// Reloads on a thread of its own: a reload waits for a graph that is being published, and a signal to end
/// must not wait for it.
class Reloader {
 public:
  explicit Reloader(std::function<void()> reload)
      : thread_([this, reload = std::move(reload)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          while (changed_.wait(lock, stop, [this] { return wanted_; }) && !stop.stop_requested()) {
            wanted_ = false;
            lock.unlock();
            reload();
            lock.lock();
          }
        }) {}

  void want() {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false;
  std::jthread thread_;
};

/// Serves until SIGTERM or SIGINT; SIGHUP reloads.
int serve(const Settings& settings) {
  const ServeFlags flags = *settings.flags;
  if (const auto logs = configure_log(flags.log); !logs) return report(logs.error(), exit_usage);
  const auto options = service_options(flags);
  if (!options) return report(options.error(), exit_usage);

  // A build's threads come and go. With an arena for each, what one of them freed was of no use to the next:
  // after some hundred builds the process stood 10 MiB higher.
  mallopt(M_ARENA_MAX, 2);
  command_line::ServiceNotifier notifier;
  // Before the first thread starts, so that none of them takes a signal.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  SourceSettings sources(flags, options->guards);
  auto service = updateservice::Service::start(*options, [&] { return sources.make_builder(); });
  if (!service)
    return report(service.error(), service.error().code == ErrorCode::invalid ? exit_usage : exit_failed);
  if (options->problem_url == graph::not_understood_url) {
    log::warning(
        "risks for graph data that is not understood point to no page; --public-url URL has them point to "
        "this service's /problems",
        {{"url", options->problem_url}});
  }
  log::info("serving", {{"address", (*service)->address() + options->path_prefix},
                        {"status", (*service)->status_address()}});
  const auto health = command_line::health_at("http://" + (*service)->status_address());
  if (!health) return report(health.error());
  const std::jthread following = notifier.follow(*health);
  std::optional<Reloader> reloader(std::in_place, [&] {
    log::info("reloading");
    notifier.reloading();
    const auto read = read_again(settings, flags, sources);
    (*service)->reload(read);
    notifier.reloaded(read ? std::nullopt : std::optional(read.error().message));
  });
  while (true) {
    int number = 0;
    if (sigwait(&signals, &number) != 0) continue;
    if (number != SIGHUP) break;
    reloader->want();
  }
  log::info("stopping");
  notifier.stopping(options->drain_limit);
  const EndInTime end_in_time(options->drain_limit);
  (*service)->stop();
  reloader.reset();
  service->reset();
  return exit_ok;
}

void add_inputs(CLI::App& command, ServeFlags& flags) {
  add_releases_option(command, flags.releases);
  add_graph_data_option(command, flags.graph_data);
  add_source_options(command, flags.sources);
  add_problem_url_option(command, flags.service.problem_url);
  command
      .add_option(
          "--data", flags.service.data_directory,
          "Folder of the last good graph and of caches; without it a restart fetches everything again")
      ->type_name("DIR")
      ->group("Sources");
  command
      .add_option("--max-widening", flags.max_widening,
                  "What may open at once: a refresh is held where more than N blocks, and more than P% of "
                  "them, would have been lifted "
                  "within a day; or off")
      ->type_name("N,P%")
      ->capture_default_str()
      ->group("Sources");
  command.add_option("--interval", flags.interval, "Time between two looks at all sources")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group("Sources");
}

void add_addresses(CLI::App& command, ServeFlags& flags) {
  constexpr const char* group = "Serving";
  flags.service.server.listen = "127.0.0.1:8080";
  flags.service.status_listen = "127.0.0.1:9080";
  flags.path_prefix = flags.service.path_prefix;
  command.add_option("--listen", flags.service.server.listen, "Address of the public port")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--status-listen", flags.service.status_listen, "Address of /livez, /readyz and /metrics")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--public-url", flags.public_url,
          "The service as clients reach it, without --path-prefix: https://updates.example.com; risks for "
          "graph data that is not understood then point to its /problems")
      ->check(CLI::Validator(fault_of_public_url, ""))
      ->type_name("URL")
      ->group(group);
  command.add_option("--path-prefix", flags.path_prefix, "What every public path begins with")
      ->type_name("PATH")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--tls-cert", flags.tls_cert, "PEM certificate chain; with it the public port speaks HTTPS")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--tls-key", flags.tls_key, "PEM key of --tls-cert")->type_name("FILE")->group(group);
}

void add_console(CLI::App& command, ServeFlags& flags) {
  constexpr const char* group = "Serving";
  command
      .add_flag(
          "--console", flags.console,
          "Serve the page for people at /console; without this flag it is there where --listen and the host "
          "of --public-url are on loopback and no channel is private")
      ->group(group);
  command.add_flag("--no-console", flags.no_console, "Do not serve /console")->group(group);
}

void add_peers(CLI::App& command, updateservice::PeerOptions& peers) {
  constexpr const char* group = "Replicas";
  command
      .add_option("--peers", peers.peers,
                  "The other replicas, or a name that leads to all: updates.example.svc:9081; a replica that "
                  "has no last good graph compares with theirs, and serves nothing before one has answered "
                  "(repeatable, or with commas)")
      ->delimiter(',')
      ->type_name("HOST:PORT")
      ->group(group);
  command
      .add_option("--peer-listen", peers.listen,
                  "Address where other replicas are told what this one holds, private channels included: "
                  ":9081")
      ->type_name("HOST:PORT")
      ->group(group);
  command
      .add_option("--peer-token-file", peers.token_file,
                  "File with the secret of all replicas, which is never sent: openssl rand -hex 32 > FILE")
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--first-start", peers.first_start,
                "Serve what the sources say where no replica has a graph to compare with; for the first "
                "start of all, not for good")
      ->group(group);
}

void add_content(CLI::App& command, ServeFlags& flags) {
  constexpr const char* group = "Serving";
  command
      .add_option("--private-channels", flags.service.reloadable.private_channels_file,
                  "Rules: which channels only some credentials open (docs/private-channels.md)")
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--private-channels-strict", flags.service.reloadable.private_channels_strict,
                "Serve nothing new while a rule of --private-channels matches no channel")
      ->group(group);
  command
      .add_flag("--show-sources", flags.service.show_sources,
                "Tell callers without credentials where releases and graph data come from, in /explain and "
                "/problems")
      ->group(group);
  command
      .add_option("--channel-descriptions", flags.service.reloadable.channel_descriptions_file,
                  "Name patterns and texts, for channels whose graph data has no description")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--signatures", flags.service.signatures_directory,
                  "Folder of image signatures to serve; without it those of the graph data are served")
      ->type_name("DIR")
      ->group(group);
  command.add_option("--max-age", flags.max_age, "How long caches may keep an answer")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
}

void add_drain(CLI::App& command, ServeFlags& flags) {
  command.add_option("--drain", flags.drain, "Time for requests in flight at shutdown")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group("Limits");
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<ServeFlags>();
  const auto defaults = std::make_shared<std::shared_ptr<const ServeFlags>>();
  CLI::App* command =
      add_command(app, context, "serve", "Serve update graphs, channels and explanations over HTTP",
                  "fairway serve --releases examples/releases.json --graph-data examples/graph-data "
                  "--listen 127.0.0.1:8080",
                  [flags, defaults, &context] { return serve({flags, *defaults, context.root}); });
  add_inputs(*command, *flags);
  add_addresses(*command, *flags);
  add_console(*command, *flags);
  add_peers(*command, flags->service.peers);
  add_content(*command, *flags);
  add_server_limits(*command, flags->service.server, flags->times);
  add_drain(*command, *flags);
  add_log_flags(*command, flags->log);
  *defaults = std::make_shared<const ServeFlags>(*flags);
}

}  // namespace fairway::cli
