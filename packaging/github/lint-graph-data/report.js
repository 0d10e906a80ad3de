// SPDX-License-Identifier: Apache-2.0

// The report of a run, in Markdown: what lint found, and what changes for clusters.
'use strict';

const most = 50;

/**
 * Returns a text of graph data as Markdown that is that text and nothing else: no mark, no link, no mention. GitHub looks for mentions
 * after it has decoded characters, but not in code.
 */
function plain(text) {
  return `<code>${String(text).replace(/[^\p{L}\p{N} ,()'-]/gu, (character) => `&#${character.codePointAt(0)};`)}</code>`;
}

function count(number, what) {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Returns the part on what lint found: the output of `fairway lint -o json`. */
function findings(lint) {
  const counts = `${count(lint.errors, 'error')} and ${count(lint.warnings, 'warning')}`;
  if (lint.findings.length === 0) return '### Graph data\n\nNothing is wrong.\n';
  const rows = lint.findings.slice(0, most).map((one) => {
    const fix = one.fix ? `<br>Fix: ${plain(one.fix)}` : '';
    return `| ${one.severity} | ${one.rule} | ${plain(`${one.file}:${one.line}`)} | ${plain(one.message)}${fix} |`;
  });
  const more = lint.findings.length - rows.length;
  return `### Graph data: ${counts}\n\n| | rule | place | |\n|---|---|---|---|\n${rows.join('\n')}\n` +
    (more > 0 ? `\n${count(more, 'more finding')}: see the log of the run.\n` : '');
}

/** Returns the part on what changes, where graphs cannot be compared; `why` is what the program said. */
function notCompared(why) {
  return `### What this changes for clusters\n\nIt is not known: ${plain(why.trim().replace(/^error: /, ''))}\n`;
}

/** Returns the report. `changes` is the output of `fairway graph changes -o markdown`; undefined: nothing was compared. */
function report(lint, changes) {
  return findings(lint) + (changes === undefined ? '' : `\n${changes}`);
}

module.exports = { notCompared, report };
