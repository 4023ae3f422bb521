import { plural, t } from '@lingui/core/macro';
import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Pager } from '../ui/pager.tsx';
import { searchPageSize, searchQuery, type SearchResponse } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { searchPageSearch, type SearchPageSearch } from '../lib/search-params.ts';
import { missingLegs, isSearchOutage } from './legs.ts';
import { SearchForm } from './search-form.tsx';
import { SearchResult } from './search-result.tsx';
import css from './search.module.css';

export function SearchPage() {
  const params = useSearch({ from: '/inside/search' });
  const navigate = useNavigate({ from: '/search' });
  const text = params.q ?? '';
  useDocumentTitle(text === '' ? t`Search · Overtone` : t`${text} · Search · Overtone`);
  const query = useQuery(
    searchQuery({
      ...params,
      q: text,
      mode: params.mode ?? 'hybrid',
      sort: params.sort ?? 'relevance',
      page: params.page ?? 1,
    }),
  );
  const change = (next: Partial<SearchPageSearch> | { mode: string }): void =>
    void navigate({ search: searchPageSearch({ ...params, page: undefined, exact: undefined, ...next }) });
  return (
    <div className="ot-page" style={{ maxWidth: '56rem' }}>
      <Title order={1} size="h2" mb="md">
        {t`Search`}
      </Title>
      <SearchForm params={params} onChange={change} />
      <div aria-live="polite" aria-busy={query.isFetching}>
        {text === '' && <SearchHint />}
        {query.isError && (
          <ErrorNote error={query.error} title={t`Search is not responding`} onRetry={() => void query.refetch()} />
        )}
        {text !== '' && query.isPending && <ResultsPending />}
        {text !== '' && query.data && !query.isError && (
          <Results
            response={query.data}
            stale={query.isPlaceholderData}
            onPage={(page) => void navigate({ search: searchPageSearch({ ...params, page }) })}
            onRetry={() => void query.refetch()}
            onExact={() => change({ exact: true })}
          />
        )}
      </div>
    </div>
  );
}

type ResultsProps = {
  readonly response: SearchResponse;
  readonly stale: boolean;
  readonly onPage: (page: number) => void;
  readonly onRetry: () => void;
  readonly onExact: () => void;
};

function Results({ response, stale, onPage, onRetry, onExact }: ResultsProps) {
  const missing = missingLegs(response.legs);
  if (isSearchOutage(response.legs)) {
    return (
      <ErrorNote
        error={new Error(`${missing ?? t`The search didn’t run.`} ${t`Your recordings are safe.`}`)}
        title={t`Search is temporarily unavailable`}
        onRetry={onRetry}
      />
    );
  }
  return (
    <Stack gap="sm" style={{ opacity: stale ? 0.55 : 1, transition: 'opacity .15s' }}>
      {missing !== null && (
        <Alert color="yellow" variant="light" icon={<Icon name="info" />} data-testid="missing-leg">
          <Group justify="space-between" gap="xs">
            <Text size="sm">{missing}</Text>
            <Button size="compact-sm" variant="light" color="yellow" onClick={onRetry}>
              {t`Try again`}
            </Button>
          </Group>
        </Alert>
      )}
      {response.correction !== null && (
        <Group gap="xs" data-testid="search-correction">
          <Text size="sm">{t`Showing results for “${response.correction.query}”.`}</Text>
          <Button size="compact-sm" variant="light" onClick={onExact}>
            {t`Search instead for “${response.query}”`}
          </Button>
        </Group>
      )}
      <Text size="sm" c="dimmed" data-testid="search-summary">
        {response.total_files === 0
          ? t`No matches for “${response.correction?.query ?? response.query}”.`
          : t`${plural(response.total_results, { one: '# match', other: '# matches' })} in ${plural(response.total_files, { one: '# recording', other: '# recordings' })}, ${Math.max(1, Math.round(response.search_time_ms))} ms`}
      </Text>
      {response.total_files === 0 && (
        <Text size="sm" c="dimmed">
          {t`Try other words or search by similar meaning. Recordings are searchable once processed.`}
        </Text>
      )}
      <ul className={css['results']} data-testid="search-results">
        {response.results.map((result) => (
          <SearchResult key={result.file_uuid} result={result} />
        ))}
      </ul>
      <Pager page={response.page} total={response.total_files} size={searchPageSize} onPage={onPage} />
    </Stack>
  );
}

function ResultsPending() {
  return (
    <Stack gap="sm" role="status" aria-label={t`Searching`}>
      <Skeleton h={18} w={180} />
      {Array.from({ length: 3 }, (_, i) => (
        <Skeleton key={i} h={118} radius="md" />
      ))}
    </Stack>
  );
}

function SearchHint() {
  return (
    <Stack align="center" ta="center" gap="xs" py={64} c="dimmed">
      <Icon name="audio" size={44} />
      <Text maw={420}>
        {t`Search for words that were said, or describe what was meant. Click a result to play it.`}
      </Text>
      <Text maw={420} size="sm">
        {t`Put an exact phrase in quotes. Narrow the search with speaker:, tag:, in: (a collection), before: and after: (a date such as 2026-03-31). Put names with blanks in quotes; a minus in front of speaker:, tag: or in: excludes.`}
      </Text>
    </Stack>
  );
}
