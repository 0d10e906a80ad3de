// SPDX-License-Identifier: Apache-2.0

// The comment on a pull request: one, which later runs update.
'use strict';
const runner = require('./runner');

const marker = '<!-- fairway: lint-graph-data -->';
// GitHub takes 65536 characters.
const longest = 60000;
const perPage = 100;

class Refused extends Error {}

async function send(method, path, body) {
  const api = process.env.GITHUB_API_URL || 'https://api.github.com';
  const reply = await fetch(`${api}/repos/${process.env.GITHUB_REPOSITORY}/${path}`, {
    method,
    headers: {
      Accept: 'application/vnd.github+json',
      Authorization: `Bearer ${runner.token}`,
      'Content-Type': 'application/json',
      'X-GitHub-Api-Version': '2022-11-28',
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(60000),
  });
  if (reply.ok) return reply.json();
  const what = `${method} ${path}: status ${reply.status}: ${(await reply.text()).slice(0, 200)}`;
  // GitHub answers so when the token lacks a right, as that of a fork does.
  if (reply.status === 401 || reply.status === 403 || reply.status === 404) throw new Refused(what);
  throw new Error(`commenting on the pull request: ${what}`);
}

/** Returns the comment of an earlier run. One of somebody else does not count, whatever it says: they could change it again. */
async function earlier(number, author) {
  for (let page = 1; ; ++page) {
    const comments = await send('GET', `issues/${number}/comments?per_page=${perPage}&page=${page}`);
    const found = comments.find((comment) => comment.user && comment.user.login === author && comment.body.startsWith(marker));
    if (found || comments.length < perPage) return found;
  }
}

/** Writes the comment; unless it is `wanted`, it only updates an earlier one. A token without the right is no error. */
async function comment(number, markdown, wanted) {
  let text = `${marker}\n${markdown}`;
  if (text.length > longest) text = `${text.slice(0, longest)}\n\nThe rest is in the summary of the run.\n`;
  try {
    const known = await earlier(number, runner.input('comment-author'));
    if (known) await send('PATCH', `issues/comments/${known.id}`, { body: text });
    else if (wanted) await send('POST', `issues/${number}/comments`, { body: text });
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    runner.notice(`the token may not comment on this pull request (${fault.message}): what it would say is in the summary of the run`);
  }
}

module.exports = { comment };
