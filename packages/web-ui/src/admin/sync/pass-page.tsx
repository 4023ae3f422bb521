import { Anchor, Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { askSweep } from '../../api/sweep.ts';
import { say } from '../../app/notify.ts';
import { moment, plural } from '../../lib/format.ts';
import css from '../admin.module.css';
import { AdminPane, Confirm, Empty, Section, Waiting } from '../parts.tsx';
import { passQuery } from './sync-queries.ts';
import {
  evidenceOf,
  outcomeWords,
  proofWords,
  reasonWords,
  statusWords,
  summaryOf,
  type Leaver,
  type Report,
} from './words.ts';

const shown = 200;
const shownChanges = 20;

/** One pass: what it decided about whom, and what it rests on. */
export const PassPage = () => {
  const { uuid } = useParams({ from: '/inside/frame/admin/directory-sync/passes/$uuid' });
  const pass = useQuery(passQuery(uuid));
  return (
    <AdminPane title={pass.data?.dry_run ? 'Dry run' : 'Pass'} actions={pass.data && <Actions report={pass.data} />}>
      <Stack gap="lg">
        <Anchor component={Link} to="/admin/directory-sync" size="sm">
          Directory sync
        </Anchor>
        <Waiting of={pass} what="The report" />
        {pass.data && <Body report={pass.data} />}
      </Stack>
    </AdminPane>
  );
};

const Body = ({ report }: { report: Report }) => (
  <>
    <Section title={summaryOf(report)}>
      <Facts report={report} />
    </Section>
    <Section title="Who left">
      <Leavers leavers={report.actions} total={report.candidates} />
    </Section>
    {report.reconciliations.length > 0 && (
      <Section title="Changed roles and groups">
        <Changes report={report} />
      </Section>
    )}
    {report.eligible_for_reactivation.length > 0 && (
      <Section title="Came back">
        <Text size="sm" mb="xs">
          These accounts were disabled by the directory and are in it again. Nobody is enabled without a person: open
          the account to do it.
        </Text>
        {report.eligible_for_reactivation.map((account) => (
          <Text key={account.user_uuid} size="sm">
            <Link className={css['rowLink'] ?? ''} to="/admin/users/$uuid" params={{ uuid: account.user_uuid }}>
              {account.email}
            </Link>
          </Text>
        ))}
      </Section>
    )}
    {report.proof.length > 0 && (
      <Section title="Why the answer is complete">
        <dl className={css['facts']}>
          {report.proof.map((step) => (
            <div key={step.code} style={{ display: 'contents' }}>
              <dt>{proofWords(step.code)}</dt>
              <dd>{step.evidence}</dd>
            </div>
          ))}
        </dl>
      </Section>
    )}
  </>
);

const Facts = ({ report }: { report: Report }) => {
  const facts: [string, string][] = [
    ['State', statusWords[report.status].words + (report.dry_run ? ', dry run' : '')],
    ['Started', moment(report.started_at)],
    ['Took', report.duration_s === null ? '' : `${report.duration_s.toFixed(1)} s`],
    ['Accounts checked', report.checked.toLocaleString()],
    ['Entries seen', report.seen.toLocaleString()],
    ['LDAP requests', report.ldap_requests.toLocaleString()],
    ['Limit', plural(report.max_disables_per_run, 'account')],
  ];
  return (
    <dl className={css['facts']}>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
};

const Leavers = ({ leavers, total }: { leavers: readonly Leaver[]; total: number }) => {
  const [all, setAll] = useState(false);
  if (leavers.length === 0) return <Empty>Nobody.</Empty>;
  const visible = all ? leavers : leavers.slice(0, shown);
  return (
    <>
      <Table.ScrollContainer minWidth={560}>
        <Table fz="sm" verticalSpacing="xs" data-testid="leavers">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Account</Table.Th>
              <Table.Th>Reason</Table.Th>
              <Table.Th>What became of it</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {visible.map((leaver) => (
              <LeaverRow key={leaver.user_uuid} leaver={leaver} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Group mt="sm">
        {visible.length < leavers.length && (
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            Show all {leavers.length.toLocaleString()}
          </Button>
        )}
        {total > leavers.length && (
          <Text size="xs" c="dimmed">
            The first {leavers.length.toLocaleString()} of {total.toLocaleString()}.
          </Text>
        )}
      </Group>
    </>
  );
};

const LeaverRow = ({ leaver }: { leaver: Leaver }) => {
  const { words, color } = outcomeWords[leaver.outcome];
  return (
    <Table.Tr>
      <Table.Td>
        <Link className={css['rowLink'] ?? ''} to="/admin/users/$uuid" params={{ uuid: leaver.user_uuid }}>
          {leaver.email}
        </Link>
      </Table.Td>
      <Table.Td>
        {reasonWords[leaver.reason]}
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {evidenceOf(leaver.evidence)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={color}>
          {words}
        </Badge>
        {leaver.sessions_revoked ? (
          <Text size="xs" c="dimmed">
            {plural(leaver.sessions_revoked, 'session')} ended
          </Text>
        ) : null}
      </Table.Td>
    </Table.Tr>
  );
};

const Changes = ({ report: { reconciliations, reconciled } }: { report: Report }) => {
  const [all, setAll] = useState(false);
  const visible = all ? reconciliations : reconciliations.slice(0, shownChanges);
  return (
    <>
      <ul style={{ margin: 0, paddingLeft: '1.125rem' }}>
        {visible.map((change) => (
          <li key={change.user_uuid}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <b>{change.email}</b>
              {change.role_to ? ` · ${change.role_from} → ${change.role_to}` : ''}
              {change.groups_added.length > 0 ? ` · into ${change.groups_added.join(', ')}` : ''}
              {change.groups_removed.length > 0 ? ` · out of ${change.groups_removed.join(', ')}` : ''}
              {change.error ? ' · not applied: changed meanwhile' : ''}
            </Text>
          </li>
        ))}
      </ul>
      <Group mt="sm">
        {visible.length < reconciliations.length && (
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            Show {reconciliations.length.toLocaleString()}
          </Button>
        )}
        {reconciled > reconciliations.length && (
          <Text size="xs" c="dimmed">
            The report lists {reconciliations.length.toLocaleString()} of {reconciled.toLocaleString()}; ask below the
            passes about anybody else.
          </Text>
        )}
      </Group>
    </>
  );
};

const Actions = ({ report }: { report: Report }) => {
  const client = useQueryClient();
  const [asking, setAsking] = useState<'approve' | 'undo' | null>(null);
  const params = { uuid: report.pass_uuid };
  const refresh = (): void => void client.invalidateQueries({ queryKey: ['sweep'] });
  const approve = async (): Promise<void> => {
    await askSweep('approvePass', { params, body: { set_digest: report.set_digest ?? '' } });
    say('Approved. A new pass looks again and disables of this set whoever is still gone.');
  };
  const undo = async (): Promise<void> => {
    const { restored, left } = await askSweep('undoPass', { params });
    say(
      `${plural(restored, 'account')} enabled again.${left.length > 0 ? ` ${left.length} left: ${left[0]?.why}` : ''}`,
    );
  };
  const close = (): void => setAsking(null);
  return (
    <Group>
      {report.status === 'held' && <Button onClick={() => setAsking('approve')}>Approve this set</Button>}
      {report.disabled > 0 && (
        <Button variant="default" onClick={() => setAsking('undo')}>
          Undo
        </Button>
      )}
      {asking === 'approve' && (
        <Confirm
          title={`Disable ${plural(report.candidates, 'account')}?`}
          action={`Approve ${report.candidates.toLocaleString()}`}
          run={approve}
          onDone={refresh}
          onClose={close}
        >
          <Text size="sm">
            Exactly these accounts are disabled, those of them that a new look finds still gone. All their sessions end.
          </Text>
        </Confirm>
      )}
      {asking === 'undo' && (
        <Confirm
          title="Take this pass back?"
          action="Enable again"
          harmless
          run={undo}
          onDone={refresh}
          onClose={close}
        >
          <Text size="sm">
            Accounts that this pass disabled are enabled again, where nobody changed them since. Their sessions stay
            ended.
          </Text>
        </Confirm>
      )}
    </Group>
  );
};
