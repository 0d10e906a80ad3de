// SPDX-License-Identifier: Apache-2.0

// How an action speaks with the runner of GitHub: inputs, and files and lines for outputs, the summary and the steps that follow.
'use strict';
const crypto = require('crypto');
const fs = require('fs');

/** Returns an input of action.yml, without blanks around it. */
function input(name) {
  return (process.env[`INPUT_${name.replace(/ /g, '_').toUpperCase()}`] || '').trim();
}

// Out of the environment: programs that read a stranger's data inherit that.
const token = input('token');
delete process.env.INPUT_TOKEN;

/** Returns the lines of an input that are not empty. */
function lines(name) {
  return input(name).split('\n').map((line) => line.trim()).filter((line) => line !== '');
}

/** Returns an input that is true or false. */
function flag(name) {
  const text = input(name);
  if (text !== 'true' && text !== 'false') throw new Error(`the input ${name} is '${text}': write true or false`);
  return text === 'true';
}

/** Appends to a file that the runner has named in the environment; without it, as when run by hand, nothing happens. */
function append(variable, text) {
  if (process.env[variable]) fs.appendFileSync(process.env[variable], text);
}

/** Appends NAME=VALUE to such a file. The value may have several lines: a delimiter that nobody can guess ends it. */
function appendValue(variable, name, value) {
  const end = `end-${crypto.randomUUID()}`;
  append(variable, `${name}<<${end}\n${value}\n${end}\n`);
}

/** Returns a text as the message of a workflow command may have it. */
function escaped(text) {
  return String(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

module.exports = {
  input,
  lines,
  flag,
  token,
  setOutput: (name, value) => appendValue('GITHUB_OUTPUT', name, value),
  setVariable: (name, value) => appendValue('GITHUB_ENV', name, value),
  saveState: (name, value) => appendValue('GITHUB_STATE', name, value),
  addPath: (folder) => append('GITHUB_PATH', `${folder}\n`),
  summarise: (markdown) => append('GITHUB_STEP_SUMMARY', markdown),
  notice: (text) => console.log(`::notice::${escaped(text)}`),
  error: (text) => console.log(`::error::${escaped(text)}`),
  /** Prints what a program wrote, so that none of it is taken for a workflow command. */
  printLog(title, text) {
    const word = crypto.randomUUID();
    console.log(`::group::${escaped(title)}\n::stop-commands::${word}\n${text}\n::${word}::\n::endgroup::`);
  },
  /** Runs the action; what it throws is the error of the step. */
  run(action) {
    action().catch((fault) => {
      module.exports.error(fault.message);
      process.exitCode = 1;
    });
  },
};
