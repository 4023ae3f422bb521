import { t } from '@lingui/core/macro';
import { Alert, Text } from '@mantine/core';
import { Icon } from '../../ui/icons.tsx';
import { destinationText } from './labels.ts';
import type { DestinationStatus } from './operations-queries.ts';

export function destinationTest() {
  return {
    button: t`Test destination`,
    show: (status: DestinationStatus) => <DestinationResult status={status} />,
  };
}

function DestinationResult({ status }: { status: DestinationStatus }) {
  return (
    <Alert
      color={status.ok ? 'petrol' : 'red'}
      variant="light"
      icon={<Icon name={status.ok ? 'check' : 'alert'} />}
      title={status.ok ? t`Test passed` : t`Test failed`}
      data-ok={status.ok}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {destinationText(status)}
      </Text>
    </Alert>
  );
}
