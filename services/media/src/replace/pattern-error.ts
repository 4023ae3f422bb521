import { RE2JS, RE2JSSyntaxException } from 're2js';

/** What is wrong with an expression, at the sign that the message names. The library describes it in words of its own. */
const texts: Readonly<Record<string, (part: string) => string>> = {
  'missing closing )': () => 'This “(” is never closed. Add “)”, or write “\\(” for the sign itself.',
  'unexpected )': () => 'This “)” closes nothing. Remove it, or write “\\)” for the sign itself.',
  'missing closing ]': () => 'This “[” is never closed. Add “]”, or write “\\[” for the sign itself.',
  'missing argument to repetition operator': (part) =>
    `There is nothing that “${part}” could repeat. Write “\\${part}” for the sign itself.`,
  'invalid nested repetition operator': (part) => `Only one of “${part}” can stand here.`,
  'invalid repeat count': (part) => `“${part}” repeats too often, or its numbers are in the wrong order.`,
  'invalid escape sequence': (part) => `“${part}” has no meaning. Write “\\\\” for a backslash.`,
  'trailing backslash at end of expression': () => 'Nothing follows this “\\”. Write “\\\\” for a backslash.',
  'invalid character class range': (part) => `“${part}” is no range or kind of characters.`,
  'invalid or unsupported Perl syntax': (part) => `“${part}” is not supported.`,
  'invalid named capture': (part) => `“${part}” is no group with a name. Write “(?P<name>…)”.`,
  'duplicate capture group name': (part) => `The name “${part}” is used for two groups.`,
};
const longestPart = 40;

/** The message for an expression that cannot be compiled, with the number of the sign that is wrong. */
export function patternError(pattern: string, error: unknown): string {
  if (!(error instanceof RE2JSSyntaxException)) return 'This regular expression is too large. Make it simpler.';
  const reason = error.getDescription();
  const text = texts[reason];
  if (!text) return 'This regular expression is too large or nested too deeply. Make it simpler.';
  const { at, part } = placeOf(pattern, { reason, input: error.input });
  return `At character ${Array.from(pattern.slice(0, at)).length + 1}: ${text(part.slice(0, longestPart))}`;
}

type Failure = { reason: string; input: string | null };

function placeOf(pattern: string, { reason, input }: Failure): { at: number; part: string } {
  if (reason === 'missing closing )') return { at: unclosedGroup(pattern), part: '(' };
  if (reason === 'missing closing ]') return { at: pattern.length - (input ?? '').length, part: '[' };
  if (reason === 'trailing backslash at end of expression') return { at: pattern.length - 1, part: '\\' };
  const end = endOfPart(pattern, reason);
  const failure = failureOf(pattern.slice(0, end));
  const part = reason === 'unexpected )' ? ')' : (failure?.input ?? pattern.slice(end - 1, end));
  const at = Math.max(0, end - part.length);
  return { at, part: input !== null && pattern.startsWith(input, at) ? input : part };
}

/** The library names the part, not its place: it reads from the left, so that each longer beginning has the same error. */
function endOfPart(pattern: string, reason: string): number {
  let [before, end] = [0, pattern.length];
  while (end - before > 1) {
    const middle = Math.ceil((before + end) / 2);
    if (failureOf(pattern.slice(0, middle))?.reason === reason) end = middle;
    else before = middle;
  }
  return end;
}

function failureOf(pattern: string): Failure | null {
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (error) {
    return error instanceof RE2JSSyntaxException ? { reason: error.getDescription(), input: error.input } : null;
  }
}

/** The place of the outermost “(” without a “)”. */
function unclosedGroup(pattern: string): number {
  const open: number[] = [];
  let isClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at];
    if (sign === '\\') at++;
    else if (isClass) isClass = sign !== ']';
    else if (sign === '[') isClass = true;
    else if (sign === '(') open.push(at);
    else if (sign === ')') open.pop();
  }
  return open[0] ?? 0;
}
