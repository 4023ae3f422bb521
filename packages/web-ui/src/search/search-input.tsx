import { msg, plural, t } from '@lingui/core/macro';
import { Combobox, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { collectionsQuery } from '../collections/collection-queries.ts';
import { translateOnRead } from '../lib/language.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import css from './search.module.css';
import { typedCollection, withSuggestion, type Suggestion } from './suggestions.ts';

type Props = {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Searches for this text. */
  readonly onSearch: (text: string) => void;
};

const pauseMs = 150;
/** The server completes no longer texts. */
const maxLength = 100;
const icons: Record<Suggestion['type'], IconName> = {
  content: 'search',
  title: 'file',
  speaker: 'user',
  tag: 'tag',
  collection: 'collection',
};
const kinds: Record<Suggestion['type'], string> = translateOnRead({
  content: msg`Word`,
  title: msg`Recording`,
  speaker: msg`Speaker`,
  tag: msg`Tag`,
  collection: msg`Collection`,
});

/** The search field. While a person types, it offers words that were said, names and recordings. */
export function SearchInput({ text, onText, onSearch }: Props) {
  const navigate = useNavigate();
  // Offers appear only after typing: a page that was opened with a text shows its results.
  const [typed, setTyped] = useState<string | null>(null);
  const suggestions = useSuggestions(typed);
  const shown = typed === null ? none : suggestions;
  const close = (): void => setTyped(null);
  const combobox = useCombobox({ opened: shown.length > 0, onOpenedChange: (opened) => !opened && close() });
  const { resetSelectedOption } = combobox;
  useEffect(() => resetSelectedOption(), [shown, resetSelectedOption]);
  const choose = (value: string): void => {
    const suggestion = shown[Number(value)];
    close();
    if (!suggestion) return;
    if (suggestion.type === 'title' && suggestion.file_uuid !== null) {
      void navigate({ to: '/files/$uuid', params: { uuid: suggestion.file_uuid } });
      return;
    }
    const chosen = withSuggestion(text, suggestion);
    onText(chosen);
    onSearch(chosen);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false}>
      <Combobox.Target withExpandedAttribute>
        <TextInput
          type="search"
          size="md"
          role="combobox"
          aria-autocomplete="list"
          aria-label={t`Search what was said`}
          placeholder={t`Search by exact words or similar meaning`}
          leftSection={<Icon name="search" />}
          autoFocus
          autoComplete="off"
          maxLength={500}
          value={text}
          onChange={(event) => {
            onText(event.currentTarget.value);
            setTyped(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            // Enter without a chosen offer searches for the text.
            if (event.key === 'Enter' && combobox.getSelectedOptionIndex() === -1) close();
          }}
          onBlur={close}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={t`Suggestions`} data-testid="search-suggestions">
          {shown.map((suggestion, i) => (
            <Combobox.Option key={`${suggestion.type}:${suggestion.text}:${suggestion.file_uuid}`} value={String(i)}>
              <span className={css['suggestion']}>
                <Icon name={icons[suggestion.type]} size={17} />
                <span className={css['suggestionText']}>
                  <span dir="auto">{suggestion.text}</span>
                  <Text span size="xs" c="dimmed">
                    {kindOf(suggestion)}
                  </Text>
                </span>
              </span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function kindOf({ type, count }: Suggestion): string {
  const kind = kinds[type];
  return type === 'title' ? kind : `${kind}, ${plural(count, { one: '# recording', other: '# recordings' })}`;
}

/** Suggestions for the typed text; without an answer there are none, and the search works as before. */
function useSuggestions(typed: string | null): readonly Suggestion[] {
  const [text] = useDebouncedValue((typed ?? '').trimStart(), pauseMs);
  const collection = typedCollection(text);
  const found = useQuery({
    queryKey: ['search-suggestions', text],
    queryFn: ({ signal }) => call('GET /api/search/suggestions', { signal, query: { q: text, limit: 8 } }),
    enabled: typed !== null && collection === null && isAnswerable(text),
    placeholderData: (before) => before,
    retry: false,
  });
  const collections = useQuery({
    ...collectionsQuery({ search: collection ?? '', page: 1, size: 8 }),
    enabled: typed !== null && collection !== null,
    select: collectionsOf,
  });
  if (collection === null) return isAnswerable(text) ? (found.data ?? none) : none;
  return collections.data ?? none;
}

function collectionsOf({ items }: ResponseBody<'GET /api/collections'>): readonly Suggestion[] {
  return items.map(({ name, media_count: count }) => ({ type: 'collection', text: name, file_uuid: null, count }));
}

const none: readonly Suggestion[] = [];

function isAnswerable(text: string): boolean {
  return text.trim().length >= 2 && text.length <= maxLength;
}
