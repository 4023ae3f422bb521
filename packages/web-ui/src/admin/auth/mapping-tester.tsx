import { t } from '@lingui/core/macro';
import {
  Alert,
  Badge,
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useDraft } from '../../state/use-draft.ts';
import { originNames, roleNames } from '../../ui/account-labels.ts';
import own from './auth.module.css';
import type { Mapping } from './auth-queries.ts';
import { looksLikeDn } from './lists.ts';

type TestResult = ResponseBody<'POST /api/admin/group-mappings/test'>;
type Input = 'claims' | 'username';

/** Shows the role and groups that the mappings would assign, without a sign-in and without changes. */
export function MappingTester() {
  const [source, setSource] = useState<Mapping['source']>('ldap');
  const [chosenInput, setInput] = useState<Input>('claims');
  const draft = useDraft('mapping-tester', { claims: '', username: '' }, { askToLeave: false });
  const { claims, username } = draft.value;
  // Only a directory can be searched by user name.
  const input = source === 'ldap' ? chosenInput : 'claims';
  const test = useMutation({
    mutationFn: () =>
      call('POST /api/admin/group-mappings/test', {
        body: {
          source,
          ...(input === 'claims' ? { claim_values: linesOf(claims) } : { username: username.trim() }),
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
            label={t`Claims come from`}
            data={(['ldap', 'oidc', 'proxy'] as const).map((value) => ({ value, label: originNames[value] }))}
            value={source}
            onChange={(event) => setSource(event.currentTarget.value as Mapping['source'])}
          />
          {source === 'ldap' && (
            <SegmentedControl
              aria-label={t`Test with`}
              value={input}
              onChange={(next) => setInput(next)}
              data={[
                { value: 'claims', label: t`Claims` },
                { value: 'username', label: t`User name` },
              ]}
            />
          )}
        </Group>
        {input === 'claims' ? (
          <Textarea
            label={t`Claims to test`}
            description={t`One per line; may be empty`}
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            value={claims}
            onChange={(event) => draft.set({ claims: event.currentTarget.value, username })}
          />
        ) : (
          <TextInput
            label={t`User name in the directory`}
            required
            maxLength={320}
            autoCapitalize="none"
            spellCheck={false}
            value={username}
            onChange={(event) => draft.set({ claims, username: event.currentTarget.value })}
          />
        )}
        <Group>
          <Button type="submit" variant="default" loading={test.isPending}>
            {t`Test`}
          </Button>
        </Group>
        <div aria-live="polite" data-testid="mapping-result">
          {test.error && <ErrorNote error={test.error} title={t`The test couldn’t be run`} />}
          {test.data && !test.isPending && (
            <>
              {source === 'ldap' && <InvalidNames claims={test.data.claim_values} />}
              <Result result={test.data} />
            </>
          )}
        </div>
      </Stack>
    </form>
  );
}

/** A directory sends distinguished names only: what matches another text matches no sign-in. */
function InvalidNames({ claims }: { claims: readonly string[] }) {
  const invalid = claims.filter((claim) => !looksLikeDn(claim));
  return invalid.length === 0 ? null : (
    <Alert color="yellow" variant="light" role="note" mb="sm" title={t`A directory never sends these`}>
      {t`Not distinguished names: ${invalid.join('; ')}`}
    </Alert>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function Result({ result }: { result: TestResult }) {
  return (
    <dl className="ot-facts">
      <dt>{t`Role`}</dt>
      <dd>
        <Badge variant="light" color={result.effective_role === 'admin' ? 'petrol' : 'gray'}>
          {roleNames[result.effective_role]}
        </Badge>{' '}
        <Text span size="xs" c="dimmed">
          {roleReason(result)}
        </Text>
      </dd>
      <dt>{t`Groups`}</dt>
      <dd>
        {result.groups.length === 0 && t`none`}
        <Group gap="sm">
          {result.groups.map(({ uuid, name }) => (
            <Link key={uuid} to="/groups/$uuid" params={{ uuid }} className="ot-link" dir="auto">
              {name}
            </Link>
          ))}
        </Group>
      </dd>
      <dt>{t`Matched`}</dt>
      <dd data-testid="matched">
        <Claims claims={result.matched_claims} />
      </dd>
      <dt>{t`Not matched`}</dt>
      <dd data-testid="unmatched">
        <Claims claims={result.unmatched_claims} />
      </dd>
    </dl>
  );
}

function Claims({ claims }: { claims: readonly string[] }) {
  return claims.length === 0 ? (
    <>{t`none`}</>
  ) : (
    <ul className={own['claims']}>
      {claims.map((claim) => (
        <li key={claim}>{claim}</li>
      ))}
    </ul>
  );
}

function roleReason({ grants_role, legacy_admin }: TestResult): string {
  if (legacy_admin) return t`from the administrator lists in the settings`;
  return grants_role === null ? t`no mapping grants a role` : t`from a mapping`;
}
