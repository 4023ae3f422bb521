import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';

const plugins = [
  fileURLToPath(new URL('../lint/streams.plugin.mjs', import.meta.url)),
  fileURLToPath(new URL('../lint/style.plugin.mjs', import.meta.url)),
  fileURLToPath(new URL('../lint/tests.plugin.mjs', import.meta.url)),
  fileURLToPath(new URL('../lint/texts.plugin.mjs', import.meta.url)),
];
const oxlint = fileURLToPath(new URL('../../../node_modules/.bin/oxlint', import.meta.url));

const refusedStreams: Record<string, string> = {
  'a socket without a listener': `import { connect } from 'node:net';\nexport const a = () => { const s = connect(1); s.end(); };`,
  'a socket that listens once': `import { connect } from 'node:net';\nexport const a = () => { const s = connect(1); s.once('error', () => {}); };`,
  'a stream': `import { PassThrough } from 'node:stream';\nexport const a = () => { const p = new PassThrough(); p.end(); };`,
  'a stream that is returned': `import { Readable } from 'node:stream';\nexport const a = () => new Readable({ read() {} });`,
  'a file': `import { createReadStream as read } from 'node:fs';\nexport const a = (res) => read('x').pipe(res);`,
  'a request': `import { request } from 'node:http';\nexport const a = () => request('http://x').end();`,
  'a reader of lines': `import { createInterface } from 'node:readline';\nexport const a = (s) => { s.on('error', () => {}); createInterface({ input: s }).on('line', () => {}); };`,
  'a child process': `import { spawn } from 'node:child_process';\nexport const a = () => { const c = spawn('x'); c.kill(); };`,
  'a listener of another stream': `import { connect } from 'node:net';\nexport const a = (t) => { const s = connect(1); t.on('error', () => {}); };`,
};
const acceptedStreams: Record<string, string> = {
  'a lasting listener': `import { connect } from 'node:net';\nexport const a = () => { const s = connect(1); s.on('error', () => {}); };`,
  'a listener in the chain': `import { request } from 'node:http';\nexport const a = () => request('http://x').on('error', () => {}).end();`,
  'a listener after others': `import { connect } from 'node:net';\nexport const a = () => { const s = connect(1); s.on('data', () => {}).on('error', () => {}); };`,
  'a pipeline': `import { createReadStream } from 'node:fs';\nimport { pipeline } from 'node:stream/promises';\nexport const a = (to) => pipeline(createReadStream('x'), to);`,
  'a loop': `import { createReadStream } from 'node:fs';\nexport const a = async () => { for await (const c of createReadStream('x')) c; };`,
  'a function of the same name from elsewhere': `import { connect } from 'nats';\nexport const a = () => connect();`,
};

const refusedFunctions: Record<string, string> = {
  'a constant arrow function': `const f = () => 1;\nf();`,
  'an exported arrow function': `export const f = async () => 1;`,
  'a constant function expression': `export const f = function () {};`,
};
const acceptedFunctions: Record<string, string> = {
  'a declaration': `export function f() {}`,
  'a constant with a type annotation': `type F = () => number;\nexport const f: F = () => 1;`,
  'an arrow function in a function': `export function f() { const g = () => 1; return g(); }`,
};

const refusedConstants: Record<string, string> = {
  'a constant in capitals': `export const MAX_BYTES = 1;`,
  'a constant in capitals in a function': `export function f() { const LIMIT = 1; return LIMIT; }`,
};
const acceptedConstants: Record<string, string> = {
  'a constant in camelCase': `export const maxBytes = 1;`,
  'a component': `export const Page = null;`,
  'a variable of the environment': `export const f = (env) => { const { MAX_BYTES } = env; return MAX_BYTES; };`,
};

const refusedTexts: Record<string, string> = {
  'a text between tags': `export const f = () => <p>Not saved</p>;`,
  'a text beside a message': `export const f = (t) => <p>{t\`Saved\`} again</p>;`,
  'a text for screen readers': `export const f = () => <p aria-label="Not saved" />;`,
};
const acceptedTexts: Record<string, string> = {
  'a message between tags': `export const f = (t) => <p>{t\`Not saved\`}</p>;`,
  'a message with elements': `export const f = (Trans) => <Trans>Press <b>Enter</b></Trans>;`,
  'a symbol': `export const f = () => <p> · </p>;`,
  'an attribute that is not read': `export const f = () => <p role="status" />;`,
};

const refusedTranslations: Record<string, string> = {
  'a translation in a table': `export const table = { saved: t\`Saved\` };`,
  'a plural in a table': `export const table = { files: plural(2, { other: '# files' }) };`,
};
const acceptedTranslations: Record<string, string> = {
  'a message in a table': `export const table = { saved: msg\`Saved\` };`,
  'a translation in a function': `export const table = { saved: () => t\`Saved\` };`,
};

