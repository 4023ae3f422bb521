import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listInstalled, readCatalogue, type CatalogueEntry } from '@overtone/models';
import { createFolder } from '@overtone/testkit/cleanup';
import { startFileServer, type Fault } from '@overtone/models/test-file-server';

const main = fileURLToPath(new URL('../../test/offer.main.ts', import.meta.url));
const content = Buffer.alloc(2_000_000, 'speech');
const question = 'Fetch tiny-speech (1.9 MiB) now? [y/N]';
/** The starts compile the program once. */
const compiled = await createFolder();
let folder = '';
let server: Awaited<ReturnType<typeof startFileServer>>;
let fault: Fault = () => undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offer-'));
  fault = () => undefined;
  server = await startFileServer(content, (seen, count) => fault(seen, count));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** The only speech model that suits any machine: those of the product would need too much memory. */
async function writeCatalogue(licence: Partial<CatalogueEntry['licence']>): Promise<string> {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const bytes = content.length;
  const tiny: CatalogueEntry = {
    name: 'tiny-speech',
    title: 'Tiny',
    kind: 'asr',
    family: 'whisper',
    languages: [],
    licence: { name: 'MIT', url: 'https://example.org/licence', acceptance: false, ...licence },
    purpose: 'Tests',
    memory_mib: 1,
    cpu_real_time_factor: null,
    downloads: [{ name: 'model.onnx', bytes, sha256, sources: [`${server.url}/model.onnx`] }],
    files: Object.fromEntries(
      ['encoder', 'decoder', 'tokens'].map((role) => [role, { path: 'model.onnx', bytes, sha256 }]),
    ),
  };
  const others = (await readCatalogue()).map((entry) => ({ ...entry, memory_mib: 1_000_000_000 }));
  const file = join(folder, 'catalogue.json');
  await writeFile(file, JSON.stringify({ version: 1, models: [tiny, ...others] }));
  return file;
}

type Start = {
  /** What is typed once the text appears on the terminal. */
  typed?: readonly (readonly [after: string, keys: string])[];
  isFirst?: boolean;
  withoutTerminal?: boolean;
  env?: Record<string, string>;
  licence?: Partial<CatalogueEntry['licence']>;
};

/** Runs the end of a start under a pseudo terminal. @returns what it shows, and its exit code. */
async function start({ typed = [], isFirst = true, withoutTerminal, env = {}, licence = {} }: Start = {}) {
  const command = [process.execPath, main, join(folder, 'models'), String(isFirst)];
  // `exec`: a shell that stays the parent would end on the Ctrl-C that its child handles.
  const inTerminal = ['script', '-qec', `exec ${command.join(' ')}`, '/dev/null'];
  const [program, ...args] = withoutTerminal === true ? command : inTerminal;
  const { CI: _, ASR_OPENAI_BASE_URL: __, ...inherited } = process.env;
  const child = spawn(program!, args, {
    env: { ...inherited, NODE_COMPILE_CACHE: compiled, OT_MODEL_CATALOGUE: await writeCatalogue(licence), ...env },
  });
  const waiting = [...typed];
  let shown = '';
  const receive = (part: Buffer): void => {
    shown += part.toString();
    const next = waiting[0];
    if (next === undefined || !shown.includes(next[0])) return;
    waiting.shift();
    child.stdin.write(next[1]);
  };
  child.stdout.on('data', receive);
  child.stderr.on('data', receive);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, shown };
}

async function installed(): Promise<string[]> {
  await mkdir(join(folder, 'models'), { recursive: true });
  return (await listInstalled(join(folder, 'models')))
    .filter(({ fault: wrong }) => wrong === null)
    .map(({ name }) => name);
}

