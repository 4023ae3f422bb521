import { plural, t } from '@lingui/core/macro';
import { speakerName } from '@overtone/contracts/speakers';
import { Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { SearchResponse } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { snippetParts } from '../lib/snippet.ts';
import { clock, moment } from '../lib/format.ts';
import css from './search.module.css';

type Result = SearchResponse['results'][number];
type Hit = Result['occurrences'][number];

type SearchResultProps = {
  readonly result: Result;
  /** Whether all passages of the search are counted. */
  readonly isCounted: boolean;
};

export function SearchResult({ result, isCounted }: SearchResultProps) {
  const more = result.total_occurrences - result.occurrences.length;
  return (
    <li className={`ot-card ${css['result']}`} data-testid="search-result" data-uuid={result.file_uuid}>
      <Group justify="space-between" align="baseline" style={{ rowGap: 0 }}>
        <Text
          component={Link}
          to={`/files/${result.file_uuid}`}
          fw={650}
          lineClamp={2}
          c="inherit"
          title={result.title}
          style={{ textDecoration: 'none', overflowWrap: 'anywhere' }}
        >
          {result.title}
        </Text>
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {[result.duration === null ? null : clock(result.duration), moment(result.upload_time)]
            .filter((fact) => fact !== null)
            .join(' · ')}
        </Text>
      </Group>
      <Group gap={6} mt={4}>
        {result.tags.map((tag) => (
          <Badge key={tag} size="sm" variant="light">
            {tag}
          </Badge>
        ))}
      </Group>
      <ul className={css['hits']}>
        {result.occurrences.map((hit) => (
          <HitRow key={`${hit.start_time}-${hit.match_type}-${hit.snippet.length}`} file={result.file_uuid} hit={hit} />
        ))}
      </ul>
      {(more > 0 || !isCounted) && (
        <Text size="xs" pb={6}>
          <Link
            className="ot-link"
            to="/files/$uuid"
            params={{ uuid: result.file_uuid }}
            search={highlightOf(result.occurrences)}
          >
            {isCounted
              ? t`and ${plural(more, { one: '# more passage', other: '# more passages' })} in this recording`
              : t`Find all in this recording`}
          </Link>
        </Text>
      )}
    </li>
  );
}

/** The first matched words, which stay marked in the transcript. */
function highlightOf(hits: readonly Hit[]): { q?: string } {
  const marked = hits.flatMap(({ snippet }) => snippetParts(snippet)).find((part) => part.marked);
  return marked ? { q: marked.text } : {};
}

function HitRow({ file, hit }: { file: string; hit: Hit }) {
  return (
    <li>
      <Link
        to="/files/$uuid"
        params={{ uuid: file }}
        search={{ t: hit.start_time, play: true, ...highlightOf([hit]) }}
        className={css['hit']}
        data-testid="search-hit"
        data-start={hit.start_time}
      >
        <span className={css['when']}>
          <Icon name="play" size={13} />
          {clock(hit.start_time)}
        </span>
        <span className={css['snippet']}>
          {hit.speaker !== null && (
            <Text span fw={600} inherit>
              {speakerName({ name: hit.speaker, display_name: null })}:{' '}
            </Text>
          )}
          <Snippet html={hit.snippet} />
          {hit.match_type === 'semantic' && (
            <Badge component="span" size="sm" variant="light" color="gray" ml={6} data-testid="similar-meaning">
              {t`similar meaning`}
            </Badge>
          )}
        </span>
      </Link>
    </li>
  );
}

/** A snippet as text nodes and `<mark>`; it is never parsed as HTML. */
function Snippet({ html }: { html: string }) {
  return (
    <bdi>
      {snippetParts(html).map((part, i) =>
        part.marked ? <mark key={i}>{part.text}</mark> : <span key={i}>{part.text}</span>,
      )}
    </bdi>
  );
}
