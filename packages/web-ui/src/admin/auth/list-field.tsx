import { msg, t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { splitDns } from '@overtone/contracts/dn-text';
import { useId } from 'react';
import { translateOnRead } from '../../lib/language.ts';
import { Icon } from '../../ui/icons.tsx';
import { useDraft } from '../../state/use-draft.ts';
import css from './auth.module.css';
import { looksLikeDn, splitAddresses, splitWords } from './lists.ts';

export type ListKind = 'dns' | 'words' | 'addresses';
const splits = { dns: splitDns, words: splitWords, addresses: splitAddresses };
const examples: Record<ListKind, string> = translateOnRead({
  dns: 'cn=group,ou=groups,dc=example,dc=org',
  words: msg`One or more, separated by commas`,
  addresses: msg`192.0.2.7 or 10.0.0.0/8`,
});

type Props = {
  readonly settingKey: string;
  readonly label: string;
  readonly description?: string | undefined;
  readonly kind: ListKind;
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (value: string) => void;
};

/** A setting that is a list: one entry per line, with buttons that remove and add entries. */
export function ListField({ settingKey, label, description, kind, value, error, onChange }: Props) {
  const id = useId();
  // The text of an entry that is not added yet.
  const draft = useDraft(`setting-list:${settingKey}`, '');
  const text = draft.value;
  const split = splits[kind];
  const entries = split(value);
  // Distinguished names contain commas, so their list is separated by semicolons.
  const save = (next: readonly string[]): void => onChange(next.join(kind === 'dns' ? ';' : ','));
  const add = (): void => {
    const added = split(text).filter((entry) => !entries.includes(entry));
    if (added.length > 0) save([...entries, ...added]);
    draft.drop();
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
                      {t`not a distinguished name`}
                    </Text>
                  )}
                </span>
                <ActionIcon
                  size="sm"
                  aria-label={t`Remove ${entry}`}
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
            aria-label={t`Add to: ${label}`}
            placeholder={examples[kind]}
            value={text}
            spellCheck={false}
            onChange={(event) => draft.set(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
            // The typed entry counts even if Save is pressed without Add.
            onBlur={add}
          />
          <Button variant="default" disabled={text.trim() === ''} onClick={add} aria-label={t`Add, ${label}`}>
            {t`Add`}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}