describe('the offer of a speech model at a start', () => {
  it('names the machine, and fetches the model on the answer y', async () => {
    const { code, shown } = await start({ typed: [[question, 'y\r']] });
    expect(shown).toMatch(/suit this machine \(\d+ cores?, [\d.]+ [GM]iB of memory, (no|a) GPU/);
    expect([code, shown]).toEqual([0, expect.stringContaining('tiny-speech is installed')]);
    expect(await installed()).toEqual(['tiny-speech']);
    expect((await start()).shown).toBe('continued\r\n');
  });

  it('is declined by return, prints the command, and is not repeated', async () => {
    const { code, shown } = await start({ typed: [[question, '\r']] });
    expect([code, shown]).toEqual([0, expect.stringContaining('Fetch one with: ./overtone models pull tiny-speech')]);
    expect((await start({ isFirst: false })).shown).toBe('continued\r\n');
    expect(server.seen).toEqual([]);
  });

  it('is repeated at the next start after Ctrl-D', async () => {
    expect((await start({ typed: [[question, '\u0004']] })).shown).toContain('continued');
    expect((await start({ isFirst: false, typed: [[question, 'n\r']] })).shown).toContain(question);
  });

  it('ends the program on Ctrl-C, as without the question', async () => {
    expect(await start({ typed: [[question, '\u0003']] })).toMatchObject({
      code: 130,
      shown: expect.not.stringContaining('continued'),
    });
  });

  it('does not fail the start when the download fails', async () => {
    fault = () => ({ status: 403 });
    const { code, shown } = await start({ typed: [[question, 'y\r']] });
    expect([code, shown]).toEqual([0, expect.stringMatching(/tiny-speech is not installed: .*answered 403/)]);
    expect(shown).toContain('./overtone models pull tiny-speech');
    expect(shown).toContain('continued');
  });

  it('ends the download only on Ctrl-C, and the next start continues it', async () => {
    fault = (_, count) => (count === 1 ? { silentAfter: 1_000_000 } : undefined);
    const { code, shown } = await start({
      typed: [
        [question, 'y\r'],
        ['1.0 MiB of', '\u0003'],
      ],
    });
    expect([code, shown]).toEqual([0, expect.stringContaining('was stopped')]);
    expect(shown).toContain('continued');
    await start({ isFirst: false, typed: [[question, 'y\r']] });
    expect(await installed()).toEqual(['tiny-speech']);
    expect(server.sent()).toBeLessThan(2_100_000);
  });

  it('names a catalogue that cannot be read and the reason, at each start and also with a model, without failing it', async () => {
    const broken = join(folder, 'broken.json');
    await writeFile(broken, JSON.stringify({ version: 1, models: [{ name: 'tiny-speech' }] }));
    const env = { OT_MODEL_CATALOGUE: broken };
    const { code, shown } = await start({ env });
    expect([code, shown]).toEqual([0, expect.stringContaining(`The model catalogue ${broken} cannot be read: `)]);
    expect(shown).toMatch(/models\[0\]\.title/);
    expect(shown).not.toMatch(/The catalogue has none|\[y\/N\]/);
    expect(shown).toContain('continued');
    await start({ typed: [[question, 'y\r']] });
    await rm(broken);
    const later = await start({ isFirst: false, env });
    expect([later.code, later.shown]).toEqual([0, expect.stringMatching(/broken\.json cannot be read: ENOENT/)]);
  });

  it('accepts a licence by the answer to a question that names it', async () => {
    const asked = 'Accept the licence CC-BY-NC-4.0 (https://example.org/licence) and fetch tiny-speech';
    const licence = { name: 'CC-BY-NC-4.0', acceptance: true };
    expect((await start({ licence, typed: [[asked, 'yes\r']] })).code).toBe(0);
    expect(await installed()).toEqual(['tiny-speech']);
  });

  it('is the command only without a terminal, in CI, and with an endpoint for transcription', async () => {
    const withEndpoint = { ASR_OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    for (const how of [{ withoutTerminal: true }, { env: { CI: 'true' } }, { env: withEndpoint }]) {
      const { code, shown } = await start(how);
      expect([code, shown]).toEqual([0, expect.stringContaining('Fetch one with: ./overtone models pull tiny-speech')]);
      expect(shown).not.toContain('[y/N]');
    }
    expect((await start({ withoutTerminal: true, isFirst: false })).shown).toBe('continued\n');
  });
});
