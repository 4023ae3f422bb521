import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const program = join(import.meta.dirname, 'files.mjs');
/** Characters of a process's last errors that are in the report if it ends without a result. */
const longestExcerpt = 20_000;
/** Bytes; a process that takes more runs no further file. */
const largestProcess = 1_000_000_000;

/**
 * Jest's runner for tests with real servers: one process of plain Node runs the files of one package, one after the
 * other, and keeps the product and its packages loaded, where Jest's own runner compiles them for each file.
 */
// oxlint-disable-next-line import/no-default-export -- Jest takes the default export
export default class ProcessRunner {
  /** `graceMs`: how long a process may give no sign beyond the limit of the hook or test that it is at. */
  constructor(globalConfig, _context, { graceMs = 60_000 } = {}) {
    this.globalConfig = globalConfig;
    this.graceMs = graceMs;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure, { serial }) {
    const waiting = [...tests];
    const work = async () => {
      let running;
      while (waiting.length > 0 && !watcher.isInterrupted()) {
        const next = waiting.findIndex((test) => packageOf(test) === running?.package);
        const [test] = waiting.splice(Math.max(next, 0), 1);
        if (next < 0) {
          await running?.end();
          running = startProcess(this, packageOf(test));
        }
        await onStart(test);
        const outcome = await running.run(test).catch((error) => ({ error }));
        await (outcome.error ? onFailure(test, outcome.error) : onResult(test, outcome.result));
        const { error, result, memory } = outcome;
        // What a failed file left behind must not reach the next one.
        if (error || result.numFailingTests > 0 || result.testExecError || memory > largestProcess) {
          await running.end();
          running = undefined;
        }
      }
      await running?.end();
    };
    await Promise.all(Array.from({ length: serial ? 1 : this.globalConfig.maxWorkers }, work));
  }
}

function packageOf({ path }) {
  return /^.*?\/(?:packages|services)\/[^/]+(?=\/)/.exec(path)?.[0] ?? '';
}

function startProcess({ globalConfig, graceMs }, ofPackage) {
  const colours = process.stdout.isTTY && process.env.NO_COLOR === undefined ? { FORCE_COLOR: '1' } : {};
  const child = fork(program, [], { env: { ...process.env, ...colours }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stderr, { end: false });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-longestExcerpt)));
  // Its last message may be read after its end.
  const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  let receive;
  child.on('message', (message) => receive(message));
  let timer;
  const endAfter = (limitMs, onEnd) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      onEnd();
      child.kill('SIGKILL');
    }, limitMs);
  };
  const earlier = [];

  return {
    package: ofPackage,
    /** @returns the result of the file, or an error: its own, or that the process ended without a result */
    async run({ path, context: { config } }) {
      const start = Date.now();
      errors = '';
      let step = 'loading it';
      const allow = (limitMs) =>
        endAfter(limitMs + graceMs, () => (step += `, which gave no sign for ${limitMs + graceMs} ms`));
      const outcome = new Promise((resolve) => {
        receive = (message) => {
          if (message.step === undefined) return resolve(message);
          step = message.step;
          allow(message.limitMs);
        };
      });
      allow(globalConfig.testTimeout ?? 5_000);
      if (child.connected) child.send({ path, globalConfig, config });
      const found = await Promise.race([outcome, ended.then(() => undefined)]);
      clearTimeout(timer);
      if (!found) {
        // A program that it left behind may hold the pipe open.
        if (!child.stderr.closed)
          await once(child.stderr, 'close', { signal: AbortSignal.timeout(5_000) }).catch(() => {});
        const before = earlier.length > 0 ? `\nIt had run: ${earlier.join(', ')}` : '';
        const how = child.signalCode ?? `code ${child.exitCode}`;
        const message = `The process of this file ended with ${how} while at: ${step}${before}\n${errors}`;
        return { error: { message, stack: message } };
      }
      earlier.push(path.slice(config.rootDir.length + 1));
      if (found.error) return found;
      const end = Date.now();
      const slow = (end - start) / 1_000 > config.slowTestThreshold;
      return {
        ...found,
        result: { ...found.result, perfStats: { ...found.result.perfStats, start, end, runtime: end - start, slow } },
      };
    },

    async end() {
      if (child.connected) child.disconnect();
      endAfter(graceMs, () => {});
      await ended;
      clearTimeout(timer);
    },
  };
}
