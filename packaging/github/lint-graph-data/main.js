// SPDX-License-Identifier: Apache-2.0

// Checks graph data, as annotations; compares it with the base, as a report in the summary and a comment.
'use strict';
const { execFileSync, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { comment } = require('../lib/comment');
const { install } = require('../lib/install');
const runner = require('../lib/runner');
const { notCompared, report } = require('./report');

const workspace = process.env.GITHUB_WORKSPACE || process.cwd();
const largest = 256 << 20;
const directory = runner.input('directory');

/** Runs git in the folder with the graph data: it finds the repository, wherever in the workspace that was put. */
function git(...words) {
  const options = { cwd: path.join(workspace, directory), maxBuffer: largest, stdio: ['ignore', 'pipe', 'pipe'] };
  return execFileSync('git', ['-c', 'safe.directory=*', ...words], options);
}

/** Returns the pull request that the run is for; undefined if it is for none. */
function pullRequest() {
  const file = process.env.GITHUB_EVENT_PATH;
  return file && fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).pull_request : undefined;
}

/**
 * Returns the commit that the pull request is merged into, where HEAD is GitHub's trial of that merge; "" elsewhere. The event may name an
 * older commit of the branch: what others have changed since then is not the pull request's.
 */
function mergedInto() {
  if (!/^refs\/pull\/\d+\/merge$/.test(process.env.GITHUB_REF || '')) return '';
  const parents = git('cat-file', 'commit', 'HEAD').toString().split('\n\n')[0].match(/^parent [0-9a-f]+$/gm) || [];
  return parents.length === 2 ? parents[0].slice('parent '.length) : '';
}

/** Returns the commit to compare with, which is then in the clone; "" if there is none. */
function baseCommit(request) {
  const base = runner.input('base') || (request ? mergedInto() || request.base.sha : '');
  if (!base) return '';
  if (base.startsWith('-')) throw new Error(`the input base is '${base}': name a commit`);
  try {
    git('rev-parse', '--verify', '--quiet', `${base}^{commit}`);
  } catch {
    // actions/checkout has the newest commit alone, unless it is told otherwise.
    try {
      git('fetch', '--quiet', '--no-tags', '--depth=1', 'origin', base);
    } catch (fault) {
      throw new Error(`fetching ${base}, to compare with: ${String(fault.stderr).trim()}; give actions/checkout fetch-depth: 0`);
    }
    return git('rev-parse', 'FETCH_HEAD').toString().trim();
  }
  return base;
}

/** Returns whether the folder differs from that of a commit. */
function differs(commit) {
  const changed = git('diff', '--name-only', commit, '--', '.').length > 0;
  return changed || git('ls-files', '--others', '--exclude-standard', '--', '.').length > 0;
}

/** Writes the graph data of a commit into a new folder; returns undefined if the commit has none. */
function dataOf(commit) {
  let archive;
  try {
    // Below the folder that git runs in, with paths from there.
    archive = git('archive', commit);
  } catch {
    return undefined;
  }
  const folder = fs.mkdtempSync(path.join(process.env.RUNNER_TEMP || os.tmpdir(), 'graph-data-'));
  execFileSync('tar', ['-xf', '-'], { cwd: folder, input: archive });
  return folder;
}

/** Runs the program; what it says on standard error goes to the log, where nothing of it is a workflow command. */
function fairway(program, ...words) {
  const done = spawnSync(program, words, { cwd: workspace, encoding: 'utf8', maxBuffer: largest });
  if (done.error) throw done.error;
  if (done.stderr) runner.printLog(`fairway ${words.slice(0, 2).join(' ')}`, done.stderr.trimEnd());
  // 1: errors in the data, or what --fail-on names.
  if (done.status !== 0 && done.status !== 1) throw new Error(`fairway ${words[0]} could not run: ${done.stderr.trim()}`);
  return done;
}

runner.run(async () => {
  if (path.isAbsolute(directory) || path.normalize(directory).startsWith('..'))
    throw new Error(`the input directory is '${directory}': name a folder below the repository's root`);
  if (!fs.existsSync(path.join(workspace, directory)))
    throw new Error(`the input directory is '${directory}', and there is no such folder: has actions/checkout run before?`);
  const comments = runner.flag('comment');
  const program = await install();
  const request = pullRequest();
  const base = baseCommit(request);
  const releases = runner.lines('releases').flatMap((source) => ['--releases', source]);

  const before = base ? dataOf(base) : undefined;
  const lint = ['lint', directory, ...(before ? ['--base', before] : []), ...releases];
  const found = JSON.parse(fairway(program, ...lint, '-o', 'json').stdout);
  process.stdout.write(fairway(program, ...lint, '-o', 'github').stdout);
  let failed = found.errors > 0;

  let changes;
  if (before && releases.length > 0) {
    const failOn = runner.lines('fail-on').flatMap((what) => ['--fail-on', what]);
    const compared = fairway(program, 'graph', 'changes', before, directory, ...releases, ...failOn, '-o', 'markdown');
    // Nothing, where all of the old or the new data is refused.
    changes = compared.stdout || notCompared(compared.stderr.replaceAll(before, '(base)'));
    // Data of the base that is refused is not the fault of a change that repairs it; errors of the new data count already.
    failed = failed || (compared.status !== 0 && compared.stdout !== '' && failOn.length > 0);
  }

  const markdown = report(found, changes);
  const file = path.join(fs.mkdtempSync(path.join(process.env.RUNNER_TEMP || os.tmpdir(), 'report-')), 'report.md');
  fs.writeFileSync(file, markdown);
  runner.summarise(markdown);
  runner.setOutput('errors', found.errors);
  runner.setOutput('warnings', found.warnings);
  runner.setOutput('report', file);
  if (request && comments) await comment(request.number, markdown, differs(base));
  if (failed) {
    runner.error('the graph data has errors, or changes what the input fail-on names: see the summary');
    process.exitCode = 1;
  }
});
