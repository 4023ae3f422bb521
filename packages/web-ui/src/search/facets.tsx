import { plural, t } from '@lingui/core/macro';
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SearchResponse } from '../api/queries.ts';
import { collectionQuery } from '../collections/collection-queries.ts';
import type { SearchPageSearch } from '../lib/search-params.ts';
import { facetGroups, type FacetGroup } from './facet-groups.ts';
import css from './search.module.css';

type Props = {
  readonly facets: NonNullable<SearchResponse['facets']>;
  readonly params: SearchPageSearch;
  readonly onChange: (next: Partial<SearchPageSearch>) => void;
};

const shownFirst = 6;

/** Speakers, tags, years and collections of the results; a click narrows the results to one, or takes it back. */
export function Facets({ facets, params, onChange }: Props) {
  const labels: Record<FacetGroup['kind'], string> = {
    speakers: t`Speakers`,
    tags: t`Tags`,
    years: t`Years`,
    collections: t`Collections`,
  };
  const { collection } = params;
  const chosen = useQuery({ ...collectionQuery(collection ?? ''), enabled: collection !== undefined });
  const groups = facetGroups(facets, params, chosen.data?.name);
  if (groups.length === 0) return null;
  return (
    <div className={css['facets']} data-testid="facets">
      <Text size="xs" c="dimmed">
        {t`Narrow the results. The numbers count recordings.`}
      </Text>
      {groups.map((group) => (
        <FacetRow key={group.kind} label={labels[group.kind]} group={group} onChange={onChange} />
      ))}
    </div>
  );
}

function FacetRow({ label, group, onChange }: { label: string; group: FacetGroup; onChange: Props['onChange'] }) {
  const [all, setAll] = useState(false);
  const hidden = group.values.length - shownFirst;
  return (
    <Group gap={6} role="group" aria-label={label} wrap="wrap">
      <Text size="sm" c="dimmed" className={css['facetLabel'] ?? ''}>
        {label}
      </Text>
      {group.values.slice(0, all ? undefined : shownFirst).map(({ key, name, count, chosen, toggled }) => (
        <Button
          key={key}
          size="compact-sm"
          radius="xl"
          variant={chosen ? 'filled' : 'default'}
          aria-pressed={chosen}
          maw="100%"
          title={plural(count, { one: '# recording', other: '# recordings' })}
          onClick={() => onChange(toggled)}
        >
          <span className={css['facetName']} dir="auto">
            {name}
          </span>{' '}
          <span className={css['facetCount']}>{count}</span>
        </Button>
      ))}
      {hidden > 0 && (
        <Button size="compact-sm" variant="subtle" color="gray" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t`Show fewer` : t`Show ${hidden} more`}
        </Button>
      )}
    </Group>
  );
}
