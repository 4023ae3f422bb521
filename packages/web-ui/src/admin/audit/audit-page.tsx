import { msg, plural, t } from '@lingui/core/macro';
import { Badge, Button, Group, Menu, Table, Text, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { translateOnRead } from '../../lib/language.ts';
import { fetchText } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { notifyError } from '../../ui/notify.ts';
import { SearchBox } from '../../ui/search-box.tsx';
import { moment } from '../../lib/format.ts';
import { saveTextFile } from '../../lib/save-file.ts';
import { DateRange, isReversed } from '../../ui/date-range.tsx';
import { FilterSelect } from '../../ui/filter-select.tsx';
import css from './audit.module.css';
import { Pane } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Pager } from '../../ui/pager.tsx';
import { eventLabels } from './event-labels.ts';
import { auditPageSize, auditQuery, exportUrl, type AuditRecord } from './audit-queries.ts';
import { Sheet } from '../../ui/sheet.tsx';

type Filters = Record<string, string>;

export function AuditPage() {
  const filters = useSearch({ from: '/inside/frame/admin/audit' });
  const navigate = useNavigate({ from: '/admin/audit' });
  const records = useQuery(auditQuery(filters));
  const change = (next: Filters): void => {
    const { page: _, ...rest } = filters;
    void navigate({ search: { ...rest, ...next }, replace: true });
  };
  return (
    <Pane title={t`Audit log`} actions={<ExportButton filters={filters} />}>
      <Bar filters={filters} onChange={change} />
      <QueryStatus of={records} failure={t`The audit log couldn’t be loaded`} height={320} />
      {records.data?.items.length === 0 && !isReversed(filters) && <Empty>{t`No record matches.`}</Empty>}
      {records.data && records.data.items.length > 0 && <Records records={records.data.items} />}
      {records.data && (
        <>
          <Text size="sm" c="dimmed" mt="sm" aria-live="polite">
            {plural(records.data.total, { one: '# record', other: '# records' })}
          </Text>
          <Pager
            page={records.data.page}
            total={records.data.total}
            size={auditPageSize}
            onPage={(page) => void navigate({ search: { ...filters, page: String(page) } })}
          />
        </>
      )}
    </Pane>
  );
}

