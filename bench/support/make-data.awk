# SPDX-License-Identifier: Apache-2.0

# Makes graph data and a release list about as large as the real ones of 2026-02: 1,200 releases of 15 minor versions,
# 70 channels, 1,650 blocked edges. Variables: folder (of the graph data), list (the release list's file).
function yaml(path, text) {
  print text > path
  close(path)
}
function body(minor, patch) { return "4." minor "." patch }
BEGIN {
  minors = 15
  patches = 80
  window = 64  # releases that an update may skip
  system("mkdir -p '" folder "/channels' '" folder "/blocked-edges'")
  yaml(folder "/version", "1.2.0")
  printf "{\"arch\":\"amd64\",\"releases\":[" > list
  for (minor = 4; minor < 4 + minors; minor++) {
    for (patch = 0; patch < patches; patch++) {
      printf "%s\n{\"kind\":\"cincinnati-metadata-v0\",\"version\":\"%s\",\"previous\":[", (minor + patch > 4 ? "," : ""), body(minor, patch) > list
      separator = ""
      for (from = (patch > window ? patch - window : 0); from < patch; from++) {
        printf "%s\"%s\"", separator, body(minor, from) > list
        separator = ","
      }
      for (from = patch; minor > 4 && from < patch + window && from < patches; from++) {
        printf "%s\"%s\"", separator, body(minor - 1, from) > list
        separator = ","
      }
      printf "],\"next\":[],\"metadata\":{\"url\":\"https://access.example.com/errata/RHBA-2026:%04d\"},\"image\":\"registry.example.com/ocp/release@sha256:%064x\"}", minor * 100 + patch, minor * 1000 + patch > list
    }
  }
  print "]}" > list
  close(list)

  split("candidate fast stable eus", kinds, " ")
  for (k = 1; k <= 4; k++) {
    for (minor = 4; minor < 4 + minors; minor++) {
      text = "name: " kinds[k] "-4." minor "\nversions:"
      for (patch = 0; minor > 4 && patch < patches; patch++) text = text "\n- " body(minor - 1, patch)
      for (patch = 0; patch < patches; patch++) text = text "\n- " body(minor, patch)
      yaml(folder "/channels/" kinds[k] "-4." minor ".yaml", text)
    }
  }
  for (minor = 5; minor < 4 + minors; minor++) {
    for (patch = 0; patch < patches; patch++) {
      for (risk = 0; risk < 1 + (patch % 2); risk++) {
        yaml(folder "/blocked-edges/" body(minor, patch) "-risk" risk ".yaml", \
             "to: " body(minor, patch) "\nfrom: 4[.]" (minor - 1 + risk) "[.].*\nurl: https://issues.example.com/browse/BUG-" minor risk "\nname: SyntheticRisk" minor risk "\nmessage: |-\n  Clusters of one kind lose something for a while after they have been updated, until it comes back.\nmatchingRules:\n- type: PromQL\n  promql:\n    promql: |\n      group(cluster_infrastructure_provider{type=~\"Kind" minor "|None\"})\n      or\n      0 * group(cluster_infrastructure_provider)")
      }
    }
  }
}
