import { Badge, Button, Group, NativeSelect, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, type IdentityAnswer } from '../../api/identity.ts';
import { ErrorNote } from '../../app/error-note.tsx';
import { useDraft } from '../../app/use-draft.tsx';
import css from '../admin.module.css';
import { originNames, roleNames } from '../words.ts';
import own from './auth.module.css';
import type { Mapping } from './auth-queries.ts';

type Tested = IdentityAnswer<'testMappings'>;
type By = 'claims' | 'username';

/** What the mappings make of somebody, without signing them in or writing anything. */
export const MappingTester = () => {
  const [source, setSource] = useState<Mapping['source']>('ldap');
  const [chosen, setBy] = useState<By>('claims');
  const draft = useDraft('mapping-tester', { claims: '', username: '' }, { askToLeave: false });
  const { claims, username } = draft.value;
  // Only a directory can be asked for somebody who is not here.
  const by = source === 'ldap' ? chosen : 'claims';
  const test = useMutation({
    mutationFn: () =>
      ask('testMappings', {
        body: {
          source,
          ...(by === 'claims' ? { claim_values: linesOf(claims) } : { username: username.trim() }),
        },
      }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        test.mutate();
      }}
    >
      <Stack gap="md" maw={640}>
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label="Claims come from"
            data={(['ldap', 'oidc', 'proxy'] as const).map((value) => ({ value, label: originNames[value] }))}
            value={source}
            onChange={(event) => setSource(event.currentTarget.value as Mapping['source'])}
          />
          {source === 'ldap' && (
            <SegmentedControl
              aria-label="Try with"
              value={by}
              onChange={(next) => setBy(next)}
              data={[
                { value: 'claims', label: 'Claims' },
                { value: 'username', label: 'User name' },
              ]}
            />
          )}
        </Group>
        {by === 'claims' ? (
          <Textarea
            label="Claims to try"
            description="One per line; may be empty"
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            value={claims}
            onChange={(event) => draft.set({ claims: event.currentTarget.value, username })}
          />
        ) : (
          <TextInput
            label="User name in the directory"
            required
            withAsterisk={false}
            maxLength={320}
            autoCapitalize="none"
            spellCheck={false}
            value={username}
            onChange={(event) => draft.set({ claims, username: event.currentTarget.value })}
          />
        )}
        <Group>
          <Button type="submit" variant="default" loading={test.isPending}>
            Try
          </Button>
        </Group>
        <div aria-live="polite" data-testid="mapping-result">
          {test.error && <ErrorNote error={test.error} title="It could not be tried" />}
          {test.data && !test.isPending && <Result tested={test.data} />}
        </div>
      </Stack>
    </form>
  );
};

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const Result = ({ tested }: { tested: Tested }) => (
  <dl className={css['facts']}>
    <dt>Role</dt>
    <dd>
      <Badge variant="light" color={tested.effective_role === 'admin' ? 'petrol' : 'gray'}>
        {roleNames[tested.effective_role]}
      </Badge>{' '}
      <Text span size="xs" c="dimmed">
        {whyRole(tested)}
      </Text>
    </dd>
    <dt>Groups</dt>
    <dd>
      {tested.groups.length === 0 && 'none'}
      <Group gap="sm">
        {tested.groups.map(({ uuid, name }) => (
          <Link key={uuid} to="/groups/$uuid" params={{ uuid }} className="ot-link">
            {name}
          </Link>
        ))}
      </Group>
    </dd>
    <dt>Matched</dt>
    <dd data-testid="matched">
      <Claims claims={tested.matched_claims} />
    </dd>
    <dt>Not matched</dt>
    <dd data-testid="unmatched">
      <Claims claims={tested.unmatched_claims} />
    </dd>
  </dl>
);

const Claims = ({ claims }: { claims: readonly string[] }) =>
  claims.length === 0 ? (
    <>none</>
  ) : (
    <ul className={own['claims']}>
      {claims.map((claim) => (
        <li key={claim}>{claim}</li>
      ))}
    </ul>
  );

const whyRole = ({ grants_role, legacy_admin }: Tested): string => {
  if (legacy_admin) return 'by the lists of administrators in the settings';
  return grants_role === null ? 'no mapping gives a role' : 'by a mapping';
};
