#include "cli/kube_options.h"

#include <chrono>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/text.h"

namespace fairway::cli {

void add_kube_flags(CLI::App& command, kube::KubeconfigChoice& choice) {
  constexpr const char* group = "Cluster";
  command
      .add_option("--kubeconfig", choice.file,
                  "Kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or the cluster that this runs in)")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--context", choice.context, "Context of the kubeconfig to use")
      ->type_name("NAME")
      ->group(group);
}

void add_pace_flags(CLI::App& command, conversion::MigrationPace& pace) {
  constexpr const char* group = "Pace";
  command.add_option("--workers", pace.workers, "Writes under way at a time")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 64).description(""))
      ->capture_default_str()
      ->group(group);
  command.add_option("--rate", pace.objects_per_second, "Writes in a second, at most; 0: as fast as it goes")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->group(group);
  command.add_option("--page-size", pace.page_size, "Objects listed at a time")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 10'000).description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_option_function<std::string>(
          "--settle",
          [&pace](const std::string& text) {
            const auto settle = parse_duration(text);
            if (!settle || *settle < settle->zero() || *settle > std::chrono::hours(24)) {
              throw CLI::ValidationError(
                  "--settle", printable(text, 40) + " has to be a duration up to 24h, like 60s; 0s: none");
            }
            pace.settle = *settle;
          },
          "How long --to has to have been seen as the storage version before all objects are written: the "
          "API server's --request-timeout (default: 60s)")
      ->type_name("DURATION")
      ->group(group);
}

Result<std::shared_ptr<kube::Client>> make_kube_client(const kube::KubeconfigChoice& choice) {
  auto config = kube::load_client_config(choice);
  if (!config) return fail(config.error());
  return kube::Client::create(*std::move(config), {.user_agent = "fairway/" FAIRWAY_VERSION});
}

}  // namespace fairway::cli
