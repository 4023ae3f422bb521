import { Anchor, Badge, Button, Group, Modal, Pagination, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { ErrorNote } from '../app/error-note.tsx';
import { timeOfDay } from '../lib/format.ts';
import { accountStatusOf, type Account } from './labels.ts';
import css from './admin.module.css';

type PaneProps = {
  title: string;
  actions?: ReactNode;
  /** The list that contains this item. */
  back?: { to: '/admin/users' | '/groups' | '/admin/directory-sync'; label: string };
  children: ReactNode;
};
/** A page of the administration: heading, actions, content. */
export function AdminPane({ title, actions, back, children }: PaneProps) {
  useDocumentTitle(`${title} · Overtone`);
  return (
    <div className="ot-page">
      <div className={css['head']}>
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {actions}
      </div>
      {back && (
        <Text size="sm" mb="md" mt={-8}>
          <Anchor component={Link} to={back.to} underline="always" c="dimmed">
            {back.label}
          </Anchor>
        </Text>
      )}
      {children}
    </div>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="ot-card" style={{ padding: '1.125rem 1.25rem 1.25rem' }}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </section>
  );
}

/** On a narrow screen the links form a scrolling strip; the link of the open page must be visible in it. */
export function scrollIntoView(link: HTMLAnchorElement | null): void {
  return link?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

type QueryState = {
  isError: boolean;
  isPending: boolean;
  error: unknown;
  dataUpdatedAt: number;
  refetch: () => unknown;
};
/** Shows that data is loading, or that it couldn’t be loaded and how old the shown data is; otherwise nothing. */
export function QueryStatus({ of, what, height = 200 }: { of: QueryState; what: string; height?: number }) {
  if (of.isError)
    return (
      <ErrorNote
        error={of.error}
        title={`${what} couldn’t be loaded`}
        note={of.dataUpdatedAt === 0 ? null : `Last updated at ${timeOfDay(of.dataUpdatedAt)}.`}
        onRetry={() => void of.refetch()}
      />
    );
  return of.isPending ? <Skeleton h={height} role="status" aria-label="Loading" /> : null;
}

export function Empty({ children }: { children: ReactNode }) {
  return (
    <Text className={css['empty'] ?? ''} data-testid="empty">
      {children}
    </Text>
  );
}

type FactsProps = { of: readonly (readonly [name: string, value: string | null])[] };
/** Names and values; null values are omitted. */
export function Facts({ of }: FactsProps) {
  return (
    <dl className={css['facts']}>
      {of.map(([name, value]) =>
        value === null ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}

type PagerProps = { page: number; total: number; size: number; onPage: (page: number) => void };

export function Pager({ page, total, size, onPage }: PagerProps) {
  const pages = Math.ceil(total / size);
  return pages <= 1 ? null : (
    <Group justify="center" mt="md">
      <Pagination
        value={page}
        total={pages}
        onChange={onPage}
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        aria-label="Pages"
      />
    </Group>
  );
}

export function AccountStatusBadge({ account }: { account: Account }) {
  const { label, color } = accountStatusOf(account);
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}

type ConfirmProps = {
  title: string;
  children: ReactNode;
  action: string;
  keep?: string;
  harmless?: boolean;
  run: () => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
};
/** Asks before an action that cannot be undone, or that affects another person immediately. */
export function Confirm({ title, children, action, keep = 'Cancel', harmless, run, onDone, onClose }: ConfirmProps) {
  const mutation = useMutation({
    mutationFn: run,
    onSuccess: () => {
      onClose();
      onDone();
    },
  });
  return (
    <Modal opened onClose={onClose} title={<b>{title}</b>}>
      <Stack gap="md">
        {mutation.error && <ErrorNote error={mutation.error} />}
        <div>{children}</div>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            {keep}
          </Button>
          <Button
            {...(harmless ? {} : { color: 'red' })}
            loading={mutation.isPending}
            onClick={() => mutation.mutate()}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
