import { t } from '@lingui/core/macro';
import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient, queryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { RedactionKind } from '@overtone/contracts';
import { Confirm } from '../ui/confirm.tsx';
import { Section } from '../ui/pane.tsx';
import { QueryStatus } from '../ui/query-status.tsx';
import { SessionList } from '../ui/session-list.tsx';
import { originNames } from '../ui/account-labels.ts';
import { call } from '../api/client.ts';
import { meQuery, type User } from '../api/queries.ts';
import { notifyError, notify } from '../ui/notify.ts';
import { session } from '../state/services.ts';
import { OwnModels } from '../language-models/own-models.tsx';
import { groupsQuery } from '../groups/group-queries.ts';
import { ChangePasswordForm } from '../session/change-password-form.tsx';
import { AutoLabelForm } from './auto-label-form.tsx';
import { LabelRun } from './label-run.tsx';
import { NameForm } from './name-form.tsx';
import { MaskedKinds } from '../ui/masked-kinds.tsx';

const preferenceQuery = queryOptions({
  queryKey: ['redaction-preference'],
  queryFn: ({ signal }) => call('GET /api/redaction', { signal }),
});

/** What is masked in all recordings of the account. */
function MaskingForm() {
  const client = useQueryClient();
  const preference = useQuery(preferenceQuery);
  const save = useMutation({
    mutationFn: (masked_kinds: RedactionKind[]) => call('PUT /api/redaction', { body: { masked_kinds } }),
    onSuccess: (saved) => {
      client.setQueryData(preferenceQuery.queryKey, saved);
      notify(t`What is hidden was saved.`);
    },
    onError: (error) => notifyError(t`The choice wasn’t saved`, error),
  });
  if (!preference.data) return <QueryStatus of={preference} failure={t`Your choice couldn’t be loaded`} height={120} />;
  return (
    <MaskedKinds
      label={t`Mask in all my recordings`}
      description={t`Hidden from everybody, you included. Your administrator may hide more.`}
      value={save.isPending ? save.variables : preference.data.masked_kinds}
      disabled={save.isPending}
      onChange={(kinds) => save.mutate(kinds)}
    />
  );
}

export function AccountPage() {
  useDocumentTitle(t`Account · Overtone`);
  const me = useQuery(meQuery).data;
  return (
    <div className="ot-page" style={{ maxWidth: '48rem' }}>
      <Title order={1} size="h2" mb="md">
        {t`Account`}
      </Title>
      <Stack gap="lg">
        <Section title={t`You`}>{me && <NameForm me={me} />}</Section>
        <Section title={t`Password`}>{me && <Password me={me} />}</Section>
        <Section title={t`Groups`}>{me && <OwnGroups />}</Section>
        <Section title={t`Masking`}>
          <MaskingForm />
        </Section>
        <Section title={t`Automatic labels`}>
          <Stack gap="lg">
            <AutoLabelForm />
            <LabelRun />
          </Stack>
        </Section>
        <OwnModels />
        <Section title={t`Sessions`}>
          <Sessions />
        </Section>
      </Stack>
    </div>
  );
}

function Password({ me }: { me: User }) {
  return me.auth_type === 'local' ? (
    <ChangePasswordForm onDone={() => undefined} />
  ) : (
    <Text size="sm" data-testid="no-password-here">
      {t`You sign in through: ${originNames[me.auth_type]}. Change your password there.`}
    </Text>
  );
}

function OwnGroups() {
  const groups = useQuery(groupsQuery(''));
  if (!groups.data) return <QueryStatus of={groups} failure={t`Your groups couldn’t be loaded`} height={40} />;
  const own = groups.data.filter((group) => group.my_role !== null);
  if (own.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t`You aren’t in any group.`}
      </Text>
    );
  return (
    <Group gap="xs">
      {own.map((group) => (
        <Group key={group.uuid} gap={6}>
          <Link to="/groups/$uuid" params={{ uuid: group.uuid }} className="ot-link" dir="auto">
            {group.name}
          </Link>
          {group.my_role === 'manager' && (
            <Badge size="sm" variant="light">
              {t`manager`}
            </Badge>
          )}
        </Group>
      ))}
    </Group>
  );
}

function Sessions() {
  const client = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call('GET /api/auth/sessions', { signal }),
  });
  const end = useMutation({
    mutationFn: (uuid: string) => call('DELETE /api/auth/sessions/{uuid}', { params: { uuid } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['sessions'] }),
    onError: (error) => notifyError(t`The session wasn’t ended`, error),
  });
  if (!sessions.data) return <QueryStatus of={sessions} failure={t`The sessions couldn’t be loaded`} height={120} />;
  return (
    <Stack gap="md">
      <SessionList
        sessions={sessions.data.sessions}
        ending={end.isPending ? end.variables : null}
        onEnd={({ uuid }) => end.mutate(uuid)}
      />
      <Group>
        <Button variant="default" onClick={() => setConfirming(true)}>
          {t`Sign out everywhere`}
        </Button>
      </Group>
      {confirming && (
        <Confirm
          title={t`Sign out everywhere?`}
          action={t`Sign out everywhere`}
          run={() => session.signOut(true)}
          onDone={() => undefined}
          onClose={() => setConfirming(false)}
        >
          <Text>{t`All your sessions end immediately, on all devices including this one.`}</Text>
        </Confirm>
      )}
    </Stack>
  );
}
