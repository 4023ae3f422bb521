import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { moment, plural } from '../../lib/format.ts';
import css from '../admin.module.css';
import { AdminPane, Facts, Section, Waiting } from '../parts.tsx';
import { Leavers } from './leavers.tsx';
import { PassActions } from './pass-actions.tsx';
import { passQuery } from './sync-queries.ts';
import { proofWords, stateOf, summaryOf, type Report } from './words.ts';

const shownChanges = 20;

/** One pass: what it decided about whom, and what it rests on. */
export const PassPage = () => {
  const { uuid } = useParams({ from: '/inside/frame/admin/directory-sync/passes/$uuid' });
  const pass = useQuery(passQuery(uuid));
  return (
    <AdminPane
      title={pass.data?.dry_run ? 'Dry run' : 'Pass'}
      actions={pass.data && <PassActions report={pass.data} />}
      back={{ to: '/admin/directory-sync', label: 'All passes' }}
    >
      <Stack gap="lg">
        <Waiting of={pass} what="The report" />
        {pass.data && <Body report={pass.data} />}
      </Stack>
    </AdminPane>
  );
};

const Body = ({ report }: { report: Report }) => (
  <>
    <Section title={summaryOf(report)}>
      <Facts of={factsOf(report)} />
    </Section>
    {(wasRead(report) || report.actions.length > 0) && (
      <Section title="Who left">
        <Leavers leavers={report.actions} total={report.candidates} />
      </Section>
    )}
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
        <Facts of={report.proof.map((step) => [proofWords(step.code), step.evidence] as const)} />
      </Section>
    )}
  </>
);

/** Of a directory that was not read nobody knows who is in it. */
const wasRead = ({ status }: Report): boolean => status === 'ok' || status === 'held';

const factsOf = (report: Report): (readonly [string, string | null])[] => [
  ['State', stateOf(report).words + (report.dry_run ? ', dry run' : '')],
  ['Started', moment(report.started_at)],
  ['Took', report.duration_s === null ? null : `${report.duration_s.toFixed(1)} s`],
  ['Approved', report.approved_at === null ? null : moment(report.approved_at)],
  ...(wasRead(report) ? countsOf(report) : []),
  ['Limit', plural(report.max_disables_per_run, 'account')],
];

const countsOf = (report: Report): [string, string][] => [
  ['Accounts checked', report.checked.toLocaleString()],
  ['Entries seen', report.seen.toLocaleString()],
  ['LDAP requests', report.ldap_requests.toLocaleString()],
];

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
