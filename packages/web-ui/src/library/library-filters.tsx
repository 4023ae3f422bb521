import { msg, t } from '@lingui/core/macro';
import {
  ActionIcon,
  Button,
  Group,
  Indicator,
  MultiSelect,
  NativeSelect,
  Popover,
  SegmentedControl,
  Stack,
  Tooltip,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { translateOnRead } from '../lib/language.ts';
import { tagsQuery } from '../api/queries.ts';
import { DateRange } from '../ui/date-range.tsx';
import { CollectionSelect } from '../collections/collection-select.tsx';
import { anyUnless } from '../ui/any-unless.ts';
import { Icon } from '../ui/icons.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import type { FilterSearch } from '../lib/search-params.ts';
import type { View } from './file-list.tsx';
import css from './library.module.css';

type Props = {
  readonly filters: FilterSearch;
  readonly onChange: (next: Partial<FilterSearch>) => void;
  readonly view: View;
  readonly onView: (view: View) => void;
};

const statusGroups = translateOnRead([
  { value: 'completed', label: msg`Ready` },
  { value: 'processing', label: msg`Processing` },
  { value: 'transcribing', label: msg`Transcribing` },
  { value: 'queued', label: msg`Waiting` },
  { value: 'uploaded', label: msg`Just uploaded` },
  { value: 'error', label: msg`Failed` },
  { value: 'cancelled', label: msg`Stopped` },
]);
const ownerships = translateOnRead([
  { value: '', label: msg`All` },
  { value: 'mine', label: msg`Mine` },
  { value: 'shared', label: msg`Shared with me` },
]);
const sorts = translateOnRead([
  { value: 'upload_time desc', label: msg`Newest first` },
  { value: 'upload_time asc', label: msg`Oldest first` },
  { value: 'recorded_date desc', label: msg`Recorded last` },
  { value: 'recorded_date asc', label: msg`Recorded first` },
  { value: 'title asc', label: msg`Title` },
  { value: 'duration desc', label: msg`Longest first` },
  { value: 'duration asc', label: msg`Shortest first` },
  { value: 'file_size desc', label: msg`Largest first` },
  { value: 'completed_at desc', label: msg`Recently completed` },
]);

export function LibraryFilters({ filters, onChange, view, onView }: Props) {
  const sort = `${filters.sort ?? 'upload_time'} ${filters.order ?? 'desc'}`;
  return (
    <div className={css['bar']} role="search" aria-label={t`Find in the library`}>
      <SearchBox
        className={css['search'] ?? ''}
        label={t`Search by title`}
        placeholder={t`Search titles and file names`}
        value={filters.search ?? ''}
        onChange={(search) => onChange({ search })}
      />
      <Group gap="xs" className={css['choices'] ?? ''}>
        <NativeSelect
          aria-label={t`Whose recordings`}
          data={ownerships}
          value={filters.ownership ?? ''}
          // An empty value removes the filter from the address.
          onChange={(event) => onChange({ ownership: event.currentTarget.value as 'mine' | 'shared' })}
        />
        <FilterButton filters={filters} onChange={onChange} />
        <NativeSelect
          aria-label={t`Sort by`}
          data={sorts}
          value={sort}
          onChange={(event) => {
            const [by, order] = event.currentTarget.value.split(' ') as [string, 'asc' | 'desc'];
            onChange({ sort: by, order });
          }}
        />
        <SegmentedControl
          aria-label={t`View`}
          value={view}
          onChange={(next) => onView(next)}
          data={[
            { value: 'grid', label: <ViewLabel icon="grid" label={t`Cards`} /> },
            { value: 'list', label: <ViewLabel icon="library" label={t`List`} /> },
          ]}
        />
      </Group>
    </div>
  );
}

function ViewLabel({ icon, label }: { icon: 'grid' | 'library'; label: string }) {
  return (
    <Tooltip label={label}>
      <span role="img" aria-label={label} style={{ display: 'grid', placeItems: 'center', height: 22 }}>
        <Icon name={icon} size={17} />
      </span>
    </Tooltip>
  );
}

function FilterButton({ filters, onChange }: Pick<Props, 'filters' | 'onChange'>) {
  const tags = useQuery(tagsQuery);
  const count = [filters.status, filters.tag, filters.type, filters.collection, filters.from, filters.to].filter(
    (filter) => filter !== undefined,
  ).length;
  return (
    <Popover width={320} position="bottom-end" shadow="md" trapFocus>
      <Indicator label={count} size={16} disabled={count === 0} color="petrol">
        <Popover.Target>
          <ActionIcon variant="default" size={36} aria-label={count === 0 ? t`Filters` : t`Filters, ${count} set`}>
            <Icon name="filter" size={18} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown>
        <Stack gap="sm">
          <MultiSelect
            label={t`Status`}
            placeholder={anyUnless(filters.status)}
            data={statusGroups}
            value={filters.status ?? []}
            onChange={(status) => onChange({ status })}
            clearable
            comboboxProps={{ withinPortal: false }}
          />
          <MultiSelect
            label={t`Tags`}
            placeholder={anyUnless(filters.tag)}
            data={(tags.data ?? []).map(({ name }) => name)}
            value={filters.tag ?? []}
            onChange={(tag) => onChange({ tag })}
            searchable
            clearable
            comboboxProps={{ withinPortal: false }}
            nothingFoundMessage={tags.isError ? t`Tags couldn’t be loaded` : t`No such tag`}
          />
          <MultiSelect
            label={t`Type`}
            placeholder={anyUnless(filters.type)}
            data={[
              { value: 'audio', label: t`Audio` },
              { value: 'video', label: t`Video` },
            ]}
            value={filters.type ?? []}
            onChange={(type) => onChange({ type })}
            clearable
            comboboxProps={{ withinPortal: false }}
          />
          <CollectionSelect
            value={filters.collection ?? null}
            // An empty value removes the filter from the address.
            onChange={(collection) => onChange({ collection: collection ?? '' })}
            withinPortal={false}
          />
          <NativeSelect
            label={t`Date`}
            data={[
              { value: '', label: t`Uploaded` },
              { value: 'recording', label: t`Recorded` },
            ]}
            value={filters.dateOf ?? ''}
            // An empty value removes the filter from the address.
            onChange={(event) => onChange({ dateOf: event.currentTarget.value as 'recording' })}
          />
          <Group gap="sm" grow align="flex-start">
            <DateRange from={filters.from} to={filters.to} onChange={onChange} />
          </Group>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            disabled={count === 0}
            onClick={() => onChange({ status: [], tag: [], type: [], collection: '', from: '', to: '' })}
          >
            {t`Clear filters`}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
