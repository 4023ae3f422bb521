import { t } from '@lingui/core/macro';
import css from './search.module.css';

/** What can be written into the search field, each with an example. */
export function SearchHelp() {
  const rows: readonly (readonly [example: string, meaning: string])[] = [
    ['"annual report"', t`these words in this order`],
    ['speaker:Ann', t`only what Ann says`],
    ['tag:board', t`only recordings with this tag`],
    ['in:"Sales calls"', t`only this collection; names with spaces need quotes`],
    ['after:2026-01', t`added in this month or later; also a day or a year`],
    ['before:2026-03-31', t`added before this day; also a month or a year`],
    ['-budget', t`only recordings in which this word does not occur; also -"annual report"`],
    ['-tag:draft', t`only recordings without this tag; also -in:`],
    ['-speaker:Ann', t`not what Ann says; the other parts of her recordings are found`],
  ];
  return (
    <details className={css['help']} data-testid="search-help">
      <summary>{t`Search operators`}</summary>
      <dl>
        {rows.map(([example, meaning]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
