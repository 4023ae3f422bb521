import { plural, t } from '@lingui/core/macro';
import { Alert, Button, Group, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { maxFoundFiles } from '@overtone/contracts/export-formats';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { pageCount, Pager } from '../ui/pager.tsx';
import { searchPageSize, searchQuery, type SearchResponse } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { Empty } from '../ui/query-status.tsx';
import { codeOf, isOutage } from '../api/problem.ts';
import { ArchiveButton } from '../exports/archive-button.tsx';
import { searchPageSearch, type SearchPageSearch } from '../lib/search-params.ts';
import { CommentSearch } from './comment-search.tsx';
import { isNothingSearched, missingLegs } from './legs.ts';
import { Facets } from './facets.tsx';
import { SaveSearch } from './saved-searches.tsx';
import { SearchForm } from './search-form.tsx';
import { SearchHelp } from './search-help.tsx';
import { SearchResult } from './search-result.tsx';
import { whatIsMissing } from './search-text.ts';
import css from './search.module.css';

/** What was said in recordings, or what was commented there. */
export function SearchPage() {
  const params = useSearch({ from: '/inside/search' });
  const navigate = useNavigate({ from: '/search' });
  const text = params.q ?? '';
  useDocumentTitle(text === '' ? t`Search · Overtone` : t`${text} · Search · Overtone`);
  return (
    <div className="ot-page" style={{ maxWidth: '56rem' }}>
      <Title order={1} size="h2" mb="md">
        {t`Search`}
      </Title>
      <Tabs
        value={params.in ?? 'transcripts'}
        onChange={(tab) => void navigate({ search: searchPageSearch({ q: params.q, in: tab ?? undefined }) })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="transcripts">{t`Transcripts`}</Tabs.Tab>
          <Tabs.Tab value="comments">{t`Comments`}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="transcripts">
          <TranscriptSearch params={params} />
        </Tabs.Panel>
        <Tabs.Panel value="comments">
          <CommentSearch
            params={params}
            onChange={(next) => void navigate({ search: searchPageSearch({ ...params, ...next }) })}
          />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

function TranscriptSearch({ params }: { params: SearchPageSearch }) {
  const navigate = useNavigate({ from: '/search' });
  const text = params.q ?? '';
  const query = useQuery(
    searchQuery({
      ...params,
      q: text,
      mode: params.mode ?? 'hybrid',
      sort: params.sort ?? 'relevance',
      page: params.page ?? 1,
    }),
  );
  const last = query.data && !query.isPlaceholderData ? pageCount(query.data.total_files, searchPageSize) : Infinity;
  const isBeyond = (params.page ?? 1) > Math.max(1, last);
  useEffect(() => {
    if (isBeyond) void navigate({ search: (now) => searchPageSearch({ ...now, page: last }), replace: true });
  }, [isBeyond, last, navigate]);
  const change = (next: Changes | { mode: string }): void =>
    void navigate({
      // Another text may be corrected again; filters change nothing about it.
      search: searchPageSearch({ ...params, page: undefined, ...('q' in next ? { exact: undefined } : {}), ...next }),
    });
  return (
    <>
      <SearchForm params={params} onChange={change} />
      <SearchHelp />
      <div aria-live="polite" aria-busy={query.isFetching}>
        {text === '' && <SearchHint />}
        {query.isError && (
          <ErrorNote
            error={query.error}
            title={failureTitle(query.error)}
            {...(isOutage(query.error) ? { onRetry: () => void query.refetch() } : {})}
          />
        )}
        {text !== '' && query.isPending && <ResultsPending />}
        {text !== '' && query.data && !query.isError && (
          <Results
            response={query.data}
            params={{ ...params, q: text }}
            stale={query.isPlaceholderData}
            onPage={(page) => void navigate({ search: searchPageSearch({ ...params, page }) })}
            onRetry={() => void query.refetch()}
            onChange={change}
          />
        )}
      </div>
    </>
  );
}

/** `undefined` removes a filter. */
type Changes = { [K in keyof SearchPageSearch]: SearchPageSearch[K] | undefined };
type ResultsProps = {
  readonly response: SearchResponse;
  readonly params: SearchPageSearch & { readonly q: string };
  readonly stale: boolean;
  readonly onPage: (page: number) => void;
  readonly onRetry: () => void;
  readonly onChange: (next: Changes) => void;
};

function Results({ response, params, stale, onPage, onRetry, onChange }: ResultsProps) {
  const missing = missingLegs(response.legs);
  if (isNothingSearched(response.legs)) return <Empty>{whatIsMissing(params.q)}</Empty>;
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
        <Correction query={response.query} correction={response.correction} onExact={() => onChange({ exact: true })} />
      )}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" data-testid="search-summary">
          {response.total_files === 0
            ? t`No matches for “${response.correction?.query ?? response.query}”.`
            : foundIn(response)}
        </Text>
        <Group gap="xs">
          {response.results.length > 0 && (
            <ArchiveButton
              size="compact-sm"
              source={{
                search: {
                  ...params,
                  // What was searched is not corrected once more.
                  q: response.correction?.query ?? params.q,
                  exact: true,
                  mode: params.mode ?? 'hybrid',
                  sort: params.sort ?? 'relevance',
                },
                ...(response.more_files || response.total_files > maxFoundFiles ? { endsAt: maxFoundFiles } : {}),
              }}
              count={response.total_files}
            />
          )}
          <SaveSearch params={params} />
        </Group>
      </Group>
      {response.facets !== null && <Facets facets={response.facets} params={params} onChange={onChange} />}
      {response.total_files === 0 && <NothingFound params={params} onChange={onChange} />}
      <ul className={css['results']} data-testid="search-results">
        {response.results.map((result) => (
          <SearchResult key={result.file_uuid} result={result} isCounted={!response.more_results} />
        ))}
      </ul>
      <Pager page={response.page} total={response.total_files} size={searchPageSize} onPage={onPage} />
    </Stack>
  );
}

/** What was found; a search ends at some hundred passages and recordings, and says so. */
function foundIn({ total_results, total_files, more_results, more_files }: SearchResponse): string {
  const passages = plural(total_results, { one: '# passage', other: '# passages' });
  const recordings = plural(total_files, { one: '# recording', other: '# recordings' });
  const found = more_results ? t`More than ${passages}` : passages;
  return more_files ? t`${found} in more than ${recordings}` : t`${found} in ${recordings}`;
}

type CorrectionProps = {
  readonly query: string;
  readonly correction: NonNullable<SearchResponse['correction']>;
  readonly onExact: () => void;
};

function Correction({ query, correction, onExact }: CorrectionProps) {
  const unknown = correction.words.map(({ from }) => `“${from}”`).join(', ');
  return (
    <Group gap="xs" data-testid="search-correction">
      <Text size="sm">{t`${unknown} occurs in none of your recordings. Showing results for “${correction.query}”.`}</Text>
      <Button size="compact-sm" variant="default" onClick={onExact}>
        {t`Search for “${query}”`}
      </Button>
    </Group>
  );
}

const noFilters = { tag: [], speaker: [], type: [], collection: '', from: '', to: '' };

/** What a person can do when nothing was found. */
function NothingFound({ params, onChange }: Pick<ResultsProps, 'params' | 'onChange'>) {
  const isFiltered = (Object.keys(noFilters) as (keyof typeof noFilters)[]).some((name) => params[name] !== undefined);
  return (
    <Stack gap="xs" align="flex-start" data-testid="nothing-found">
      <Text size="sm" c="dimmed">
        {t`Try other or fewer words. Recordings are searchable once they are processed.`}
      </Text>
      <Group gap="xs">
        {isFiltered && (
          <Button size="compact-sm" variant="default" onClick={() => onChange(noFilters)}>
            {t`Remove all filters`}
          </Button>
        )}
        {params.mode === 'keyword' && (
          <Button size="compact-sm" variant="default" onClick={() => onChange({ mode: undefined })}>
            {t`Also search by similar meaning`}
          </Button>
        )}
        {params.q.includes('"') && (
          <Button size="compact-sm" variant="default" onClick={() => onChange({ q: params.q.replaceAll('"', ' ') })}>
            {t`Search without quotes`}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function failureTitle(error: unknown): string {
  if (isOutage(error)) return t`Search is not responding`;
  // A wrong operator: an unknown collection, or a date that does not exist.
  return codeOf(error) === null ? t`Something went wrong` : t`This search can’t be run`;
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
    </Stack>
  );
}
