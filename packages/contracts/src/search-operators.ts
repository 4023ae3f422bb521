/** Operators of a search text that take a name: `speaker:"Ann Lee"`, `-tag:draft`, `in:board`. */
export const nameOperators = ['speaker', 'tag', 'in'] as const;
/** All operators; the others take a date. */
export const operators = [...nameOperators, 'before', 'after'] as const;
export type Operator = (typeof operators)[number];

const start = `(?<=^|\\s)(-?)(${operators.join('|')}):`;
/** An operator with its minus, its name, and its value with quotes or without, at `lastIndex`. */
export const operatorPattern = new RegExp(`${start}(?:"([^"]*)"|(\\S*))`, 'iy');
const unfinishedPattern = new RegExp(`${start}(?:"([^"]*)|([^\\s"]*))$`, 'i');

/** The operator whose value is being typed at the end of a search text; null: none. */
export function unfinishedOperator(text: string) {
  const found = unfinishedPattern.exec(text);
  if (!found) return null;
  const [, minus = '', operator = '', quoted, bare] = found;
  return { at: found.index, minus, operator: operator.toLowerCase() as Operator, typed: quoted ?? bare ?? '' };
}
