import type { SearchResponse } from '../api/queries.ts';
import type { SearchPageSearch } from '../lib/search-params.ts';

type Kind = 'speakers' | 'tags' | 'years';
type FacetValue = {
  readonly name: string;
  readonly count: number;
  readonly chosen: boolean;
  /** The filters after a click. */
  readonly toggled: Partial<SearchPageSearch>;
};
export type FacetGroup = { readonly kind: Kind; readonly values: readonly FacetValue[] };

/** The facets of a response with the chosen filters; a chosen value is listed even without results. */
export function facetGroups(facets: NonNullable<SearchResponse['facets']>, params: SearchPageSearch): FacetGroup[] {
  const year = chosenYear(params);
  const groups: FacetGroup[] = [
    {
      kind: 'speakers',
      values: valuesOf(facets.speakers, params.speaker ?? [], (speaker) => ({ speaker })),
    },
    { kind: 'tags', values: valuesOf(facets.tags, params.tag ?? [], (tag) => ({ tag })) },
    {
      kind: 'years',
      values: valuesOf(facets.years, year === null ? [] : [year], (years) => {
        const [last] = years.slice(-1);
        return last === undefined ? { from: '', to: '' } : { from: `${last}-01-01`, to: `${last}-12-31` };
      }),
    },
  ];
  return groups.filter(({ values }) => values.length > 0);
}

/** The year that the dates span; null: they span something else. */
function chosenYear({ from, to }: SearchPageSearch): string | null {
  const year = from?.slice(0, 4) ?? '';
  return from === `${year}-01-01` && to === `${year}-12-31` ? year : null;
}

function valuesOf(
  counted: readonly { name: string; count: number }[],
  chosen: readonly string[],
  toParams: (chosen: string[]) => Partial<SearchPageSearch>,
): FacetValue[] {
  const isSame = (x: string, y: string): boolean => x.toLowerCase() === y.toLowerCase();
  const without = chosen.filter((name) => !counted.some((value) => isSame(value.name, name)));
  return [...without.map((name) => ({ name, count: 0 })), ...counted].map(({ name, count }) => {
    const others = chosen.filter((other) => !isSame(other, name));
    const isChosen = others.length < chosen.length;
    return { name, count, chosen: isChosen, toggled: toParams(isChosen ? others : [...chosen, name]) };
  });
}
