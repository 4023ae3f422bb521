// Lint rules `tests/*`: no test depends on the speed of the machine or on data that cannot be repeated. Where a case is
// needed, a comment on the line before the statement gives the reason: `// Allowed: <reason>`.
const allowed = /^\s*Allowed: \S.{14,}/s;

/** A rule whose check receives a call and a function that reports it, unless a comment gives the reason. */
function ruleOfCalls(check) {
  return {
    meta: { type: 'problem', schema: [] },
    create: (context) => ({
      CallExpression(node) {
        check(node, (message) => {
          if (!hasReason(context, node)) context.report({ node, message });
        });
      },
    }),
  };
}

function hasReason({ sourceCode }, node) {
  for (let part = node; part && part.type !== 'Program'; part = part.parent) {
    if (sourceCode.getCommentsBefore(part).some(({ value }) => allowed.test(value))) return true;
    if (part.type.endsWith('Statement') && part.type !== 'BlockStatement') return false;
    if (part.type.endsWith('Declaration')) return false;
  }
  return false;
}

function numberOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'number') return node.value;
  if (node?.type !== 'BinaryExpression' || node.operator !== '*') return undefined;
  const [left, right] = [numberOf(node.left), numberOf(node.right)];
  return left === undefined || right === undefined ? undefined : left * right;
}

function nameOf(callee) {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type !== 'MemberExpression' || callee.computed) return undefined;
  const owner = nameOf(callee.object);
  return owner === undefined ? undefined : `${owner}.${callee.property.name}`;
}

const sleepMs = 100;
/** `sleep(500)`, and `setTimeout(resolve, 500)` as the whole body of a promise. */
const fixedSleep = ruleOfCalls((node, report) => {
  const name = nameOf(node.callee);
  const isPromised = name === 'setTimeout' && node.parent.type === 'ArrowFunctionExpression';
  const ms = numberOf(name === 'sleep' ? node.arguments[0] : isPromised ? node.arguments[1] : undefined);
  if (ms >= sleepMs) report(`Wait for what the test needs instead of ${ms} ms`);
});

const clocks = new Set(['Date.now', 'performance.now']);
function isElapsed(node) {
  if (node?.type !== 'BinaryExpression') return false;
  const isClock = ({ type, callee }) => type === 'CallExpression' && clocks.has(nameOf(callee));
  return (node.operator === '-' && isClock(node.left)) || isElapsed(node.left);
}

/** `expect(performance.now() - started).toBeLessThan(5_000)`. */
const elapsedTime = ruleOfCalls((node, report) => {
  if (nameOf(node.callee) !== 'expect') return;
  const matcher = node.parent?.property?.name;
  const [value] = node.arguments;
  const values = value?.type === 'ArrayExpression' ? value.elements : [value];
  const isBelow = matcher?.startsWith('toBeLessThan') || values.some((item) => item?.operator?.startsWith('<'));
  if (isBelow && values.some(isElapsed))
    report('Assert what happened, or the processor time of process.cpuUsage, not how long it took');
});

const limitMs = 5000;
const waits = new Set(['waitFor', 'waitUntil', 'waitUntilReady']);
/** `waitFor(..., { timeoutMs: 500 })`, `AbortSignal.timeout(500)`, `it('...', ..., 500)`, `jetstream().publish(...)`. */
const shortLimit = ruleOfCalls((node, report) => {
  const name = nameOf(node.callee);
  const options = node.arguments.find((argument) => argument.type === 'ObjectExpression');
  const ofWait = options?.properties.find(({ key }) => key?.name === 'timeoutMs')?.value;
  const limit = waits.has(name)
    ? ofWait
    : name === 'AbortSignal.timeout'
      ? node.arguments[0]
      : name === 'it' || name === 'jest.setTimeout'
        ? node.arguments.at(-1)
        : undefined;
  const ms = numberOf(limit);
  if (ms < limitMs) report(`A busy machine may need more than ${ms} ms`);
  const isPublish = node.callee.property?.name === 'publish' && node.callee.object.type === 'CallExpression';
  const streams =
    isPublish && node.callee.object.callee.property?.name === 'jetstream' ? node.callee.object : undefined;
  const hasLimit = options?.properties.some(({ key }) => key?.name === 'timeout');
  if (streams?.arguments.length === 0 && !hasLimit) report('A busy machine may need more than the default of 5 s');
});

const random = new Set(['Math.random', 'randomInt']);
const unprintedSeed = ruleOfCalls((node, report) => {
  const name = nameOf(node.callee);
  if (random.has(name))
    report(`Use randomFrom of testkit with the seed of the run, or randomUUID for a name, instead of ${name}`);
});

export default {
  meta: { name: 'tests' },
  rules: {
    'elapsed-time': elapsedTime,
    'fixed-sleep': fixedSleep,
    'short-limit': shortLimit,
    'unprinted-seed': unprintedSeed,
  },
};
