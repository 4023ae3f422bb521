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
  TextInput,
  Tooltip,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tagsQuery } from '../api/queries.ts';
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

const statusGroups = [
  { value: 'completed', label: 'Ready' },
  { value: 'processing', label: 'Processing' },
  { value: 'transcribing', label: 'Transcribing' },
  { value: 'queued', label: 'Waiting' },
  { value: 'uploaded', label: 'Just uploaded' },
  { value: 'error', label: 'Failed' },
  { value: 'cancelled', label: 'Stopped' },
];
const ownerships = [
  { value: '', label: 'All' },
  { value: 'mine', label: 'Mine' },
  { value: 'shared', label: 'Shared with me' },
];
const sorts = [
  { value: 'upload_time desc', label: 'Newest first' },
  { value: 'upload_time asc', label: 'Oldest first' },
  { value: 'title asc', label: 'Title' },
  { value: 'duration desc', label: 'Longest first' },
  { value: 'duration asc', label: 'Shortest first' },
  { value: 'file_size desc', label: 'Largest first' },
  { value: 'completed_at desc', label: 'Recently completed' },
];

export function LibraryFilters({ filters, onChange, view, onView }: Props) {
  const sort = `${filters.sort ?? 'upload_time'} ${filters.order ?? 'desc'}`;
  return (
    <div className={css['bar']} role="search" aria-label="Find in the library">
      <SearchBox
        className={css['search'] ?? ''}
        label="Search by title"
        placeholder="Search titles and file names"
        value={filters.search ?? ''}
        onChange={(search) => onChange({ search })}
      />
      <Group gap="xs" className={css['choices'] ?? ''}>
        <NativeSelect
          aria-label="Whose recordings"
          data={ownerships}
          value={filters.ownership ?? ''}
          // An empty value removes the filter from the address.
          onChange={(event) => onChange({ ownership: event.currentTarget.value as 'mine' | 'shared' })}
        />
        <FilterButton filters={filters} onChange={onChange} />
        <NativeSelect
          aria-label="Sort by"
          data={sorts}
          value={sort}
          onChange={(event) => {
            const [by, order] = event.currentTarget.value.split(' ') as [string, 'asc' | 'desc'];
            onChange({ sort: by, order });
          }}
        />
        <SegmentedControl
          aria-label="View"
          value={view}
          onChange={(next) => onView(next)}
          data={[
            { value: 'grid', label: <ViewLabel icon="grid" label="Cards" /> },
            { value: 'list', label: <ViewLabel icon="library" label="List" /> },
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
  const count = [filters.status, filters.tag, filters.type, filters.from, filters.to].filter(
    (filter) => filter !== undefined,
  ).length;
  return (
    <Popover width={320} position="bottom-end" shadow="md" trapFocus>
      <Indicator label={count} size={16} disabled={count === 0} color="petrol">
        <Popover.Target>
          <ActionIcon variant="default" size={36} aria-label={count === 0 ? 'Filters' : `Filters, ${count} set`}>
            <Icon name="filter" size={18} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown>
        <Stack gap="sm">
          <MultiSelect
            label="Status"
            data={statusGroups}
            value={filters.status ?? []}
            onChange={(status) => onChange({ status })}
            clearable
            comboboxProps={{ withinPortal: false }}
          />
          <MultiSelect
            label="Tags"
            data={(tags.data ?? []).map(({ name }) => name)}
            value={filters.tag ?? []}
            onChange={(tag) => onChange({ tag })}
            searchable
            clearable
            comboboxProps={{ withinPortal: false }}
            nothingFoundMessage={tags.isError ? 'Tags couldn’t be loaded' : 'No such tag'}
          />
          <MultiSelect
            label="Type"
            data={[
              { value: 'audio', label: 'Audio' },
              { value: 'video', label: 'Video' },
            ]}
            value={filters.type ?? []}
            onChange={(type) => onChange({ type })}
            clearable
            comboboxProps={{ withinPortal: false }}
          />
          <Group gap="sm" grow>
            <TextInput
              type="date"
              label="From"
              value={filters.from ?? ''}
              onChange={(event) => onChange({ from: event.currentTarget.value })}
            />
            <TextInput
              type="date"
              label="To"
              value={filters.to ?? ''}
              onChange={(event) => onChange({ to: event.currentTarget.value })}
            />
          </Group>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            disabled={count === 0}
            onClick={() => onChange({ status: [], tag: [], type: [], from: '', to: '' })}
          >
            Clear filters
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
