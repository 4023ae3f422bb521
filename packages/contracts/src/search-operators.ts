/** Operators of a search text that take a name: `speaker:"Ann Lee"`, `-tag:draft`, `in:board`. */
export const nameOperators = ['speaker', 'tag', 'in'] as const;
/** All operators; the others take a date. */
export const operators = [...nameOperators, 'before', 'after'] as const;
export type Operator = (typeof operators)[number];

const start = `(?<=^|\\s)(-?)(${operators.join('|')}):`;
/** The name within quotes; a quote of the name is doubled. */
const quoted = '((?:[^"]|"")*)';
/** An operator with its minus, its name, and its value with quotes (see `unquote`) or without, at `lastIndex`. */
export const operatorPattern = new RegExp(`${start}(?:"${quoted}"|(\\S*))`, 'iy');
const unfinishedPattern = new RegExp(`${start}(?:"${quoted}|([^\\s"]*))$`, 'i');

/** The operator whose value is being typed at the end of a search text; null: none. */
export function unfinishedOperator(text: string) {
  const found = unfinishedPattern.exec(text);
  if (!found) return null;
  const [, minus = '', operator = '', inQuotes, bare = ''] = found;
  const typed = inQuotes === undefined ? bare : unquote(inQuotes);
  return { at: found.index, minus, operator: operator.toLowerCase() as Operator, typed };
}

/** A name as the value of an operator, within quotes if it needs them. */
export function quote(name: string): string {
  return /[\s"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/** The name that was written within quotes. */
export function unquote(inQuotes: string): string {
  return inQuotes.replaceAll('""', '"');
}
