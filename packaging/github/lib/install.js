// SPDX-License-Identifier: Apache-2.0

// Gets the program: one that is there, or a release's tarball, whose checksum is compared before anything of it runs.
'use strict';
const { execFileSync } = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');
const runner = require('./runner');

const minute = 60000;

async function download(url) {
  const failed = (why) => new Error(`downloading ${url}: ${why}; the input url names the folder that has the files of the release`);
  let reply;
  try {
    reply = await fetch(url, { signal: AbortSignal.timeout(5 * minute) });
    if (reply.ok) return Buffer.from(await reply.arrayBuffer());
  } catch (fault) {
    throw failed(fault.cause ? fault.cause.message : fault.message);
  }
  throw failed(`status ${reply.status}`);
}

/** Returns the URL of the folder of a release: that of the input, else of the repository that the action is from. */
function releaseFolder(version) {
  const url = runner.input('url');
  if (url) return url.replace(/\/+$/, '');
  const repository = process.env.GITHUB_ACTION_REPOSITORY;
  if (!repository) throw new Error('where to download from is not known: give the input url, or the program with the input fairway');
  return `${process.env.GITHUB_SERVER_URL || 'https://github.com'}/${repository}/releases/download/v${version}`;
}

/** Throws unless the bytes are those that SHA256SUMS lists, and that the input sha256 names, if it is given. */
function verify(name, bytes, sums) {
  const is = crypto.createHash('sha256').update(bytes).digest('hex');
  const listed = sums.split('\n').map((line) => /^([0-9a-f]{64}) [ *](.*)$/.exec(line)).find((line) => line && line[2] === name);
  if (!listed) throw new Error(`SHA256SUMS does not list ${name}: it is of another release`);
  const has = `${name} has the SHA-256 ${is}`;
  if (listed[1] !== is) throw new Error(`${has}, and SHA256SUMS says ${listed[1]}: it is damaged, or not the release`);
  const pinned = runner.input('sha256').toLowerCase();
  if (pinned && pinned !== is) throw new Error(`${has}, and the input sha256 is ${pinned}: it is not what you pinned`);
}

/** Returns the path of the program `fairway`, which is on the PATH of the steps that follow. */
async function install() {
  const given = runner.input('fairway');
  if (given) {
    const program = path.resolve(given);
    fs.accessSync(program, fs.constants.X_OK);
    runner.addPath(path.dirname(program));
    return program;
  }
  const version = runner.input('version');
  if (!/^[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*$/.test(version))
    throw new Error(`the input version is '${version}': write one such as 0.2.0`);
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`there is no tarball for ${process.platform} on ${process.arch}: use a runner with Linux on x64`);
  const folder = releaseFolder(version);
  const name = `fairway-${version}-linux-amd64`;
  const [sums, bytes] = await Promise.all([download(`${folder}/SHA256SUMS`), download(`${folder}/${name}.tar.gz`)]);
  verify(`${name}.tar.gz`, bytes, sums.toString());
  const target = fs.mkdtempSync(path.join(process.env.RUNNER_TEMP || os.tmpdir(), 'fairway-'));
  fs.writeFileSync(path.join(target, 'release.tar.gz'), bytes);
  execFileSync('tar', ['-xzf', 'release.tar.gz'], { cwd: target });
  fs.unlinkSync(path.join(target, 'release.tar.gz'));
  const bin = path.join(target, name, 'bin');
  runner.addPath(bin);
  return path.join(bin, 'fairway');
}

module.exports = { install };
