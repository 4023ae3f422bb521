import { msg, plural, t } from '@lingui/core/macro';
import {
  Badge,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import type { PublicLink, PublicPart } from '@overtone/contracts';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import type { FileItem } from '../api/queries.ts';
import { ago, moment } from '../lib/format.ts';
import { translateOnRead } from '../lib/language.ts';
import { copyAndNotify } from '../ui/copy-text.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { notifyError } from '../ui/notify.ts';
import { QueryStatus } from '../ui/query-status.tsx';
import { publicLinksQuery } from './queries.ts';

type Links = ResponseBody<'GET /api/files/{uuid}/public-links'>;

const partLabels: Readonly<Record<PublicPart, string>> = translateOnRead({
  recording: msg`Recording`,
  text: msg`Transcript`,
  summary: msg`Summary`,
});

/** Public links of a recording: a part of its share dialog. */
export function PublicLinksSection({ file }: { file: FileItem }) {
  const links = useQuery(publicLinksQuery(file.uuid));
  return (
    <section aria-label={t`Public link`} data-testid="public-links">
      <Title order={3} size="h5" mb="xs">
        {t`Public link`}
      </Title>
      <QueryStatus of={links} failure={t`The public links couldn’t be loaded`} height={60} />
      {links.data && !links.data.enabled && (
        <Text size="sm" c="dimmed">
          {t`Public links are switched off. An administrator can allow them.`}
        </Text>
      )}
      {links.data && (
        <Stack gap="md">
          {links.data.enabled && <NewLink file={file} limits={links.data} />}
          <LinkList file={file} links={links.data.links} />
        </Stack>
      )}
    </section>
  );
}

const dayMs = 86_400_000;
const usualDays = [1, 7, 30, 90, 365];

/** How long a link may be valid: the usual times up to the limit, and the limit. */
function daysUpTo(max: number): number[] {
  return [...usualDays.filter((days) => days < max), max];
}

function NewLink({ file, limits }: { file: FileItem; limits: Links }) {
  const client = useQueryClient();
  const hasRecording = file.has_media && file.recording_removed_at === null;
  const offered: PublicPart[] = hasRecording ? ['recording', 'text', 'summary'] : ['text', 'summary'];
  const [parts, setParts] = useState<string[]>(offered.filter((part) => part !== 'summary'));
  const [days, setDays] = useState(Math.min(7, limits.max_days));
  const [password, setPassword] = useState('');
  const create = useMutation({
    mutationFn: () =>
      call('POST /api/files/{uuid}/public-links', {
        params: { uuid: file.uuid },
        body: {
          parts: offered.filter((part) => parts.includes(part)),
          expires_at: new Date(Date.now() + days * dayMs).toISOString(),
          ...(password === '' ? {} : { password }),
        },
      }),
    onSuccess: () => {
      setPassword('');
      return client.invalidateQueries({ queryKey: publicLinksQuery(file.uuid).queryKey });
    },
  });
  const isEnded = ({ uuid }: Pick<PublicLink, 'uuid'>): boolean =>
    limits.links.some((link) => link.uuid === uuid && link.state !== 'active');
  const isReady = parts.length > 0 && (password !== '' || !limits.password_required);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !create.isPending) create.mutate();
      }}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t`Everyone who has the link can open this recording without an account. What is masked for any reader stays masked.`}
        </Text>
        <Checkbox.Group label={t`What it shows`} value={parts} onChange={setParts}>
          <Group gap="md" mt={4}>
            {offered.map((part) => (
              <Checkbox key={part} value={part} label={partLabels[part]} />
            ))}
          </Group>
        </Checkbox.Group>
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <NativeSelect
            label={t`Valid for`}
            value={String(days)}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
            data={daysUpTo(limits.max_days).map((count) => ({
              value: String(count),
              label: plural(count, { one: '# day', other: '# days' }),
            }))}
          />
          <PasswordInput
            label={limits.password_required ? t`Password` : t`Password (optional)`}
            description={t`At least 8 characters`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="new-password"
            minLength={8}
            maxLength={128}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={fieldOf(create.error, 'password')}
          />
        </Group>
        {create.error && (
          <ErrorNote error={create.error} title={t`The link wasn’t created`} fields={['password', 'expires_at']} />
        )}
        <Group justify="flex-end">
          <Button type="submit" variant="default" disabled={!isReady} loading={create.isPending}>
            {t`Create public link`}
          </Button>
        </Group>
        {create.data && !isEnded(create.data) && <NewAddress key={create.data.uuid} token={create.data.token} />}
      </Stack>
    </form>
  );
}

/** The address of a new link, which the server stores as a hash only. */
function NewAddress({ token }: { token: string }) {
  // The token is in the fragment, which no browser sends and no server logs.
  const link = `${location.origin}/public#${token}`;
  return (
    <div role="status">
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          style={{ flex: 1, minWidth: 0 }}
          label={t`New public link`}
          readOnly
          value={link}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button onClick={() => void copyAndNotify(link, t`Link copied.`, t`The link couldn’t be copied`)}>
          {t`Copy link`}
        </Button>
      </Group>
      <Text size="xs" c="dimmed" mt={4}>
        {t`Copy it now: it can’t be shown again.`}
      </Text>
    </div>
  );
}

function LinkList({ file, links }: { file: FileItem; links: readonly PublicLink[] }) {
  if (links.length === 0) return null;
  return (
    <ul className="ot-list" data-testid="public-link-list">
      {links.map((link) => (
        <LinkEntry key={link.uuid} file={file} link={link} />
      ))}
    </ul>
  );
}

function LinkEntry({ file, link }: { file: FileItem; link: PublicLink }) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const revoke = useMutation({
    mutationFn: () =>
      call('DELETE /api/files/{uuid}/public-links/{link_uuid}', {
        params: { uuid: file.uuid, link_uuid: link.uuid },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: publicLinksQuery(file.uuid).queryKey }),
    onError: (error) => notifyError(t`The link wasn’t revoked`, error),
  });
  const parts = link.parts.map((part) => partLabels[part]).join(', ');
  return (
    <li className="ot-entry" data-state={link.state}>
      <div>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {parts}
          </Text>
          {link.has_password && (
            <Badge size="sm" variant="light" color="gray">
              {t`password`}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {[endOf(link), viewsOf(link), link.created_by_name].filter(Boolean).join(' · ')}
        </Text>
      </div>
      {link.state === 'active' &&
        (isAsking ? (
          <Group gap="xs" wrap="nowrap">
            <Button size="xs" variant="default" autoFocus onClick={() => setAsking(false)}>
              {t`Keep`}
            </Button>
            <Button size="xs" color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
              {t`Revoke permanently`}
            </Button>
          </Group>
        ) : (
          <Button
            size="xs"
            variant="default"
            aria-label={t`Revoke the link that was created ${moment(link.created_at)}`}
            onClick={() => setAsking(true)}
          >
            {t`Revoke`}
          </Button>
        ))}
    </li>
  );
}

function endOf({ state, expires_at, revoked_at }: PublicLink): string {
  if (state === 'revoked') return t`Revoked ${moment(revoked_at ?? expires_at)}`;
  return state === 'expired' ? t`Ended ${moment(expires_at)}` : t`Until ${moment(expires_at)}`;
}

function viewsOf({ views, last_viewed_at }: PublicLink): string {
  if (last_viewed_at === null) return t`not opened yet`;
  const count = plural(views, { one: 'opened once', other: 'opened # times' });
  return t`${count}, last ${ago(last_viewed_at)}`;
}
