import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const plugin = fileURLToPath(new URL('../lint/streams.plugin.mjs', import.meta.url));
const oxlint = fileURLToPath(new URL('../../../node_modules/.bin/oxlint', import.meta.url));

const refused: Record<string, string> = {
  'a socket without a listener': `import { connect } from 'node:net';\nexport const a = () => { const s = connect(1); s.end(); };`,
  'a socket that listens once': `import { connect } from 'node:net';\nexport const a = () => { const s = connect(1); s.once('error', () => {}); };`,
  'a stream': `import { PassThrough } from 'node:stream';\nexport const a = () => { const p = new PassThrough(); p.end(); };`,
  'a stream that is returned': `import { Readable } from 'node:stream';\nexport const a = () => new Readable({ read() {} });`,
  'a file': `import { createReadStream as read } from 'node:fs';\nexport const a = (res) => read('x').pipe(res);`,
  'a request': `import { request } from 'node:http';\nexport const a = () => request('http://x').end();`,
  'a child process': `import { spawn } from 'node:child_process';\nexport const a = () => { const c = spawn('x'); c.kill(); };`,
  'a listener of another stream': `import { connect } from 'node:net';\nexport const a = (t) => { const s = connect(1); t.on('error', () => {}); };`,
};
const accepted: Record<string, string> = {
  'a lasting listener': `import { connect } from 'node:net';\nexport const a = () => { const s = connect(1); s.on('error', () => {}); };`,
  'a listener in the chain': `import { request } from 'node:http';\nexport const a = () => request('http://x').on('error', () => {}).end();`,
  'a listener after others': `import { connect } from 'node:net';\nexport const a = () => { const s = connect(1); s.on('data', () => {}).on('error', () => {}); };`,
  'a pipeline': `import { createReadStream } from 'node:fs';\nimport { pipeline } from 'node:stream/promises';\nexport const a = (to) => pipeline(createReadStream('x'), to);`,
  'a loop': `import { createReadStream } from 'node:fs';\nexport const a = async () => { for await (const c of createReadStream('x')) c; };`,
  'a function of the same name from elsewhere': `import { connect } from 'nats';\nexport const a = () => connect();`,
};

describe('lint rule streams/error-handler', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'overtone-lint-'));
    const rules = { 'streams/error-handler': 'error' };
    writeFileSync(join(folder, 'lint.json'), JSON.stringify({ jsPlugins: [plugin], rules }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const reports = (code: string): boolean => {
    const file = join(folder, 'code.js');
    writeFileSync(file, code);
    const { stdout } = spawnSync(oxlint, ['-c', join(folder, 'lint.json'), '-f', 'json', file], { encoding: 'utf8' });
    return stdout.includes('streams(error-handler)');
  };

  it.each(Object.entries(refused))('refuses %s', (_name, code) => {
    expect(reports(code)).toBe(true);
  });

  it.each(Object.entries(accepted))('accepts %s', (_name, code) => {
    expect(reports(code)).toBe(false);
  });
});
