// SPDX-License-Identifier: Apache-2.0

// Draws the diagrams of a page (mermaid.min.js), on light ground in both themes: fairway.css.
mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: "neutral" });
mermaid.run({ querySelector: "pre.mermaid" });
