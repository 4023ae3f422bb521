import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { splitDns } from '@overtone/directory/dn-text';
import { useId, useState } from 'react';
import { Icon } from '../../app/icons.tsx';
import css from './auth.module.css';
import { looksLikeDn, splitAddresses, splitWords } from './lists.ts';

export type ListKind = 'dns' | 'words' | 'addresses';
const splits = { dns: splitDns, words: splitWords, addresses: splitAddresses };
const examples: Record<ListKind, string> = {
  dns: 'cn=group,ou=groups,dc=example,dc=org',
  words: 'One or several, with commas',
  addresses: '192.0.2.7 or 10.0.0.0/8',
};

type Props = {
  readonly label: string;
  readonly description: string;
  readonly kind: ListKind;
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (value: string) => void;
};

/** A setting that is a list, shown as the service will read it: one entry a line, each can go, new ones are added. */
export const ListField = ({ label, description, kind, value, error, onChange }: Props) => {
  const id = useId();
  const [text, setText] = useState('');
  const split = splits[kind];
  const entries = split(value);
  // Names contain commas, words do not: each list is joined by what its own reader separates at.
  const save = (next: readonly string[]): void => onChange(next.join(kind === 'dns' ? ';' : ','));
  const add = (): void => {
    const added = split(text).filter((entry) => !entries.includes(entry));
    if (added.length > 0) save([...entries, ...added]);
    setText('');
  };
  return (
    <Input.Wrapper label={label} description={description} error={error} id={id} labelElement="div">
      <Stack gap={6} mt={6} role="group" aria-label={label}>
        {entries.length > 0 && (
          <ul className={css['entries']} data-testid="entries">
            {entries.map((entry, index) => (
              <li key={`${index} ${entry}`}>
                <span>
                  {entry}
                  {kind === 'dns' && !looksLikeDn(entry) && (
                    <Text span size="xs" c="red" ml={6}>
                      is no distinguished name
                    </Text>
                  )}
                </span>
                <ActionIcon
                  size="sm"
                  aria-label={`Remove ${entry}`}
                  onClick={() => save(entries.filter((_, at) => at !== index))}
                >
                  <Icon name="close" size={15} />
                </ActionIcon>
              </li>
            ))}
          </ul>
        )}
        <Group gap="xs" wrap="nowrap">
          <TextInput
            style={{ flex: 1 }}
            aria-label={`Add to: ${label}`}
            placeholder={examples[kind]}
            value={text}
            spellCheck={false}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
            // What is typed counts even when one goes on to Save without pressing Add.
            onBlur={add}
          />
          <Button variant="default" disabled={text.trim() === ''} onClick={add} aria-label={`Add, ${label}`}>
            Add
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
};
