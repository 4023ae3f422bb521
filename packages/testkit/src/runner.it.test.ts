import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createFolder } from './cleanup.ts';

const runner = join(import.meta.dirname, '../runner/runner.mjs');
const jest = join(import.meta.dirname, '../../../node_modules/.bin/jest');
const imports = `import { afterAll, expect, it, jest } from '@jest/globals';`;

type Report = {
  success: boolean;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { title: string; status: string; failureMessages: string[] }[];
  }[];
};

type Settings = {
  readonly options?: object;
  readonly args?: readonly string[];
  readonly workers?: number;
  readonly config?: object;
  /** Files that are no tests. */
  readonly others?: Readonly<Record<string, string>>;
};

/** Runs the files with the runner; `of` has what Jest reports of a file. */
async function run(
  files: Readonly<Record<string, string>>,
  { options = {}, args = [], workers = 2, config = {}, others = {} }: Settings = {},
) {
  const folder = join(await createFolder(), 'tests');
  const report = join(folder, 'report.json');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'jest.config.json'),
    JSON.stringify({ runner: [runner, options], testMatch: ['**/*.test.ts'], testTimeout: 300_000, ...config }),
  );
  const tests = Object.entries(files).map(([name, text]) => [`${name}.test.ts`, text] as const);
  for (const [name, text] of [...tests, ...Object.entries(others)]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const child = spawn(jest, ['--ci', `--maxWorkers=${workers}`, '--json', `--outputFile=${report}`, ...args], {
    cwd: folder,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  if (!existsSync(report)) throw new Error(output);
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
  const of = (file: string) => {
    const { status, message, assertionResults } = testResults.find(({ name }) => name.endsWith(`/${file}.test.ts`))!;
    return { status, message, tests: Object.fromEntries(assertionResults.map((test) => [test.title, test.status])) };
  };
  return { code: code as number, output, of };
}

it('a file passes when its tests pass, whatever it leaves open, and its output is shown', async () => {
  const { code, output, of } = await run({
    passing: `${imports}
      setInterval(() => {}, 1_000);
      it.each([1, 2])('row %i', (row: number) => expect(row).toBeGreaterThan(0));
      it('prints', () => {
        process.stdout.write('written by the test\\n');
        console.log('logged by the test');
      });`,
    spies: `${imports}
      it('replaces the clock, and not that of node:timers', async () => {
        jest.useFakeTimers();
        const timers = process.getBuiltinModule('node:timers/promises');
        const call = jest.fn();
        setTimeout(call, 60_000);
        jest.advanceTimersByTime(60_000);
        await timers.setTimeout(1);
        jest.useRealTimers();
        expect(call).toHaveBeenCalledTimes(1);
        jest.spyOn(Date, 'now').mockImplementation(() => 7);
        expect(Date.now()).toBe(7);
      });`,
  });
  expect(of('passing')).toMatchObject({
    status: 'passed',
    tests: { 'row 1': 'passed', 'row 2': 'passed', prints: 'passed' },
  });
  expect(of('spies')).toMatchObject({
    status: 'passed',
    tests: { 'replaces the clock, and not that of node:timers': 'passed' },
  });
  expect(output).toContain('written by the test');
  expect(output).toContain('logged by the test');
  expect(code).toBe(0);
});

it('files of a package share the loaded product, and nothing that a file changed', async () => {
  const file = `${imports}
    import { loaded, own } from './test/helper.ts';
    const tracing = Symbol.for('opentelemetry.js.api.1');
    it('finds everything as a first file does', async () => {
      expect(process.env.CHANGED).toBeUndefined();
      expect(process.env.HOME).not.toBe('elsewhere');
      expect(globalThis.fetch.name).not.toBe('replaced');
      expect(Date.now()).toBeGreaterThan(1_000);
      expect(own.calls).toBe(0);
      expect(Reflect.get(globalThis, tracing)).toBeUndefined();
      expect((await import('./product.ts')).product).toBe(loaded);
      process.env.CHANGED = 'yes';
      process.env.HOME = 'elsewhere';
      globalThis.fetch = async function replaced() { throw new Error('not wanted'); };
      jest.spyOn(Date, 'now').mockImplementation(() => 7);
      jest.useFakeTimers();
      own.calls += 1;
      Reflect.set(globalThis, tracing, {});
      console.log('instance ' + loaded.id);
    });`;
  const { code, output } = await run(
    { one: file, two: file, three: file },
    {
      workers: 1,
      others: {
        'product.ts': 'export const product = { id: Math.random() };',
        'test/helper.ts': `import { afterAll } from '@jest/globals';
          import { product } from '../product.ts';
          afterAll(() => {});
          export const loaded = product;
          export const own = { calls: 0 };`,
      },
    },
  );
  expect(code).toBe(0);
  const instances = output.match(/instance [\d.]+/g);
  expect(instances).toHaveLength(3);
  expect(new Set(instances).size).toBe(1);
});

it('a file after a failed one, and one of another package, begins in a new process', async () => {
  const file = (rule: string) => `${imports}
    it('tells its process', () => {
      console.log('process ' + process.pid);
      ${rule}
    });`;
  const { output } = await run(
    {
      'packages/a/1': file(`throw new Error('fails');`),
      'packages/a/2': file(''),
      'packages/b/3': file(''),
      'packages/b/4': file(''),
    },
    { workers: 1 },
  );
  const processes = output.match(/process \d+/g);
  expect(processes).toHaveLength(4);
  expect(new Set(processes).size).toBe(3);
});

it('a module that stays loaded and uses Jest is refused by name', async () => {
  const { code, of } = await run({ file: `import './helper.ts';` }, { others: { 'helper.ts': imports } });
  expect(of('file')).toMatchObject({ status: 'failed', message: expect.stringContaining('/helper.ts stays loaded') });
  expect(code).toBe(1);
});

it('a process that ends between two files fails the next one and names the one before', async () => {
  const { code, of } = await run(
    {
      first: `${imports}
        it('passes', () => void setTimeout(() => process.exit(3), 1_000));`,
      second: 'await new Promise(() => {});',
    },
    { workers: 1, options: { graceMs: 5_000 }, config: { testTimeout: 20_000 } },
  );
  const [failed] = [of('first'), of('second')].filter(({ status }) => status === 'failed');
  expect(failed?.message).toContain('ended with code 3');
  expect(code).toBe(1);
});

it('a file fails with its reason when a test or hook fails, an import throws, its process ends, or it has no tests', async () => {
  const { code, of } = await run({
    assertion: `${imports}
      it('passes', () => {});
      it('compares', () => expect({ sum: 1n }).toEqual({ sum: 2n }));`,
    hook: `${imports}
      afterAll(() => { throw new Error('hook failed'); });
      it('passes', () => {});`,
    rejection: `${imports}
      it('passes', async () => {
        void Promise.reject(new Error('nobody caught it'));
        await new Promise((resolve) => setTimeout(resolve, 10));
      });`,
    missing: `${imports}
      import './not-there.ts';
      it('passes', () => {});`,
    syntax: `${imports}
      it('passes', () => {);`,
    throws: `${imports}
      throw new Error('loading failed', { cause: new Error('and why') });`,
    killed: `${imports}
      it('kills', async () => {
        console.error('unseen');
        process.stderr.write('last words');
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => {});
      });`,
    exits: `${imports}
      it('leaves', () => process.exit(0));`,
    empty: `export {};`,
  });
  expect(of('assertion')).toMatchObject({
    status: 'failed',
    tests: { passes: 'passed', compares: 'failed' },
    message: expect.stringContaining('(assertion.test.ts:3:'),
  });
  const failing = (reason: string) => ({ status: 'failed', message: expect.stringContaining(reason) });
  expect(of('hook')).toMatchObject(failing('hook failed'));
  expect(of('rejection')).toMatchObject(failing('nobody caught it'));
  expect(of('missing')).toMatchObject(failing('not-there.ts'));
  expect(of('syntax')).toMatchObject(failing('syntax.test.ts'));
  expect(of('throws')).toMatchObject(failing('loading failed'));
  expect(of('throws')).toMatchObject(failing('and why'));
  expect(of('killed')).toMatchObject(failing('ended with SIGKILL while at: kills\n    last words'));
  expect(of('exits')).toMatchObject(failing('ended with code 0 while at: leaves'));
  expect(of('empty')).toMatchObject(failing('must contain at least one test'));
  expect(code).toBe(1);
});

it('a process that hangs is ended, and its file fails', async () => {
  const { code, of } = await run(
    {
      loading: `await new Promise(() => {});`,
      busy: `${imports}
        it('never yields', () => { for (;;); });`,
    },
    { options: { graceMs: 0 }, config: { testTimeout: 1_000 } },
  );
  for (const file of ['loading', 'busy'])
    expect(of(file)).toMatchObject({ status: 'failed', message: expect.stringContaining('gave no sign for 1000 ms') });
  expect(code).toBe(1);
});

it('only the named tests run', async () => {
  const file = `${imports}
    it('reads', () => {});
    it('writes', () => { throw new Error('not wanted'); });`;
  const { code, of } = await run({ file }, { args: ['-t', 'reads'] });
  expect(of('file').tests).toEqual({ reads: 'passed', writes: 'pending' });
  expect(code).toBe(0);
});
