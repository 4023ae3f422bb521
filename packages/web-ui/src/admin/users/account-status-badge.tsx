import { Badge } from '@mantine/core';
import { accountStatusOf, type Account } from '../../ui/account-labels.ts';

export function AccountStatusBadge({ account }: { account: Account }) {
  const { label, color } = accountStatusOf(account);
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}
