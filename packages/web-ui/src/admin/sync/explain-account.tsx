import { t } from '@lingui/core/macro';
import { Button, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { SearchBox } from '../../ui/search-box.tsx';
import { moment } from '../../lib/format.ts';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { usersQuery } from '../users/user-queries.ts';
import { nameOf, type Account } from '../../ui/account-labels.ts';
import { evidenceText, outcomeLabels, reasonTexts } from './labels.ts';
import { SignInExplanation } from './sign-in-explanation.tsx';
import { decisionsQuery } from './sync-queries.ts';

/** Explains whether an account can sign in now, and which decisions past runs made about it. */
export function ExplainAccount() {
  const [text, setQ] = useState('');
  // A repeated query of the same login must query the directory again: the count is the key.
  const [query, setQuery] = useState({ login: '', count: 0 });
  const found = useQuery({ ...usersQuery({ q: text, origin: 'ldap' }), enabled: text.length >= 2 });
  const people = text.length >= 2 ? (found.data?.items ?? []).slice(0, 5) : [];
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t`Find out why an account is an administrator, disabled or refused, or why its role or groups changed.`}
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const login = new FormData(event.currentTarget).get('login');
          setQuery(({ count }) => ({ login: typeof login === 'string' ? login.trim() : '', count: count + 1 }));
        }}
      >
        <div className="ot-bar">
          <SearchBox label={t`Name, e-mail address or directory login`} name="login" value={text} onChange={setQ} />
          <Button type="submit" variant="default">
            {t`Check the directory`}
          </Button>
        </div>
      </form>
      {query.login !== '' && <SignInExplanation key={query.count} login={query.login} />}
      {text.length >= 2 && !found.data && (
        <QueryStatus of={found} failure={t`The accounts couldn’t be loaded`} height={60} />
      )}
      {text.length >= 2 && found.data?.items.length === 0 && <Empty>{t`No directory account matches.`}</Empty>}
      {people.map((account) => (
        <Decisions key={account.uuid} account={account} />
      ))}
    </Stack>
  );
}

function decisionText(decision: string): string {
  const outcome = Object.entries(outcomeLabels).find(([name]) => name === decision)?.[1];
  if (outcome) return outcome.label;
  if (decision === 'applied') return t`role or groups changed`;
  return decision === 'would_apply' ? t`role or groups would change` : decision.replaceAll('_', ' ');
}

function reasonText(reason: string | null): string {
  return Object.entries(reasonTexts).find(([name]) => name === reason)?.[1] ?? reason ?? '';
}

function Decisions({ account }: { account: Account }) {
  const decisions = useQuery(decisionsQuery(account.uuid));
  return (
    <div data-testid="account-decisions">
      <Text fw={600}>{nameOf(account)}</Text>
      <QueryStatus of={decisions} failure={t`The decisions couldn’t be loaded`} height={40} />
      {decisions.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t`No run has changed this account.`}
        </Text>
      )}
      {decisions.data && decisions.data.length > 0 && (
        <Sheet testId="decisions" heads={[t`Run`, t`Decision`, t`Reason`]}>
          {decisions.data.map((row) => (
            <Table.Tr key={row.pass_uuid}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Link
                  className="ot-row-link"
                  dir="auto"
                  to="/admin/directory-sync/passes/$uuid"
                  params={{ uuid: row.pass_uuid }}
                >
                  {moment(row.at)}
                </Link>
              </Table.Td>
              <Table.Td>
                {row.dry_run ? t`${decisionText(row.decision)} (dry run)` : decisionText(row.decision)}
              </Table.Td>
              <Table.Td data-wide>
                {reasonText(row.reason)}
                <Text size="xs" c="dimmed">
                  {evidenceText(row.evidence)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Sheet>
      )}
    </div>
  );
}
