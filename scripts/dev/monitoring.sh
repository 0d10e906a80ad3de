# SPDX-License-Identifier: Apache-2.0

# Dashboards and alerts, compared with the metrics of programs that run.

dev_monitoring() {
  need build test
  configure_release
  # shellcheck disable=SC2086
  compile build $installed_programs
  scripts/monitoring/verify.sh
}
