import { plural, t } from '@lingui/core/macro';
import { Alert, Box, Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';
import { storeIssuerTest, takeIssuerCallback, type IssuerCallback } from '../../state/issuer-test.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.ts';
import { Section } from '../../ui/pane.tsx';
import { issuersQuery } from './auth-queries.ts';

type Tested = ResponseBody<'POST /api/admin/auth-config/oidc/issuers/test/callback'>;

/** Moves the accounts of an identity provider whose address has changed, after a test sign-in at the new address. */
export function IssuerMove() {
  const issuers = useQuery(issuersQuery);
  const finish = useFinishedTest();
  const start = useMutation({ mutationFn: goToTest });
  if (!issuers.data || issuers.data.issuers.length === 0) return null;
  const { current } = issuers.data;
  return (
    <Box mt="lg">
      <Section title={t`Move accounts to a new address`}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t`Accounts are linked to the address (issuer) of the provider. After it has changed, save the new address above. Then one person signs in there as a test, and you move the accounts.`}
          </Text>
          {issuers.data.issuers.map(({ issuer, accounts, is_current: isCurrent }) => (
            <Group key={issuer} justify="space-between" gap="sm" data-testid="issuer">
              <div>
                <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {issuer}
                </Text>
                <Text size="sm" c="dimmed">
                  {plural(accounts, { one: '# account', other: '# accounts' })}
                  {isCurrent ? ` · ${t`address of the settings`}` : ''}
                </Text>
              </div>
              {!isCurrent && current !== '' && (
                <Button
                  variant="default"
                  loading={start.isPending || start.isSuccess}
                  onClick={() => start.mutate(issuer)}
                >
                  {t`Start test sign-in`}
                </Button>
              )}
            </Group>
          ))}
          {issuers.data.issuers.some(({ is_current: isCurrent }) => !isCurrent) && (
            <Text size="sm">
              {t`At the test, a person of the earlier address signs in at ${current} in this browser. You stay signed in, and nothing changes.`}
            </Text>
          )}
          <div aria-live="polite">
            {start.error && <ErrorNote error={start.error} title={t`The test sign-in couldn’t be started`} />}
            {finish.error && <ErrorNote error={finish.error} title={t`The accounts can’t be moved`} />}
            {finish.data && <TestResult tested={finish.data} onMoved={finish.reset} />}
          </div>
        </Stack>
      </Section>
    </Box>
  );
}

/** Completes the test sign-in from which the browser has just returned. */
function useFinishedTest() {
  const isStarted = useRef(false);
  const finish = useMutation({
    mutationFn: (callback: IssuerCallback) =>
      call('POST /api/admin/auth-config/oidc/issuers/test/callback', { body: callback }),
  });
  const { mutate } = finish;
  useEffect(() => {
    // A code works once, but React may run an effect twice.
    if (isStarted.current) return;
    isStarted.current = true;
    const callback = takeIssuerCallback();
    if (callback) mutate(callback);
  }, [mutate]);
  return finish;
}

async function goToTest(from: string): Promise<void> {
  const { authorization_url: url } = await call('POST /api/admin/auth-config/oidc/issuers/test', { body: { from } });
  // A `javascript:` address from a wrong configuration must not run.
  if (!/^https?:\/\//.test(url)) throw new Error(t`The address of the identity provider is invalid.`);
  storeIssuerTest(url);
  location.assign(url);
}

function TestResult({ tested, onMoved }: { tested: Tested; onMoved: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const { accounts, left, left_total: leftTotal } = tested;
  return (
    <Alert color="petrol" variant="light" icon={<Icon name="check" />} title={t`Test sign-in passed`}>
      <Stack gap="sm">
        <Text size="sm">
          {t`${tested.tester.email} is the same person at both addresses.`}{' '}
          {plural(accounts, { one: '# account moves.', other: '# accounts move.' })}
        </Text>
        {leftTotal > 0 && (
          <>
            <Text size="sm">{plural(leftTotal, { one: '# account stays:', other: '# accounts stay:' })}</Text>
            <List size="sm" data-testid="issuer-left">
              {left.map((account) => (
                <List.Item key={account.uuid}>{leftText(account)}</List.Item>
              ))}
              {leftTotal > left.length && <List.Item>{t`and ${leftTotal - left.length} more`}</List.Item>}
            </List>
          </>
        )}
        <Group>
          <Button onClick={() => setAsking(true)}>
            {t`Move ${plural(accounts, { one: '# account', other: '# accounts' })}`}
          </Button>
        </Group>
      </Stack>
      {isAsking && <MoveDialog tested={tested} onMoved={onMoved} onClose={() => setAsking(false)} />}
    </Alert>
  );
}

function leftText({ email, reason, taken_by: other }: Tested['left'][number]): string {
  return reason === 'super_admin'
    ? t`${email}: a super administrator, who moves their own account with a test of their own`
    : t`${email}: the account ${other ?? ''} is linked to this person at the new address already`;
}

function MoveDialog({ tested, onMoved, onClose }: { tested: Tested; onMoved: () => void; onClose: () => void }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const { proof, to, accounts } = tested;
  const move = useMutation({
    mutationFn: () =>
      call('POST /api/admin/auth-config/oidc/issuers/move', { body: { proof, confirm_issuer: typed, accounts } }),
    onSuccess: ({ accounts: moved }) => {
      onClose();
      onMoved();
      notify(t`${plural(moved, { one: '# account', other: '# accounts' })} moved to ${to}.`);
      for (const key of ['auth-config', 'users']) void client.invalidateQueries({ queryKey: [key] });
    },
  });
  return (
    <FormDialog
      title={t`Move ${plural(accounts, { one: '# account', other: '# accounts' })}?`}
      action={t`Move accounts`}
      danger
      unready={typed === to ? null : t`Type the new address to confirm.`}
      sending={move}
      failure={t`Not all accounts were moved`}
      onSubmit={() => move.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        {t`Whoever controls ${to} can then sign in to these accounts. Their sessions end, and their owners sign in again at the new address.`}
      </Text>
      <Text size="sm">{t`To reverse it, enter the earlier address in the settings and move the accounts back.`}</Text>
      <TextInput
        label={t`Type the new address ${to}`}
        autoComplete="off"
        spellCheck={false}
        required
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
