import type { Code } from './code-queries.ts';
import css from './codes.module.css';

/** The name of a code, with its colour. */
export function CodeName({ code }: { code: Pick<Code, 'name' | 'color'> }) {
  return (
    <span className={css['name']} dir="auto" data-color={code.color}>
      {code.name}
    </span>
  );
}
