import { Alert, Text } from '@mantine/core';
import { ApiError } from '@overtone/client';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Icon } from '../../ui/icons.tsx';
import { settingLabel } from './layout.ts';

/** Lists the refused settings with their labels; any other error is shown unchanged. */
export function RefusalNote({ error, title }: { error: unknown; title: string }) {
  if (!(error instanceof ApiError) || error.fields.length === 0) return <ErrorNote error={error} title={title} />;
  return (
    <Alert role="alert" color="red" variant="light" icon={<Icon name="alert" />} title={title}>
      {byMessage(error.fields).map(([message, names]) => (
        <Text key={message} size="sm">
          <b>{names.join(', ')}</b>: {message}
        </Text>
      ))}
    </Alert>
  );
}

/** Groups refused settings by message: a message for several settings is shown once. */
function byMessage(fields: ApiError['fields']): [string, string[]][] {
  const namesByMessage = new Map<string, string[]>();
  for (const { path, message } of fields)
    namesByMessage.set(message, [...new Set([...(namesByMessage.get(message) ?? []), settingLabel(path)])]);
  return [...namesByMessage];
}
