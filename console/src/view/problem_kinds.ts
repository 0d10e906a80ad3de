// SPDX-License-Identifier: Apache-2.0

// The kinds of problems, and what fixes them.

/** What to do about each kind of problem (docs/metrics.md has the kinds). */
export const remedies: Record<string, string> = {
  "blocked-edge-not-understood": "Correct the file; until then every update into its release is conditional. fairway lint finds the fault before a merge.",
  "block-meets-nothing": "Check the versions and the expression of the file, or remove it: it blocks nothing.",
  "metadata-meets-nothing": "Check the entry in raw/metadata.json: it removes no update, or its key is unknown.",
  "risk-bodies-differ": "Give the risk one text in all files, or two names.",
  "graph-data": "Correct the file; fairway lint says how.",
  "graph-data-refused": "Correct the graph data; the last good data is served until then. The log of the service has the reason.",
  "widening-held": "Read what would open, then accept it, or correct the data (docs/service-held.md).",
  "payload-conflict": "Find out who changed the image; accept it if that was right (docs/service-held.md).",
  "duplicate-version": "Publish one release of this version only.",
  "release-left-out": "Repair the image, its metadata or its signature.",
  "release-without-image": "Give the release an image: no update leads to it before.",
  "edge-left-out": "Check the release metadata that declares this update.",
  "upstream": "Ask who runs the other update service.",
  "source-unavailable": "Check network, credentials and certificates of the source; its last good data is served until then.",
  "graph-not-compared": "Read the graph, then accept it (docs/service-held.md).",
  "graph-not-kept": "Make room in the folder of --data, or make it writable.",
  "private-rule-unused": "Check the pattern: what it should hide may be public.",
  "reload-refused": "Correct the settings; the old ones are in force. The log of the service has the reason.",
};
