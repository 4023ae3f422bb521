import { useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';

/**
 * At the bottom right, above player and uploads, away from the navigation and the buttons of forms on the left. A narrow
 * screen has its buttons at the bottom: there they come from the top.
 */
export function Toasts() {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  return isNarrow ? (
    <Notifications key="top" position="top-center" limit={4} autoClose={6000} mt="var(--ot-header)" />
  ) : (
    <Notifications
      key="bottom"
      position="bottom-right"
      limit={4}
      autoClose={6000}
      mb="calc(var(--ot-dock, 0px) + var(--ot-uploads, 0px))"
    />
  );
}
