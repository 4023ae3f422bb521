import { Alert, Button, Center, Group, Pagination, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { searchPageSize, searchQuery, type SearchAnswer } from '../api/queries.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { Icon } from '../app/icons.tsx';
import { plural } from '../lib/format.ts';
import { searchPageSearch, type SearchPageSearch } from '../lib/search-params.ts';
import { missingLegs, nothingRan } from './legs.ts';
import { SearchForm } from './search-form.tsx';
import { SearchResult } from './search-result.tsx';
import css from './search.module.css';

export const SearchPage = () => {
  const params = useSearch({ from: '/inside/search' });
  const navigate = useNavigate({ from: '/search' });
  const q = params.q ?? '';
  useDocumentTitle(q === '' ? 'Search · Overtone' : `${q} · Search · Overtone`);
  const answer = useQuery(
    searchQuery({
      ...params,
      q,
      mode: params.mode ?? 'hybrid',
      sort: params.sort ?? 'relevance',
      page: params.page ?? 1,
    }),
  );
  const change = (next: Partial<SearchPageSearch> | { mode: string }): void =>
    void navigate({ search: searchPageSearch({ ...params, page: undefined, ...next }) });
  return (
    <div className="ot-page" style={{ maxWidth: '56rem' }}>
      <Title order={1} size="h2" mb="md">
        Search
      </Title>
      <SearchForm params={params} onChange={change} />
      <div aria-live="polite" aria-busy={answer.isFetching}>
        {q === '' && <Invitation />}
        {answer.isError && (
          <ErrorNote
            error={answer.error}
            title="Search does not answer just now"
            onRetry={() => void answer.refetch()}
          />
        )}
        {q !== '' && answer.isPending && <ResultsPending />}
        {q !== '' && answer.data && !answer.isError && (
          <Results
            answer={answer.data}
            stale={answer.isPlaceholderData}
            onPage={(page) => void navigate({ search: searchPageSearch({ ...params, page }) })}
            onRetry={() => void answer.refetch()}
          />
        )}
      </div>
    </div>
  );
};

type ResultsProps = {
  readonly answer: SearchAnswer;
  readonly stale: boolean;
  readonly onPage: (page: number) => void;
  readonly onRetry: () => void;
};

const Results = ({ answer, stale, onPage, onRetry }: ResultsProps) => {
  const missing = missingLegs(answer.legs);
  const pages = Math.ceil(answer.total_files / searchPageSize);
  if (nothingRan(answer.legs)) {
    return (
      <ErrorNote
        error={
          new Error(
            `${missing ?? 'The search did not run.'} Your recordings are safe; this is an outage of the search.`,
          )
        }
        title="Search does not work just now"
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
              Try again
            </Button>
          </Group>
        </Alert>
      )}
      <Text size="sm" c="dimmed" data-testid="search-summary">
        {answer.total_files === 0
          ? `Nothing found for “${answer.query}”.`
          : `${plural(answer.total_results, 'place')} in ${plural(answer.total_files, 'recording')}, ${Math.max(1, Math.round(answer.search_time_ms))} ms`}
      </Text>
      {answer.total_files === 0 && (
        <Text size="sm" c="dimmed">
          Try other words, or search by meaning. A recording can be found as soon as its last stage is done.
        </Text>
      )}
      <ul className={css['results']} data-testid="search-results">
        {answer.results.map((result) => (
          <SearchResult key={result.file_uuid} result={result} />
        ))}
      </ul>
      {pages > 1 && (
        <Center mt="md">
          <Pagination
            value={answer.page}
            total={pages}
            onChange={onPage}
            getControlProps={(c) => ({ 'aria-label': `${c} page` })}
            aria-label="Pages"
          />
        </Center>
      )}
    </Stack>
  );
};

const ResultsPending = () => (
  <Stack gap="sm" role="status" aria-label="Searching">
    <Skeleton h={18} w={180} />
    {Array.from({ length: 3 }, (_, i) => (
      <Skeleton key={i} h={118} radius="md" />
    ))}
  </Stack>
);

const Invitation = () => (
  <Stack align="center" ta="center" gap="xs" py={64} c="dimmed">
    <Icon name="audio" size={44} />
    <Text maw={420}>
      Look for words that were said, or describe what was meant. A click on a place plays it from that second.
    </Text>
  </Stack>
);
