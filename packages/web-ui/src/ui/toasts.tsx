import { useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';

/**
 * At the bottom, above player and uploads, away from navigation, title and tabs; on a wide screen at the right, away from
 * the buttons of forms. While a dialog is open they are away from its buttons, see global.css.
 */
export function Toasts() {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  return (
    <Notifications
      key={String(isNarrow)}
      position={isNarrow ? 'bottom-center' : 'bottom-right'}
      // More would hide the page of a phone.
      limit={isNarrow ? 2 : 4}
      autoClose={6000}
      className="ot-toasts"
    />
  );
}
