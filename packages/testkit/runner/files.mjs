// Runs test files one after the other: receives the path of each and Jest's configuration, and sends what Jest's own
// runner returns. Modules of the product and packages stay loaded; test files and their helpers are loaded again for each file.
import { createRequire, registerHooks } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { BufferedConsole, CustomConsole, getConsoleOutput, NullConsole } from '@jest/console';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const globals = new URL('globals.mjs', import.meta.url).href;
/** Test files and their helpers, which hold what they clean up and when; `answers.ts` keeps its compiled schemas. */
const ofTests = /\/packages\/testkit\/src\/(?!answers\.ts$)|\/test\/|\.(?:test|setup)\.ts$/;
const env = { ...process.env };
const { fetch } = globalThis;
let file = 0;

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === '@jest/globals')
      return { url: urlForFile(globals, context), format: 'module', shortCircuit: true };
    const found = next(specifier, context);
    return ofTests.test(found.url) && !found.url.includes('/node_modules/')
      ? { ...found, url: urlForFile(found.url) }
      : found;
  },
});

const send = process.send.bind(process);
// No more files, or the test run ended: whatever is open then, servers, timers, connections, ends here.
process.once('disconnect', () => process.exit());
process.on('message', ({ path, globalConfig, config }) => {
  runFile(path, globalConfig, config).then(sendResult, (error) =>
    send({ error: { message: error?.message ?? String(error), stack: shorten(inspect(error)) } }),
  );
});

function urlForFile(url, { parentURL } = {}) {
  if (parentURL && !parentURL.endsWith(`?${file}`))
    throw new Error(`${parentURL} stays loaded from file to file and cannot use Jest: move it to a folder "test"`);
  return `${url}?${file}`;
}

async function runFile(path, globalConfig, config) {
  file += 1;
  resetGlobals();
  globalThis.console = createConsole(globalConfig, config);
  const require = createRequire(path);
  const load = (path) => import(pathToFileURL(path).href);
  for (const path of config.setupFiles) await load(path);

  const moduleMocker = new ModuleMocker(globalThis);
  // Another object than the global one: only its functions are faked, not those of `node:timers`, which helpers use.
  const fakeTimersModern = new ModernFakeTimers({ config, global: new Proxy(globalThis, {}) });
  const runtime = {
    requireInternalModule: require,
    requireModule: require,
    setGlobalsForRuntime: (all) => Object.assign(globalThis, all, { jest: createJest(moduleMocker, fakeTimersModern) }),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: load,
    enterTestCode: () => {},
    leaveTestCode: () => {},
    clearAllMocks: () => moduleMocker.clearAllMocks(),
    resetAllMocks: () => moduleMocker.resetAllMocks(),
    restoreAllMocks: () => moduleMocker.restoreAllMocks(),
  };
  const environment = { global: globalThis, moduleMocker, fakeTimersModern, handleTestEvent: sendStep };
  try {
    const { default: run } = require(config.testRunner);
    const result = await run(globalConfig, config, environment, runtime, path);
    const count = result.numPassingTests + result.numFailingTests + result.numPendingTests + result.numTodoTests;
    return {
      ...result,
      testResults: result.testResults.map((test) => ({ ...test, failureMessages: test.failureMessages.map(shorten) })),
      console: globalThis.console.getBuffer?.(),
      displayName: config.displayName,
      failureMessage: result.failureMessage && shorten(result.failureMessage).replaceAll(`file:${config.rootDir}/`, ''),
      leaks: false,
      skipped: count === result.numPendingTests,
      testFilePath: path,
    };
  } finally {
    fakeTimersModern.useRealTimers();
    moduleMocker.restoreAllMocks();
    // Errors that nothing awaits belong to this file.
    await setImmediate();
  }
}

/** What the file before may have changed; Jest's list of tests and a service's tracing are globals. */
function resetGlobals() {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  globalThis.fetch = fetch;
  // What a test shows of an error is more than the 10 calls of Node.
  Error.stackTraceLimit = 100;
  for (const symbol of Object.getOwnPropertySymbols(globalThis))
    if (/JEST_STATE|EVENT_HANDLERS|TEST_TIMEOUT|RETRY|opentelemetry\.js\.api/.test(String(symbol)))
      delete globalThis[symbol];
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache)) if (path.includes('/jest-circus/build/')) delete cache[path];
}

/** A stack without the calls of this program and without the numbers of the files. */
function shorten(text) {
  return text
    .replaceAll(/(\.ts)\?\d+(?=[:'"])/g, '$1')
    .replaceAll(/\n +at [^\n]*\/testkit\/runner\/files\.mjs:[\d:]+\)?/g, '');
}

/** Tells the runner at which hook or test the file is, so that it can end a process that hangs. */
function sendStep({ name, hook, test }, { testTimeout }) {
  if (name !== 'hook_start' && name !== 'test_fn_start') return;
  const { timeout } = name === 'hook_start' ? hook : test;
  const names = [];
  for (let block = test; block?.parent; block = block.parent) names.unshift(block.name);
  send({ step: [...(hook ? [hook.type] : []), names.join(' › ')].join(' '), limitMs: timeout ?? testTimeout });
}

/** Details of failures that are no JSON, e.g. of a matcher that compared large integers, stay here. */
function sendResult(result) {
  const memory = process.memoryUsage.rss();
  try {
    send({ result, memory });
  } catch {
    const testResults = result.testResults.map((test) => ({ ...test, failureDetails: [] }));
    send({ result: { ...result, testResults }, memory });
  }
}

function createConsole(globalConfig, config) {
  const output = globalConfig.useStderr ? process.stderr : process.stdout;
  // The call is four frames deep.
  const format = (type, message) => getConsoleOutput(BufferedConsole.write([], type, message, 4), config, globalConfig);
  if (config.silent ?? globalConfig.silent) return new NullConsole(output, output, format);
  if (config.verbose ?? globalConfig.verbose) return new CustomConsole(output, output, format);
  return new BufferedConsole();
}

/** What a test may need of Jest's object; modules cannot be replaced. */
function createJest(mocker, timers) {
  return {
    ...pick(mocker, ['fn', 'spyOn', 'replaceProperty', 'mocked', 'isMockFunction']),
    ...pick(mocker, ['clearAllMocks', 'resetAllMocks', 'restoreAllMocks']),
    ...pick(timers, ['useRealTimers', 'setSystemTime', 'getTimerCount', 'clearAllTimers', 'runAllTimers']),
    ...pick(timers, ['runOnlyPendingTimers', 'advanceTimersByTime', 'advanceTimersToNextTimer']),
    ...pick(timers, ['runAllTimersAsync', 'runOnlyPendingTimersAsync', 'advanceTimersByTimeAsync']),
    // Node's own streams use `process.nextTick`.
    useFakeTimers: (options) => timers.useFakeTimers({ doNotFake: ['nextTick'], ...options }),
    setTimeout: (limitMs) => void (globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = limitMs),
  };
}

function pick(object, names) {
  return Object.fromEntries(names.map((name) => [name, object[name].bind(object)]));
}
