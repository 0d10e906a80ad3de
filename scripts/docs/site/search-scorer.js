// SPDX-License-Identifier: Apache-2.0

// How the search orders what it finds: pages of the reference come behind those that explain, unless a name of C++ was looked for.
var Scorer = {
  score: ([page, , , , score]) => {
    const name = /_|::|[a-z][A-Z]/.test(new URLSearchParams(window.location.search).get("q"));
    return page.startsWith("reference/") && !name ? 0.3 * score : score;
  },
  // The rest is what Sphinx has by itself.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
