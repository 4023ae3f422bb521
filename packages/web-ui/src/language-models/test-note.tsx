import { t } from '@lingui/core/macro';
import { Alert, Text } from '@mantine/core';
import { formatNumber } from '../lib/format.ts';
import { Icon } from '../ui/icons.tsx';
import { adviceOf } from './labels.ts';
import type { ListedModels, TestResult } from './model-queries.ts';

/** The result of a connection test, and what to do about a failure. */
export function TestNote({ result }: { result: TestResult }) {
  const { ok, message, error_code: code, response_time_ms: time, context_tokens: tokens } = result;
  return (
    <Alert
      color={ok ? 'petrol' : 'red'}
      variant="light"
      icon={<Icon name={ok ? 'check' : 'alert'} />}
      title={ok ? t`The model answered in ${time ?? 0} ms` : t`The connection test failed`}
      data-testid="model-test"
      data-ok={ok}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {ok ? windowText(tokens) : message}
      </Text>
      {!ok && (
        <Text size="sm" mt={4}>
          {adviceOf(code)}
        </Text>
      )}
    </Alert>
  );
}

/** Why the models of a server could not be listed, and what to do. */
export function ListFailure({ result: { message, error_code: code } }: { result: ListedModels }) {
  return (
    <Alert color="red" variant="light" icon={<Icon name="alert" />} title={t`The models couldn’t be listed`}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {message}
      </Text>
      <Text size="sm" mt={4}>
        {adviceOf(code)}
      </Text>
    </Alert>
  );
}

function windowText(tokens: number | null): string {
  return tokens === null
    ? t`The server does not report its context window.`
    : t`Its context window has ${formatNumber(tokens)} tokens.`;
}
