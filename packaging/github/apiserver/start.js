// SPDX-License-Identifier: Apache-2.0

// Starts the API server, waits until it is ready, and tells the steps that follow where it is. stop.js stops it.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const https = require('https');
const os = require('os');
const path = require('path');
const { setTimeout: pause } = require('timers/promises');
const { install } = require('../lib/install');
const runner = require('../lib/runner');

/** Returns the value of a key of a kubeconfig with one cluster and one user. */
function valueOf(kubeconfig, key) {
  const found = new RegExp(`^[ -]*${key}: *"?([^"\\n]+)"?$`, 'm').exec(kubeconfig);
  return found ? found[1] : undefined;
}

/** Returns whether the server says that it is ready. */
function isReady(server, authority) {
  return new Promise((resolve) => {
    const request = https.get(`${server}/readyz`, { ca: authority, timeout: 5000 }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

runner.run(async () => {
  const seconds = Number(runner.input('timeout'));
  if (!(seconds > 0)) throw new Error(`the input timeout is '${runner.input('timeout')}': write a number of seconds`);
  const program = await install();
  const folder = fs.mkdtempSync(path.join(process.env.RUNNER_TEMP || os.tmpdir(), 'fairway-apiserver-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const log = path.join(folder, 'log');
  const data = runner.input('data');
  const words = ['apiserver', '--listen', '127.0.0.1:0', '--kubeconfig', kubeconfig, ...(data ? ['--data', data] : ['--memory']),
    ...runner.lines('apply').flatMap((file) => ['--apply', file]), ...runner.lines('args')];

  const output = fs.openSync(log, 'a');
  const child = spawn(program, words, { detached: true, stdio: ['ignore', output, output] });
  let ended;
  child.on('error', (fault) => { ended = fault.message; });
  child.on('exit', (code, signal) => { ended = signal ? `it ended by ${signal}` : `it ended with the exit code ${code}`; });
  // This process ends before it.
  child.unref();
  // Before it is ready: stop.js runs in any case.
  if (child.pid) runner.saveState('pid', child.pid);
  runner.saveState('log', log);

  const deadline = Date.now() + seconds * 1000;
  const failed = (why) => {
    runner.printLog('the log of fairway apiserver', fs.readFileSync(log, 'utf8').trimEnd());
    return new Error(`starting fairway apiserver: ${why}; its log is above`);
  };
  for (;;) {
    if (ended) throw failed(ended);
    if (fs.existsSync(kubeconfig)) {
      const text = fs.readFileSync(kubeconfig, 'utf8');
      const server = valueOf(text, 'server');
      const authority = valueOf(text, 'certificate-authority-data');
      if (server && authority && (await isReady(server, Buffer.from(authority, 'base64')))) {
        runner.setVariable('KUBECONFIG', kubeconfig);
        runner.setOutput('kubeconfig', kubeconfig);
        runner.setOutput('server', server);
        console.log(`the API server is ready: ${server}, KUBECONFIG=${kubeconfig}`);
        break;
      }
    }
    if (Date.now() > deadline) throw failed(`it was not ready within ${seconds} s`);
    await pause(50);
  }
});
