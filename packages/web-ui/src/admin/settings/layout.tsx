import type { ReactNode } from 'react';
import css from './settings.module.css';

/** Fields in as many columns as fit. */
export function FieldGrid({ children }: { children: ReactNode }) {
  return <div className={css['fields']}>{children}</div>;
}

/** The buttons below a form. */
export function FormButtons({ children }: { children: ReactNode }) {
  return <div className={css['buttons']}>{children}</div>;
}
