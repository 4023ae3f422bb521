import type { SearchResponse } from '../api/queries.ts';
import type { SearchPageSearch } from '../lib/search-params.ts';

type Kind = 'speakers' | 'tags' | 'years' | 'collections';
type FacetValue = {
  /** Unique in its group; collections of several people may have one name. */
  readonly key: string;
  readonly name: string;
  readonly count: number;
  readonly chosen: boolean;
  /** The filters after a click. */
  readonly toggled: Partial<SearchPageSearch>;
};
export type FacetGroup = { readonly kind: Kind; readonly values: readonly FacetValue[] };

type Facets = NonNullable<SearchResponse['facets']>;

/**
 * The facets of a response with the chosen filters; a chosen value is listed even without results, a collection only with
 * its `chosenName`.
 */
export function facetGroups(facets: Facets, params: SearchPageSearch, chosenName?: string): FacetGroup[] {
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
    { kind: 'collections', values: collectionsOf(facets.collections ?? [], params.collection, chosenName) },
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
    return { key: name, name, count, chosen: isChosen, toggled: toParams(isChosen ? others : [...chosen, name]) };
  });
}

/** Unlike the other values only one can be chosen: another replaces it. */
function collectionsOf(
  counted: NonNullable<Facets['collections']>,
  chosen: string | undefined,
  chosenName: string | undefined,
): FacetValue[] {
  const isListed = counted.some(({ uuid }) => uuid === chosen);
  const missing =
    chosen === undefined || chosenName === undefined || isListed ? [] : [{ uuid: chosen, name: chosenName, count: 0 }];
  return [...missing, ...counted].map(({ uuid, name, count }) => ({
    key: uuid,
    name,
    count,
    chosen: uuid === chosen,
    toggled: { collection: uuid === chosen ? '' : uuid },
  }));
}
