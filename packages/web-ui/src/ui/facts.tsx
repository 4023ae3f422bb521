import { Fragment } from 'react';

type FactsProps = { of: readonly (readonly [name: string, value: string | null])[] };
/** Names and values; null values are omitted. */
export function Facts({ of }: FactsProps) {
  return (
    <dl className="ot-facts">
      {of.map(([name, value]) =>
        value === null ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}
