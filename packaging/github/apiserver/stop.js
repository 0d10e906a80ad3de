// SPDX-License-Identifier: Apache-2.0

// Stops the API server that start.js has started, at the end of the job.
'use strict';
const fs = require('fs');
const { setTimeout: pause } = require('timers/promises');
const runner = require('../lib/runner');

const patience = 30000;

/** Returns whether a process runs: one that has ended, and that nobody has waited for, does not. */
function runs(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
}

/** Returns whether the process is the server: its number may be another one's by now. */
function isServer(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('apiserver');
  } catch {
    return false;
  }
}

runner.run(async () => {
  const pid = Number(process.env.STATE_pid);
  if (pid > 0 && runs(pid) && isServer(pid)) {
    process.kill(pid, 'SIGTERM');
    const deadline = Date.now() + patience;
    while (runs(pid) && Date.now() < deadline) await pause(50);
    if (runs(pid)) {
      process.kill(pid, 'SIGKILL');
      runner.notice(`fairway apiserver did not end within ${patience / 1000} s, and was killed`);
    }
  } else if (pid > 0) {
    runner.notice('fairway apiserver had ended before the end of the job; its log says why');
  }
  const log = process.env.STATE_log;
  if (log && fs.existsSync(log)) runner.printLog('the log of fairway apiserver', fs.readFileSync(log, 'utf8').trimEnd());
});
