import { t } from '@lingui/core/macro';
import { Anchor, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import css from './pane.module.css';

type PaneProps = {
  title: string;
  actions?: ReactNode;
  /** The list that contains this item. */
  back?: { to: '/admin/users' | '/groups' | '/admin/directory-sync' | '/collections' | '/codes'; label: string };
  children: ReactNode;
};
/** A page with a heading, actions and content. */
export function Pane({ title, actions, back, children }: PaneProps) {
  useDocumentTitle(t`${title} · Overtone`);
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