const refusedTests: Record<string, readonly [rule: string, code: string]> = {
  'a sleep of 100 ms': ['fixed-sleep', `await sleep(100);`],
  'a promise of a timer': ['fixed-sleep', `await new Promise((resolve) => setTimeout(resolve, 2 * 1_000));`],
  'a sleep with a comment that gives no reason': ['fixed-sleep', `// Allowed: yes\nawait sleep(100);`],
  'an elapsed time below a limit': ['elapsed-time', `expect(Date.now() - from).toBeLessThan(30_000);`],
  'an elapsed time in a list': ['elapsed-time', `expect([performance.now() - from < 9_000]).toEqual([true]);`],
  'a wait of less than 5 s': ['short-limit', `await waitFor(() => done, { timeoutMs: 4_000 });`],
  'a signal of less than 5 s': ['short-limit', `await store.ping(AbortSignal.timeout(2_000));`],
  'a test of less than 5 s': ['short-limit', `it('answers', () => {}, 1_000);`],
  'a client of streams with its own limit': ['short-limit', `await nats.jetstream().publish(subject, body);`],
  'a random number': ['unprinted-seed', `const name = 'user' + Math.random();`],
  'a random integer': ['unprinted-seed', `const item = items[randomInt(items.length)];`],
};
const acceptedTests: Record<string, readonly [rule: string, code: string]> = {
  'a pause between two attempts': ['fixed-sleep', `while (!done) await sleep(20);`],
  'a sleep with a reason': ['fixed-sleep', `// Allowed: nothing announces that no row follows.\nawait sleep(500);`],
  'a timer that ends something': ['fixed-sleep', `const timer = setTimeout(end, 25_000);`],
  'an elapsed time above a limit': ['elapsed-time', `expect(Date.now() - from).toBeGreaterThan(1_000);`],
  'the time of the processor': ['elapsed-time', `expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);`],
  'a limit that is not short': ['short-limit', `await waitFor(() => done, { timeoutMs: 60_000 });`],
  'a client of streams with a limit': ['short-limit', `await nats.jetstream({ timeout: 30_000 }).publish(subject);`],
  'a limit that is meant to fire': [
    'short-limit',
    `// Allowed: the limit is meant to end it.\nawait work(AbortSignal.timeout(300));`,
  ],
  'a name': ['unprinted-seed', `const name = randomUUID();`],
};

const folder = await createFolder();
const rules = {
  'streams/error-handler': 'error',
  'style/top-level-function': 'error',
  'style/camel-case-constant': 'error',
  'tests/elapsed-time': 'error',
  'tests/fixed-sleep': 'error',
  'tests/short-limit': 'error',
  'tests/unprinted-seed': 'error',
  'texts/in-catalogue': 'error',
  'texts/translated-in-functions': 'error',
};
writeFileSync(join(folder, 'lint.json'), JSON.stringify({ jsPlugins: plugins, rules }));

function reports(rule: string, code: string): boolean {
  const file = join(folder, 'code.tsx');
  writeFileSync(file, code);
  const { stdout } = spawnSync(oxlint, ['-c', join(folder, 'lint.json'), '-f', 'json', file], { encoding: 'utf8' });
  return stdout.includes(rule);
}

describe('lint rule streams/error-handler', () => {
  it.each(Object.entries(refusedStreams))('rejects %s', (_name, code) => {
    expect(reports('streams(error-handler)', code)).toBe(true);
  });

  it.each(Object.entries(acceptedStreams))('accepts %s', (_name, code) => {
    expect(reports('streams(error-handler)', code)).toBe(false);
  });
});

describe('lint rule style/top-level-function', () => {
  it.each(Object.entries(refusedFunctions))('rejects %s', (_name, code) => {
    expect(reports('style(top-level-function)', code)).toBe(true);
  });

  it.each(Object.entries(acceptedFunctions))('accepts %s', (_name, code) => {
    expect(reports('style(top-level-function)', code)).toBe(false);
  });
});

describe('lint rule style/camel-case-constant', () => {
  it.each(Object.entries(refusedConstants))('rejects %s', (_name, code) => {
    expect(reports('style(camel-case-constant)', code)).toBe(true);
  });

  it.each(Object.entries(acceptedConstants))('accepts %s', (_name, code) => {
    expect(reports('style(camel-case-constant)', code)).toBe(false);
  });
});

describe('lint rule texts/in-catalogue', () => {
  it.each(Object.entries(refusedTexts))('rejects %s', (_name, code) => {
    expect(reports('texts(in-catalogue)', code)).toBe(true);
  });

  it.each(Object.entries(acceptedTexts))('accepts %s', (_name, code) => {
    expect(reports('texts(in-catalogue)', code)).toBe(false);
  });
});

describe('lint rule texts/translated-in-functions', () => {
  it.each(Object.entries(refusedTranslations))('rejects %s', (_name, code) => {
    expect(reports('texts(translated-in-functions)', code)).toBe(true);
  });

  it.each(Object.entries(acceptedTranslations))('accepts %s', (_name, code) => {
    expect(reports('texts(translated-in-functions)', code)).toBe(false);
  });
});

describe('lint rules tests/*', () => {
  it.each(Object.entries(refusedTests))('rejects %s', (_name, [rule, code]) => {
    expect(reports(`tests(${rule})`, code)).toBe(true);
  });

  it.each(Object.entries(acceptedTests))('accepts %s', (_name, [rule, code]) => {
    expect(reports(`tests(${rule})`, code)).toBe(false);
  });
});
