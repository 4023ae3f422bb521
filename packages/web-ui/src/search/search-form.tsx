import { t } from '@lingui/core/macro';
import { Button, Group, MultiSelect, NativeSelect, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { searchFiltersQuery } from '../api/queries.ts';
import { DateRange } from '../ui/date-range.tsx';
import { CollectionSelect } from '../collections/collection-select.tsx';
import { anyUnless } from '../ui/any-unless.ts';
import { Icon } from '../ui/icons.tsx';
import type { SearchPageSearch } from '../lib/search-params.ts';
import { SavedSearches } from './saved-searches.tsx';
import { SearchInput } from './search-input.tsx';
import css from './search.module.css';

type FormProps = {
  readonly params: SearchPageSearch;
  readonly onChange: (next: Partial<SearchPageSearch> | { mode: string }) => void;
};

export function SearchForm({ params, onChange }: FormProps) {
  const [text, setText] = useState(params.q ?? '');
  const { type = [], collection = '', from = '', to = '' } = params;
  // Chosen speakers and tags are always shown with the results.
  const filters = [...type, collection, from, to].join('');
  const [filtersShown, setFiltersShown] = useState(filters !== '');
  useEffect(() => setText(params.q ?? ''), [params.q]);
  // Filters that a facet or a saved search sets are shown, too.
  useEffect(() => {
    if (filters !== '') setFiltersShown(true);
  }, [filters]);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ q: text });
      }}
    >
      <div className={css['form']}>
        <SearchInput text={text} onText={setText} onSearch={(chosen) => onChange({ q: chosen })} />
        <Button type="submit" size="md">
          {t`Search`}
        </Button>
      </div>
      <Group gap="sm" mb="md">
        <SegmentedControl
          size="sm"
          aria-label={t`How to search`}
          value={params.mode ?? 'hybrid'}
          onChange={(mode) => onChange({ q: text, mode })}
          data={[
            { value: 'hybrid', label: t`All` },
            { value: 'keyword', label: t`Exact words` },
            { value: 'semantic', label: t`Similar meaning` },
          ]}
        />
        <NativeSelect
          size="sm"
          aria-label={t`Order`}
          value={params.sort ?? 'relevance'}
          onChange={(event) => onChange({ sort: event.currentTarget.value })}
          data={[
            { value: 'relevance', label: t`Best first` },
            { value: 'upload_time', label: t`Newest first` },
            { value: 'duration', label: t`Longest first` },
            { value: 'title', label: t`Title` },
          ]}
        />
        <Button
          variant="subtle"
          color="gray"
          size="sm"
          leftSection={<Icon name="filter" size={17} />}
          aria-expanded={filtersShown}
          onClick={() => setFiltersShown(!filtersShown)}
        >
          {t`Filters`}
        </Button>
        <SavedSearches params={params} />
      </Group>
      {filtersShown && <Filters params={params} onChange={onChange} />}
    </form>
  );
}

function Filters({ params, onChange }: FormProps) {
  const { speakers, tags } = useQuery(searchFiltersQuery).data ?? { speakers: [], tags: [] };
  return (
    <Group gap="sm" mb="md" align="flex-end">
      <MultiSelect
        label={t`Speakers`}
        placeholder={anyUnless(params.speaker)}
        data={namesOf(speakers, params.speaker)}
        value={params.speaker ?? []}
        onChange={(speaker) => onChange({ speaker })}
        searchable
        clearable
        style={{ flex: '1 1 12rem' }}
      />
      <MultiSelect
        label={t`Tags`}
        placeholder={anyUnless(params.tag)}
        data={namesOf(tags, params.tag)}
        value={params.tag ?? []}
        onChange={(tag) => onChange({ tag })}
        searchable
        clearable
        style={{ flex: '1 1 12rem' }}
      />
      <MultiSelect
        label={t`Type`}
        placeholder={anyUnless(params.type)}
        data={[
          { value: 'audio', label: t`Audio` },
          { value: 'video', label: t`Video` },
        ]}
        value={params.type ?? []}
        onChange={(type) => onChange({ type })}
        clearable
        style={{ flex: '1 1 8rem' }}
      />
      <CollectionSelect
        value={params.collection ?? null}
        onChange={(collection) => onChange({ collection: collection ?? '' })}
      />
      <DateRange from={params.from} to={params.to} onChange={onChange} />
    </Group>
  );
}

/** What can be chosen; what is chosen already is listed even if no recording has it any more. */
function namesOf(counted: readonly { name: string }[], chosen: readonly string[] = []): string[] {
  return [...new Set([...counted.map(({ name }) => name), ...chosen])];
}