function ExportButton({ filters }: { filters: Filters }) {
  const save = useMutation({
    mutationFn: async (format: 'csv' | 'json') => {
      const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
      const type = format === 'csv' ? 'text/csv' : 'application/json';
      saveTextFile(await fetchText(exportUrl(filters, format)), `audit-logs-${day}.${format}`, type);
    },
    onError: (error) => notifyError(t`The export failed`, error),
  });
  return (
    <Menu width={220}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={17} />} loading={save.isPending}>
          {t`Export`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t`Filtered records, at most 10,000`}</Menu.Label>
        <Menu.Item onClick={() => save.mutate('csv')}>{t`CSV`}</Menu.Item>
        <Menu.Item onClick={() => save.mutate('json')}>{t`JSON`}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const outcomes = translateOnRead({ success: msg`Success`, failure: msg`Failure`, partial: msg`Partial` });

function Bar({ filters, onChange }: { filters: Filters; onChange: (next: Filters) => void }) {
  return (
    <div className="ot-bar" role="search" aria-label={t`Find in the audit log`}>
      <SearchBox
        label={t`Person, address or request`}
        value={filters['q'] ?? ''}
        onChange={(text) => onChange({ q: text })}
      />
      <FilterSelect
        label={t`Event`}
        any={t`Any event`}
        labels={eventLabels}
        value={filters['event']}
        onChange={(event) => onChange({ event })}
      />
      <FilterSelect
        label={t`Outcome`}
        any={t`Any outcome`}
        labels={outcomes}
        value={filters['outcome']}
        onChange={(outcome) => onChange({ outcome })}
      />
      <Group gap="xs" wrap="nowrap" align="flex-start" style={{ flexBasis: '100%' }}>
        <DateRange from={filters['from']} to={filters['to']} onChange={onChange} />
      </Group>
    </div>
  );
}

function eventLabel({ event_type: type }: AuditRecord): string {
  return eventLabels[type] ?? type;
}

function Records({ records }: { records: readonly AuditRecord[] }) {
  return (
    <Sheet testId="audit" card heads={[t`Time`, t`Event`, t`Actor`, t`Subject`, t`Address`]}>
      {records.map((record) => (
        <RecordRows key={record.uuid} record={record} />
      ))}
    </Sheet>
  );
}

function RecordRows({ record }: { record: AuditRecord }) {
  const [open, setOpen] = useState(false);
  return (
    <Fragment>
      <Table.Tr data-event={record.event_type}>
        <Table.Td style={{ whiteSpace: 'nowrap' }}>
          <UnstyledButton
            fz="sm"
            aria-expanded={open}
            aria-label={t`Details of ${eventLabel(record)}, ${moment(record.timestamp)}`}
            onClick={() => setOpen(!open)}
          >
            <Group gap={6} wrap="nowrap">
              <Icon name={open ? 'chevronUp' : 'chevronDown'} size={14} />
              {moment(record.timestamp)}
            </Group>
          </UnstyledButton>
        </Table.Td>
        <Table.Td>
          {eventLabel(record)} <Subject record={record} />
          {record.outcome !== 'success' && (
            <Badge size="sm" variant="light" color={record.outcome === 'failure' ? 'red' : 'yellow'}>
              {outcomes[record.outcome]}
            </Badge>
          )}
          {typeof record.details['warning'] === 'string' && (
            <Badge size="sm" variant="light" color="yellow">
              {t`Warning`}
            </Badge>
          )}
        </Table.Td>
        <AddressCell label={t`Actor`} value={record.actor_name ?? record.actor} />
        <AddressCell label={t`Subject`} value={record.username} />
        <AddressCell label={t`Address`} value={record.source_ip} />
      </Table.Tr>
      {open && (
        <Table.Tr>
          <Table.Td colSpan={5}>
            <Details record={record} />
          </Table.Td>
        </Table.Tr>
      )}
    </Fragment>
  );
}

/** The recording or collection, and with whom it was shared. */
function Subject({ record: { details, recipient } }: { record: AuditRecord }) {
  const title = details['title'] ?? details['name'];
  const parts = [typeof title === 'string' ? `“${title}”` : null, recipient === null ? null : t`with ${recipient}`];
  const text = parts.filter((part) => part !== null).join(' ');
  return text === '' ? null : (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Text>
  );
}

/** Truncated to one line; the details show the full text. */
function AddressCell({ label, value }: { label: string; value: string | null }) {
  return (
    <Table.Td data-label={label} className={css['address'] ?? ''} title={value ?? undefined}>
      {value ?? ''}
    </Table.Td>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Details({ record }: { record: AuditRecord }) {
  const facts: readonly (readonly [string, string | null])[] = [
    [t`Event`, record.event_type],
    [t`Outcome`, outcomes[record.outcome]],
    [t`Error code`, record.error_code],
    [t`Subject`, record.username],
    [t`Shared with`, record.recipient],
    [t`Actor`, record.actor],
    [t`Address`, record.source_ip],
    [t`Account`, record.user_id],
    [t`User agent`, record.user_agent],
    [t`Request`, record.request_id],
    [t`Warning`, warningText(record)],
    ...Object.entries(record.details).map(
      ([name, value]) => [name === 'warning' ? t`Warning code` : name, textOf(value)] as const,
    ),
  ];
  return <Facts of={facts} />;
}

/** The warning of a record as a sentence. An unknown warning stays among the other details. */
function warningText({ details }: AuditRecord): string | null {
  return details['warning'] === 'admin_roles_unknown'
    ? t`The sign-in had no usable claim ${textOf(details['roles_claim'])}. The role of the account was kept.`
    : null;
}
