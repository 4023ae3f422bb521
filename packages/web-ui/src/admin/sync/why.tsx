import { Button, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { SearchBox } from '../../app/search-box.tsx';
import { moment } from '../../lib/format.ts';
import css from '../admin.module.css';
import { Empty, Waiting } from '../parts.tsx';
import { Sheet } from '../sheet.tsx';
import { usersQuery } from '../users/user-queries.ts';
import { nameOf, type Account } from '../words.ts';
import { Standing } from './standing.tsx';
import { whyQuery } from './sync-queries.ts';
import { evidenceOf, outcomeWords, reasonWords } from './words.ts';

/** How one person stands now, what passes decided about them, and on what grounds. */
export const Why = () => {
  const [q, setQ] = useState('');
  // Asked once more, the directory may say something else.
  const [asked, setAsked] = useState({ login: '', times: 0 });
  const found = useQuery({ ...usersQuery({ q, origin: 'ldap' }), enabled: q.length >= 2 });
  const people = q.length >= 2 ? (found.data?.items ?? []).slice(0, 5) : [];
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        Why is somebody an administrator, disabled or refused, or why did their role or groups change?
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const login = new FormData(event.currentTarget).get('login');
          setAsked(({ times }) => ({ login: typeof login === 'string' ? login.trim() : '', times: times + 1 }));
        }}
      >
        <div className={css['bar']}>
          <SearchBox label="Name, e-mail address or directory login" name="login" value={q} onChange={setQ} />
          <Button type="submit" variant="default">
            Ask the directory
          </Button>
        </div>
      </form>
      {asked.login !== '' && <Standing key={asked.times} login={asked.login} />}
      {q.length >= 2 && !found.data && <Waiting of={found} what="The accounts" height={60} />}
      {q.length >= 2 && found.data?.items.length === 0 && <Empty>No account of the directory matches.</Empty>}
      {people.map((account) => (
        <Decisions key={account.uuid} account={account} />
      ))}
    </Stack>
  );
};

const decisionWords = (decision: string): string => {
  const outcome = Object.entries(outcomeWords).find(([name]) => name === decision)?.[1];
  if (outcome) return outcome.words;
  if (decision === 'applied') return 'role or groups changed';
  return decision === 'would_apply' ? 'role or groups would change' : decision.replaceAll('_', ' ');
};
const reasonOf = (reason: string | null): string =>
  Object.entries(reasonWords).find(([name]) => name === reason)?.[1] ?? reason ?? '';

const Decisions = ({ account }: { account: Account }) => {
  const why = useQuery(whyQuery(account.uuid));
  return (
    <div data-testid="why">
      <Text fw={600}>{nameOf(account)}</Text>
      <Waiting of={why} what="The decisions" height={40} />
      {why.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No pass has changed anything about this account.
        </Text>
      )}
      {why.data && why.data.length > 0 && (
        <Sheet testId="decisions" heads={['Pass', 'Decision', 'Why']}>
          {why.data.map((row) => (
            <Table.Tr key={row.pass_uuid}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Link
                  className={css['rowLink'] ?? ''}
                  to="/admin/directory-sync/passes/$uuid"
                  params={{ uuid: row.pass_uuid }}
                >
                  {moment(row.at)}
                </Link>
              </Table.Td>
              <Table.Td>
                {decisionWords(row.decision)}
                {row.dry_run ? ' (dry run)' : ''}
              </Table.Td>
              <Table.Td data-wide>
                {reasonOf(row.reason)}
                <Text size="xs" c="dimmed">
                  {evidenceOf(row.evidence)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Sheet>
      )}
    </div>
  );
};
